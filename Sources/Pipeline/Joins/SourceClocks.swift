/// Asks the live sources upstream of a join for the time of their streams, and finds sources whose clocks disagree.
struct SourceClocks {
    let requests: TimeRequests
    /// The name of the node whose input is joined.
    let place: String
    let monitor: RunMonitor

    typealias Brings = (_ source: Int, _ stream: StreamID, _ arrival: Int64) -> Bool

    /// A function that returns whether a source may have produced a stream's frame with an arrival time: whether it has produced a
    /// stream of this name and had not ended it before. `nil` if this is not known, as in a batch run.
    var brings: Brings? {
        guard !requests.sources.isEmpty else { return nil }
        let sources = Dictionary(requests.sources.map { ($0.source.number, $0) }) { first, _ in first }
        return { sources[$0]?.hasProduced($1, since: $2) ?? false }
    }

    /// The streams for which watermarks were requested.
    private var asked: Set<StreamID> = []

    init(requests: TimeRequests, place: String, monitor: RunMonitor) {
        (self.requests, self.place, self.monitor) = (requests, place, monitor)
    }

    /// Whether a requested watermark may still be outstanding.
    var hasAsked: Bool { !asked.isEmpty }

    /// Asks the sources to announce a watermark when a stream has passed the time that its frames wait for. These requests replace
    /// the previous ones: a watermark that nothing waits for would make frames late.
    ///
    /// - Parameter until: Returns the time for which frames of a stream wait for a source, given the time in `waits`; `nil` if they do
    ///   not wait for the source.
    mutating func ask(
        for waits: [(StreamID, Timestamp)],
        until: (_ stream: StreamID, _ source: Int, _ time: Timestamp) -> Timestamp? = { $2 }
    ) {
        guard !requests.sources.isEmpty else { return }
        for (stream, time) in waits {
            requests.request(stream) { until(stream, $0, time) }
            asked.remove(stream)
        }
        for stream in asked { requests.request(stream) { _ in nil } }
        asked = Set(waits.lazy.map(\.0))
    }

    /// Releases a frame that waits for sources whose clocks are far behind, and logs once per stream which frames are lost.
    ///
    /// - Parameter goOn: Releases the frame, given the sources whose clocks are far behind and the other sources. It returns the
    ///   sources on both sides; `nil` if the frame waits for no source that is far behind.
    func passApart(_ stream: StreamID, _ time: Timestamp, goOn: (Set<Int>, Set<Int>) -> ClocksApart?) {
        var (behind, inStep): (Set<Int>, Set<Int>) = ([], [])
        var seconds: Int64 = 0
        for source in requests.sources {
            guard let wait = source.wait(for: stream, until: time) else { continue }
            if wait.isApart { behind.insert(source.source.number) } else { inStep.insert(source.source.number) }
            seconds = max(seconds, wait.seconds)
        }
        guard !behind.isEmpty, let apart = goOn(behind, inStep), monitor.noteClocksApart(of: stream) else { return }
        func names(_ sources: Set<Int>) -> String {
            requests.sources.filter { sources.contains($0.source.number) && $0.hasProduced(stream) }.map(\.source.name)
                .joined(separator: ", ")
        }
        monitor.log.about(place)(
            .warning,
            """
            \(names(apart.ahead)) and \(names(apart.behind)) both produce the stream "\(stream.name.shown)", with clocks that are \
            \(seconds) s apart: the frames of \(names(apart.losing)) are dropped as \(apart.reason.rawValue); rename the stream \
            with map_stream after one of them
            """)
    }
}
