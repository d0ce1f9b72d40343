import Pipeline

/// Runs one stage on frames and returns all results.
///
/// ```swift
/// let result = await StageHarness(Resample(points: 16)).run([stroke])
/// #expect(result.payloads[0].samples.count == 16)
/// ```
public struct StageHarness<S: Stage>: Sendable {
    /// The results of a run.
    public struct Result: Sendable {
        /// The output frames of the stage, in order.
        public let frames: [Frame<S.Output>]

        /// The errors of the stage, with the frames that it rejected.
        public let errors: [FailedFrame]

        /// The frames that the stage dropped, in order.
        public let drops: [DropRecord]

        /// The report of the whole run.
        public let report: RunReport

        /// The output payloads of the stage.
        public var payloads: [S.Output] { frames.map(\.payload) }

        /// The ledger of the stage.
        public var ledger: Ledger.Node { report.ledger.nodes[1] }
    }

    private let stage: S

    /// Creates a harness for a stage.
    public init(_ stage: S) { self.stage = stage }

    /// Runs the stage on payloads one millisecond apart, in one stream.
    public func run(_ payloads: [S.Input]) async -> Result {
        await run(
            payloads.enumerated().map {
                Frame($1, at: .milliseconds(Int64($0)), stream: "test", sequence: Int64($0))
            })
    }

    /// Runs the stage on frames.
    ///
    /// - Parameters:
    ///   - frames: The input, in the order of arrival.
    ///   - batchSize: The number of frames in a batch.
    public func run(_ frames: [Frame<S.Input>], batchSize: Int = .max) async -> Result {
        await run(items: frames.map { .frame($0) }, batchSize: batchSize)
    }

    /// Runs the stage on frames and any other items that a source can emit.
    public func run(items: [FramesSource<S.Input>.Item], batchSize: Int = .max) async -> Result {
        let (out, errors) = (Collector<S.Output>(), Collector<FailedFrame>())
        var plan = Plan.building()
        plan.add("source", source: FramesSource(items: items, batchSize: batchSize), onError: .skip)
        plan.add("stage", stage: stage, onError: .route)
        plan.add("out", sink: out.sink())
        plan.add("errors", sink: errors.sink(), from: ["stage.errors"])
        let drops = DropLog()
        var options = Run.Options()
        options.onDrop = { drops.add($0) }
        let report = await Run(plan, options: options).finished()
        return Result(
            frames: out.frames, errors: errors.frames.map(\.payload), drops: drops.records, report: report)
    }
}
