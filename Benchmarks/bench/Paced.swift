import Connectors
import Pipeline
import PipelineComponents
import PipelineConfiguration
import Stages
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Measures hands that arrive over ZeroMQ at an even pace, with their send times. The sink does not block, like `discard`, so the
/// engine calls it in the same way.
enum Paced {
    /// Measures a quantile of the latency, from sending a message until it reaches the sink, in nanoseconds.
    ///
    /// - Parameter arguments: The endpoint, the number of messages, the quantile from 0 to 1, and the number of initial messages
    ///   to ignore.
    static func measure(_ arguments: [String]) async throws -> Measured {
        let endpoint = arguments.first ?? ""
        let part = arguments.count > 2 ? Double(arguments[2]) ?? 0.5 : 0.5
        var registry = Registry.standard
        registry.add(ArrivalSink.self)
        let loaded = PipelineLoader(registry: registry).load(
            text: """
                version: 1
                name: paced
                sources:
                  - zmq: { bind: "\(endpoint)", socket: pull, kind: hands }
                sinks:
                  - arrivals

                """)
        guard let plan = loaded.plan else {
            throw PipelineError(
                .defect, "bench.configuration", loaded.diagnostics.map(\.message).joined(separator: "; "))
        }
        var options = Run.Options()
        options.limit = Int64(arguments.integer(1, 1000))
        let report = await Run(plan, options: options).finished()
        if let failure = report.failures.first { throw failure.error }
        let times = Arrivals.times.withLock { $0.dropFirst(arguments.integer(3, 0)).sorted() }
        guard let last = times.indices.last else { throw PipelineError(.frame, "bench.empty", "nothing was measured") }
        return Measured(
            nanoseconds: Double(times[Int(part * Double(last))]), items: times.count, check: Double(times.count))
    }
}

/// The latencies of the frames in this process, in nanoseconds, in order of arrival.
private enum Arrivals {
    static let times = Lock<[Int64]>([])
}

/// A sink that compares the timestamp of every frame with the clock.
private enum ArrivalSink: SinkComponent {
    typealias Options = NoOptions

    static let manifest = Manifest(
        name: "arrivals", summary: "Records the latencies of frames", example: "")

    static func accepts(_ options: Options) -> Acceptance { .one(of: [PortType(Hands.self)]) }

    static func make(_ options: Options, for input: PortType, _ context: BuildContext) throws -> any Sink { Noting() }

    private struct Noting: Sink {
        typealias Input = Hands

        let mayBlock = false

        mutating func write(_ frame: Frame<Hands>) {
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            let now = Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
            Arrivals.times.withLock { $0.append(now - frame.timestamp.rawValue * 1000) }
        }
    }
}
