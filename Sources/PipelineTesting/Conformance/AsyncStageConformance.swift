import Pipeline

/// Checks an asynchronous stage against the promises that all asynchronous stages make.
public struct AsyncStageConformance<S: AsyncStage> {
    private let stage: S
    private let typical: [S.Input]
    private let hostile: [S.Input]

    /// Creates the suite for a stage.
    public init(_ stage: S) where S.Input: ConformancePayload {
        self.init(stage, typical: (0..<20).map { S.Input.typical($0) }, hostile: S.Input.hostile)
    }

    /// Creates the suite for a stage, with input payloads.
    public init(_ stage: S, typical: [S.Input], hostile: [S.Input]) {
        self.stage = stage
        self.typical = typical
        self.hostile = hostile
    }

    /// Returns all promises that the stage breaks. Services that the stage uses must be available.
    ///
    /// - Parameter timeoutMs: The time within which a run must end, in milliseconds of real time. A run that takes longer is told
    ///   to stop, and ended by force after the same time again.
    public func violations(timeoutMs: Int = 60_000) async -> [Violation] {
        let (report, outputs) = await run(typical + hostile, timeoutMs)
        var found = report.violations.map { Violation("ledger_balances", $0) }
        found += report.failures.map { Violation("bad_frame_does_not_end_run", $0.error.description) }
        found += report.notEnded.map { Violation("ends_when_its_input_ends", "\($0) had not ended") }
        if let node = report.ledger.nodes.first(where: { $0.id == "stage" }) {
            let ended = node.passed + node.absorbed + node.droppedTotal + node.failed
            if ended != Int64(typical.count + hostile.count) {
                found.append(Violation("every_frame_ends_once", "\(ended) of \(typical.count + hostile.count)"))
            }
            if node.passed + node.absorbed + node.droppedTotal < Int64(typical.count) {
                found.append(Violation("works_on_typical_frames", "\(node.failed) failed"))
            }
        }
        for (before, after) in zip(outputs, outputs.dropFirst()) where after.sequence < before.sequence {
            found.append(Violation("keeps_the_order", "frame \(after.sequence) came after frame \(before.sequence)"))
        }
        if !report.notEnded.isEmpty { return found }
        // Opened again for a second run, the stage must behave as in the first run.
        let (second, again) = await run(typical, timeoutMs)
        found += second.notEnded.map { Violation("ends_when_its_input_ends", "\($0) had not ended") }
        found += second.violations.map { Violation("ledger_balances", $0) }
        if again.map(\.sequence) != outputs.map(\.sequence).filter({ $0 < Int64(typical.count) }) {
            found.append(Violation("works_again_when_opened_again", "the second run emitted other frames"))
        }
        return found
    }

    private func run(_ payloads: [S.Input], _ timeoutMs: Int) async -> (RunReport, [Frame<S.Output>]) {
        let frames = payloads.enumerated().map { index, payload in
            Frame(payload, at: .milliseconds(Int64(index)), stream: "a", sequence: Int64(index))
        }
        let out = Collector<S.Output>()
        var plan = Plan.building()
        plan.add("source", source: FramesSource(frames, batchSize: 3))
        plan.add("stage", asyncStage: stage, onError: .skip)
        plan.add("out", sink: out.sink())
        plan.shutdownTimeoutMs = timeoutMs
        let run = Run(plan)
        run.start()
        let clock = SystemClock()
        let deadline = clock.now.addingSaturated(Int64(timeoutMs).multipliedSaturated(by: 1_000_000))
        while !run.hasEnded, clock.now < deadline { try? await clock.sleep(until: clock.now + 1_000_000) }
        run.stop()
        return (await run.finished(), out.frames)
    }
}
