import Pipeline
import Stages

/// Brings the same payloads over and over, as fast as they are taken.
struct Repeating<Output: Payload>: Source {
    /// What is brought, in turn.
    let payloads: [Output]

    /// How many frames come in all.
    let count: Int

    /// How many frames come at a time.
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

/// Brings the same stroke of 64 points over and over, as fast as it is taken.
struct RepeatingStroke: Source {
    let count: Int
    let size: Int
    private let stroke = StrokeSource.stroke
    private var made = 0

    /// Brings `count` frames, `size` at a time.
    init(count: Int, size: Int = 64) {
        self.count = count
        self.size = size
    }

    nonisolated(nonsending) mutating func read(into batch: inout SourceBatch<Stroke>) async throws -> Bool {
        let end = min(made + size, count)
        while made < end {
            batch.append(
                Frame(stroke, at: .microseconds(Int64(made)), stream: "pen/1", sequence: Int64(made)))
            made += 1
        }
        return made < count
    }
}

/// Brings the same stroke of 64 points over and over, in a configuration.
enum StrokeSource: SourceComponent {
    struct Options: ComponentOptions {
        var count = 1
        static var options: [Option<Options>] {
            Option("count", \.count, in: 0...1_000_000_000, "How many frames come.")
        }
    }

    static let manifest = Manifest(
        name: "strokes", summary: "The same stroke over and over", makes: "stroke", example: "")

    static func make(_ options: Options, _ context: BuildContext) throws -> any Source {
        RepeatingStroke(count: options.count)
    }

    static let stroke = Stroke(samples: (0..<64).map { Sample(x: Double($0), y: Double($0 * $0)) })
}

/// Passes every frame on.
struct Pass<Payload: Pipeline.Payload>: Stage {
    @inline(__always)
    mutating func process(_ frame: Frame<Payload>, into emitter: borrowing Emitter<Payload>) {
        emitter.forward()
    }
}

/// Passes every stroke on, in a configuration.
enum PassStage: StageComponent {
    struct Options: ComponentOptions { static var options: [Option<Options>] { [] } }

    static let manifest = Manifest(
        name: "pass", summary: "Passes every frame on", takes: "stroke", makes: "stroke", isPure: true, example: "")

    static func accepts(_ options: Options) -> Acceptance { .any }

    static func make(_ options: Options, for input: PortType, _ context: BuildContext) throws -> any Stage {
        open(input.payload)
    }

    private static func open<P: Payload>(_ payload: P.Type) -> any Stage { Pass<P>() }
}

/// Counts points, in the task of the stage before it.
struct Counting<Input: Payload>: Sink {
    let mayBlock = false
    mutating func write(_ frame: Frame<Input>) {}
}

/// Counts points, in a configuration.
enum CountingSink: SinkComponent {
    struct Options: ComponentOptions { static var options: [Option<Options>] { [] } }

    static let manifest = Manifest(name: "count", summary: "Counts frames", takes: "stroke", example: "")

    static func accepts(_ options: Options) -> Acceptance { .one(of: [PortType(Stroke.self)]) }

    static func make(_ options: Options, for input: PortType, _ context: BuildContext) throws -> any Sink {
        Counting<Stroke>()
    }
}

extension Plan {
    /// Runs the plan and returns nanoseconds a frame of its source.
    ///
    /// - Throws: The first failure.
    func nanosecondsPerFrame(_ frames: Int) async throws -> Double {
        let report = await Run(self).finished()
        if let failure = report.failures.first { throw failure.error }
        guard report.violations.isEmpty else { throw PipelineError(.defect, "bench.ledger", "\(report.violations)") }
        return Double(report.duration) / Double(frames)
    }

    /// Runs the plan and returns the processor time it took, in nanoseconds.
    ///
    /// - Throws: The first failure.
    func processorTime() async throws -> Double {
        let clock = Stopwatch(.processor)
        _ = try await nanosecondsPerFrame(1)
        return clock.nanoseconds
    }
}
