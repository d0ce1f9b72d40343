import Pipeline
import Stages

/// A chain of stages that do nothing, composed from YAML, with strokes of 64 points.
enum Chain {
    /// Arguments: how many stages, how many frames. Nanoseconds a frame, source, edge and sink included.
    static func measure(_ arguments: [String]) async throws -> Measured {
        let stages = arguments.integer(0, 10)
        let frames = arguments.integer(1, 1_000_000)
        let list = (1...max(1, stages)).map { "  - pass: { id: pass\($0) }" }.joined(separator: "\n")
        var registry = Registry()
        registry.add(StrokeSource.self)
        registry.add(PassStage.self)
        registry.add(CountingSink.self)
        let loaded = PipelineLoader(registry: registry).load(
            text: """
                version: 1
                name: chain
                sources:
                  - strokes: { count: \(frames) }
                stages:
                \(list)
                sinks:
                  - count

                """)
        guard let plan = loaded.plan else {
            throw PipelineError(
                .defect, "bench.configuration", loaded.diagnostics.map(\.message).joined(separator: "; "))
        }
        let time = try await plan.nanosecondsPerFrame(frames)
        return Measured(nanoseconds: time, items: frames, check: 64)
    }
}
