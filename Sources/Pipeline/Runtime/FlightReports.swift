/// An edge with slots, as those see it who tell it what is finished.
protocol FlightEdge: AnyObject, Sendable {
    /// Counts a reporter: no frame is finished before it has reported.
    func join(_ reporter: Int)

    /// A reporter has seen all of a stream (or with `nil` of every stream) up to and including `bound`.
    func finished(_ stream: StreamID?, _ bound: Timestamp, by reporter: Int)

    /// A reporter has seen the end of a stream.
    func ended(_ stream: StreamID, by reporter: Int)

    /// A reporter will report nothing any more.
    func gone(_ reporter: Int)

    /// All that came of a stream's frames after one time and up to another waits where edges come together.
    func waits(_ stream: StreamID, after: Timestamp, upTo time: Timestamp, at point: JoinPoint)

    /// What waited there of a stream (or with `nil` of every stream) up to a time has gone on.
    func goesOn(_ stream: StreamID?, upTo time: Timestamp, from point: JoinPoint)
}

/// Tells the edges with slots that something stands behind how far it has come.
struct FlightReports: Sendable {
    /// The number under which it reports.
    var reporter = 0

    /// Who is told; empty where nothing has slots, as in batch mode.
    var edges: [any FlightEdge] = []

    /// All of a stream (or with `nil` of every stream) up to and including `bound` has passed.
    func finished(_ stream: StreamID?, _ bound: Timestamp) {
        for edge in edges { edge.finished(stream, bound, by: reporter) }
    }

    /// A stream's end has passed.
    func ended(_ stream: StreamID) {
        for edge in edges { edge.ended(stream, by: reporter) }
    }

    /// Nothing will pass any more.
    func gone() {
        for edge in edges { edge.gone(reporter) }
    }
}

/// The end of a way whose frames go nowhere, or only over edges that drop: what has come here is finished.
final class ReportOutlet: AnyOutlet {
    private let reports: FlightReports

    init(_ reports: FlightReports) { self.reports = reports }

    var isReady: Bool { false }
    var wantsBounds: Bool { true }
    func bound(_ stream: StreamID?, _ time: Timestamp) { reports.finished(stream, time) }
    func receipt(_ stream: StreamID, _ time: Timestamp) { reports.finished(stream, time) }
    func end(_ stream: StreamID) { reports.ended(stream) }
    func offer() -> String? { nil }
    func discard() {}
    func finish() {}
    var isUnwanted: Bool { true }
}
