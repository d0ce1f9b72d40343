import Pipeline

/// Holds a sink to what every sink promises.
public struct SinkConformance<S: Sink> where S.Input: ConformancePayload {
    private let sink: S

    /// Prepares the suite for a sink.
    public init(_ sink: S) { self.sink = sink }

    /// All promises that the sink breaks.
    public func violations() async -> [Violation] {
        let count = 20
        let typical = (0..<count).map { index in
            Frame(S.Input.typical(index), at: .milliseconds(Int64(index)), stream: "sink", sequence: Int64(index))
        }
        let hostile = S.Input.hostile.enumerated().map { index, payload in
            Frame(payload, at: .milliseconds(Int64(count + index)), stream: "sink", sequence: Int64(count + index))
        }
        var plan = Plan.building()
        plan.add("source", source: FramesSource(typical + hostile, batchSize: 3))
        plan.add("sink", sink: sink, onError: .skip)
        let report = await Run(plan).finished()
        var found = report.violations.map { Violation("the_account_closes", $0) }
        found += report.failures.map { Violation("a_bad_frame_is_no_end", $0.error.description) }
        found += report.notEnded.map { Violation("ends_when_its_input_ends", "\($0) had not ended") }
        if let node = report.ledger.nodes.last, node.passed < Int64(count) {
            found.append(Violation("writes_what_it_is_given", "\(node.passed) of \(count) typical frames were written"))
        }
        return found
    }
}
