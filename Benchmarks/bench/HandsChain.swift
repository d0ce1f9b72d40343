import Connectors
import Pipeline
import PipelineComponents
import PipelineConfiguration
import Stages

/// Measures a pipeline for hands of 21 points, composed from YAML: `track`, and `each` with the stages that recognize gestures.
enum HandsChain {
    /// The stages that each hand passes through, in order.
    private static let inner = [
        "gate: { landmarks: { threshold: 0.3 } }", "smooth: { min_cutoff_hz: 1.2, beta: 0.3 }",
        "recognize_hand: { canned: { score_threshold: 0.5 } }", "debounce: { hold_ms: 120, once: true }",
    ]

    /// Measures the nanoseconds per frame that stages add to a pipeline: the time of the measured pipeline, which has more of the
    /// five stages, minus the time of the base pipeline.
    ///
    /// - Parameter arguments: The frames per round, the number of stages in the base pipeline, the number of stages in the measured
    ///   pipeline, the hands per frame, and the rounds.
    static func measure(_ arguments: [String]) async throws -> Measured {
        let frames = arguments.integer(0, 100_000)
        let rounds = max(1, arguments.integer(4, 5))
        let film = try await film(hands: arguments.integer(3, 1))
        func showing(_ stages: Int) throws -> Plan {
            try plan(stages: stages).replacing("camera", source: FilmedHands(film: film, count: frames))
        }
        let (without, with) = (try showing(arguments.integer(1, 0)), try showing(arguments.integer(2, inner.count + 1)))
        // The pipelines run alternately, and the fastest round of each counts, so that a busy machine disturbs both equally.
        var (base, time) = (Double.infinity, Double.infinity)
        for _ in 0..<rounds {
            base = min(base, try await without.processorTime())
            time = min(time, try await with.processorTime())
        }
        return Measured(nanoseconds: (time - base) / Double(frames), items: frames * rounds, check: 0)
    }

    private static func plan(stages count: Int) throws -> Plan {
        var stages = count > 0 ? ["  - track"] : ["  - tap: { id: none }"]
        if count > 1 {
            stages.append("  - each:\n      stages:")
            stages += inner.prefix(count - 1).map { "        - \($0)" }
        }
        var registry = Registry.standard
        registry.add(CountingAnySink.self)
        let loaded = PipelineLoader(registry: registry).load(
            text: """
                version: 1
                name: hands
                sources:
                  - synthetic: { id: camera, kind: hands }
                stages:
                \(stages.joined(separator: "\n"))
                sinks:
                  - count

                """)
        guard let plan = loaded.plan else {
            throw PipelineError(
                .defect, "bench.configuration", loaded.diagnostics.map(\.message).joined(separator: "; "))
        }
        return plan
    }

    /// Returns the frames of four seconds of hands that show gestures.
    private static func film(hands: Int) async throws -> [Hands] {
        let loaded = PipelineLoader(registry: .standard).load(
            text: """
                version: 1
                sources:
                  - synthetic: { id: camera, kind: hands, hands: \(hands), count: 4 }
                sinks:
                  - "null"

                """)
        guard let plan = loaded.plan else { throw PipelineError(.defect, "bench.configuration", "no film") }
        var film: [Hands] = []
        for try await frame in try Run(plan).results(of: "camera", as: Hands.self) { film.append(frame.payload) }
        return film
    }
}

/// A source that plays a film forward and backward in a loop, at 30 frames per second of stream time, as fast as it is consumed.
private struct FilmedHands: Source {
    let film: [Hands]
    let count: Int
    private var made = 0

    init(film: [Hands], count: Int) {
        self.film = film
        self.count = count
    }

    nonisolated(nonsending) mutating func read(into batch: inout SourceBatch<Hands>) async throws -> Bool {
        let end = min(made + 64, count)
        let turn = max(1, 2 * film.count - 2)
        while made < end {
            let place = made % turn
            batch.append(
                Frame(
                    film[place < film.count ? place : turn - place], at: .microseconds(Int64(made) * 33_333),
                    stream: "camera/1", sequence: Int64(made)))
            made += 1
        }
        return made < count
    }
}

/// The component for a sink of frames of any kind, which runs in the task of the previous stage.
enum CountingAnySink: SinkComponent {
    typealias Options = NoOptions

    static let manifest = Manifest(name: "count", summary: "Counts frames", example: "")

    static func accepts(_ options: Options) -> Acceptance { .any }

    static func make(_ options: Options, for input: PortType, _ context: BuildContext) throws -> any Sink {
        open(input.payload)
    }

    private static func open<P: Payload>(_ payload: P.Type) -> any Sink { Counting<P>() }
}
