import Pipeline
import PipelineComponents
import Stages

/// A source that repeats the same payloads as fast as they are consumed.
struct Repeating<Output: Payload>: Source {
    /// The payloads, which are emitted in turn.
    let payloads: [Output]

    /// The total number of frames.
    let count: Int

    /// The number of frames per batch.
    var batch = 64

    private var made = 0

    init(_ payloads: [Output], count: Int, batch: Int = 64) {
        self.payloads = payloads
        self.count = count
        self.batch = batch
    }

    nonisolated(nonsending) mutating func read(into batch: inout SourceBatch<Output>) async throws -> Bool {
        var room = self.batch
        while room > 0, made < count {
            batch.append(
                Frame(
                    payloads[made % payloads.count], at: .microseconds(Int64(made)), stream: "pen/1",
                    sequence: Int64(made)))
            made += 1
            room -= 1
        }
        return made < count
    }
}

/// A source that repeats the same stroke of 64 points as fast as it is consumed.
struct RepeatingStroke: Source {
    let count: Int
    let size: Int
    private let stroke = StrokeSource.stroke
    private let streams: [StreamID]
    private var made = 0
    private var turn = 0

    /// Creates a source of `count` frames, in batches of `size`, from `streams` streams in turn.
    init(count: Int, size: Int = 64, streams: Int = 1) {
        self.count = count
        self.size = size
        self.streams = (0..<max(1, streams)).map { StreamID("pen/\($0 + 1)") }
    }

    nonisolated(nonsending) mutating func read(into batch: inout SourceBatch<Stroke>) async throws -> Bool {
        let end = min(made + size, count)
        while made < end {
            batch.append(
                Frame(stroke, at: .microseconds(Int64(made)), stream: streams[turn], sequence: Int64(made)))
            made += 1
            turn = turn + 1 == streams.count ? 0 : turn + 1
        }
        return made < count
    }
}

/// The component for ``RepeatingStroke`` in a configuration.
enum StrokeSource: SourceComponent {
    struct Options: ComponentOptions {
        @Option("Number of frames.", in: 0...1_000_000_000) var count = 1
        @Option("Number of streams, which take turns.", in: 1...1_000_000) var streams = 1
    }

    static let manifest = Manifest(
        name: "strokes", summary: "Repeats the same stroke", example: "")

    static let makes = Production.of(Stroke.self)

    static func make(_ options: Options, _ context: BuildContext) throws -> any Source {
        RepeatingStroke(count: options.count, streams: options.streams)
    }

    static let stroke = Stroke(samples: (0..<64).map { Sample(x: Double($0), y: Double($0 * $0)) })
}

/// A stage that emits every stroke.
struct EmitStroke: Stage {
    @inline(__always)
    mutating func process(
        _ stroke: borrowing Stroke, _ header: borrowing Header, into emitter: borrowing Emitter<Stroke>
    ) {
        emitter.emit(stroke)
    }
}

/// A stage that emits every payload, of any type.
struct Emit<Value: Payload>: Stage {
    @inline(__always)
    mutating func process(
        _ payload: borrowing Value, _ header: borrowing Header, into emitter: borrowing Emitter<Value>
    ) {
        emitter.emit(payload)
    }
}

/// A stage that copies the points of a stroke, shifted, into its own memory and emits the copy. It reuses the memory.
struct Fill: Stage {
    private var memory = [Sample](repeating: Sample(x: 0, y: 0), count: 64)

    mutating func process(_ stroke: Stroke, _ header: borrowing Header, into emitter: borrowing Emitter<Stroke>) {
        let samples = stroke.samples
        guard samples.count == memory.count else { return }
        for index in memory.indices {
            memory[index].x = samples[index].x + 1
            memory[index].y = samples[index].y
        }
        emitter.emit(Stroke(samples: memory))
    }
}

/// The component for a stage that emits strokes in one of several ways.
enum EmitStage: StageComponent {
    struct Options: ComponentOptions {
        enum How: String, OptionChoice {
            /// A stage for strokes only.
            case concrete
            /// A generic stage, specialized for the payload that arrives.
            case generic
            /// A stage that fills its own memory; see ``Fill``.
            case fill
        }

        @Option("How the stage emits.") var how = How.concrete
    }

    static let manifest = Manifest(
        name: "emit", summary: "Emits every stroke", isPure: true, example: "")

    static let makes = Production.same

    static func accepts(_ options: Options) -> Acceptance { .any }

    static func make(_ options: Options, for input: PortType, _ context: BuildContext) throws -> any Stage {
        switch options.how {
        case .concrete: return EmitStroke()
        case .generic: return open(input.payload)
        case .fill: return Fill()
        }
    }

    private static func open<P: Payload>(_ payload: P.Type) -> any Stage { Emit<P>() }
}

/// A sink that discards its frames, in the task of the previous stage. The report of the run has their number.
struct Counting<Input: Payload>: Sink {
    let mayBlock = false
    mutating func write(_ frame: Frame<Input>) {}
}

/// The component for ``Counting`` in a configuration.
enum CountingSink: SinkComponent {
    typealias Options = NoOptions

    static let manifest = Manifest(name: "count", summary: "Counts frames", example: "")

    static func accepts(_ options: Options) -> Acceptance { .one(of: [PortType(Stroke.self)]) }

    static func make(_ options: Options, for input: PortType, _ context: BuildContext) throws -> any Sink {
        Counting<Stroke>()
    }
}

extension Plan {
    /// Runs the plan and returns the nanoseconds per frame of its source.
    ///
    /// - Throws: The first failure.
    func nanosecondsPerFrame(_ frames: Int) async throws -> Double {
        let report = await Run(self).finished()
        if let failure = report.failures.first { throw failure.error }
        guard report.violations.isEmpty else { throw PipelineError(.defect, "bench.ledger", "\(report.violations)") }
        return Double(report.duration) / Double(frames)
    }

    /// Runs the plan and returns the processor time that it took, in nanoseconds.
    ///
    /// - Throws: The first failure.
    func processorTime() async throws -> Double {
        let clock = Stopwatch(.processor)
        _ = try await nanosecondsPerFrame(1)
        return clock.nanoseconds
    }
}
