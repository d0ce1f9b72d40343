import Pipeline
import Synchronization

/// Checks a sink against the promises that all sinks make.
public struct SinkConformance<S: Sink> {
    private let sink: S
    private let typical: [S.Input]
    private let hostile: [S.Input]

    /// Creates the suite for a sink.
    public init(_ sink: S) where S.Input: ConformancePayload {
        self.init(sink, typical: (0..<20).map { S.Input.typical($0) }, hostile: S.Input.hostile)
    }

    /// Creates the suite for a sink, with payloads to write.
    public init(_ sink: S, typical: [S.Input], hostile: [S.Input]) {
        self.sink = sink
        self.typical = typical
        self.hostile = hostile
    }

    /// Returns all promises that the sink breaks.
    public func violations() async -> [Violation] {
        let count = typical.count
        let frames = (typical + hostile).enumerated().map { index, payload in
            Frame(payload, at: .milliseconds(Int64(index)), stream: "sink", sequence: Int64(index))
        }
        var plan = Plan.building()
        plan.add("source", source: FramesSource(frames, batchSize: 3))
        plan.add("sink", sink: sink, onError: .skip)
        plan.shutdownTimeoutMs = 30_000
        let pauses = Lock<[String]>([])
        var options = Run.Options()
        options.log = Log { line in
            if line.text.contains("tries again after a pause") { pauses.withLock { $0.append(line.text) } }
        }
        let run = Run(plan, options: options)
        run.start()
        // A sink without a peer can wait for as long as the run continues, even during `open`. It must end when the run is stopped.
        let clock = SystemClock()
        let deadline = clock.now + 60_000_000_000
        while run.ledger.nodes[0].emitted < Int64(frames.count), !run.hasEnded, clock.now < deadline {
            try? await clock.sleep(until: clock.now + 1_000_000)
        }
        run.stop()
        let report = await run.finished()
        let unsent = report.ledger.nodes.last?.dropped["no_peer"] ?? 0
        var found = report.violations.map { Violation("ledger_balances", $0) }
        // A payload must not cause an environment error, which ends the run or pauses the sink.
        let ends = report.failures.map(\.error.description) + pauses.withLock { $0 }
        found += ends.map { Violation("bad_frame_does_not_end_run", $0) }
        if unsent == 0 {
            found += report.notEnded.map { Violation("ends_when_its_input_ends", "\($0) had not ended") }
        }
        let waitsForPeers = report.ledger.nodes[0].emitted == 0
        if let node = report.ledger.nodes.last, !waitsForPeers, node.passed + unsent < Int64(count) {
            found.append(Violation("writes_typical_frames", "\(node.passed) of \(count) typical frames were written"))
        }
        return found
    }
}
