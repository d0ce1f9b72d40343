import Pipeline
import PipelineComponents
import PipelineConfiguration
import Stages

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Measures a chain of stages that emit strokes of 64 points, composed from YAML.
enum Chain {
    /// Measures the nanoseconds per frame of the additional stages of a chain: the time of a chain with `1 + stages` stages minus
    /// the time of a chain with one stage. The costs of the source, the edge and the sink cancel out.
    ///
    /// Both chains run alternately in one process, and the fastest round of each counts. Processor time is measured: wall-clock
    /// time would include other processes, and would leave out what the stages do while the source is busy on its own thread.
    /// `run.py` gives the process one core.
    ///
    /// - Parameter arguments: The frames per round, the rounds, how a stage emits (see ``EmitStage``), the streams, and the number
    ///   of measured stages (ten by default).
    static func measure(_ arguments: [String]) async throws -> Measured {
        let frames = arguments.integer(0, 100_000)
        let rounds = arguments.integer(1, 25)
        let how = arguments.count > 2 ? arguments[2] : "concrete"
        let streams = arguments.integer(3, 1)
        let stages = arguments.integer(4, 10)
        func plan(_ stages: Int) throws -> Plan { try Self.plan(stages: stages, how, frames, streams: streams) }
        let (short, long) = (try plan(1), try plan(1 + stages))
        var (quickestShort, quickestLong) = (Double.infinity, Double.infinity)
        for _ in 0..<rounds {
            quickestShort = min(quickestShort, try await processorTime(short, frames))
            quickestLong = min(quickestLong, try await processorTime(long, frames))
        }
        let difference = quickestLong - quickestShort
        guard difference > 0 else {
            throw PipelineError(
                .frame, "bench.noise", "more stages took no more time than one: the machine is too busy to measure")
        }
        return Measured(nanoseconds: difference, items: frames * rounds, check: 64)
    }

    private static func plan(stages: Int, _ how: String, _ frames: Int, streams: Int) throws -> Plan {
        let list = (1...stages).map { "  - emit: { id: emit\($0), how: \(how) }" }.joined(separator: "\n")
        var registry = Registry()
        registry.add(StrokeSource.self)
        registry.add(EmitStage.self)
        registry.add(CountingSink.self)
        let loaded = PipelineLoader(registry: registry).load(
            text: """
                version: 1
                name: chain
                sources:
                  - strokes: { count: \(frames), streams: \(streams) }
                stages:
                \(list)
                sinks:
                  - count

                """)
        guard let plan = loaded.plan else {
            throw PipelineError(
                .defect, "bench.configuration", loaded.diagnostics.map(\.message).joined(separator: "; "))
        }
        return plan
    }

    /// Returns the processor time of a run, in nanoseconds per frame.
    private static func processorTime(_ plan: Plan, _ frames: Int) async throws -> Double {
        let began = processorNanoseconds()
        _ = try await plan.nanosecondsPerFrame(frames)
        return (processorNanoseconds() - began) / Double(frames)
    }

    private static func processorNanoseconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}
