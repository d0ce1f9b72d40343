import Pipeline
import PipelineTesting
import Synchronization
import Testing

@testable import Connectors
@testable import Stages

/// Returns a line of a recording: a stroke of one point, with its arrival time in microseconds, if any.
func strokeLine(_ number: Int, at time: Int, received: Int?, stream: String = "pen", sequence: Int? = nil) -> String {
    let receipt = received.map { ",\"recv_us\":\($0)" } ?? ""
    return
        "{\"v\":1,\"kind\":\"stroke\",\"stream\":\"\(stream)\",\"seq\":\(sequence ?? number),\"t_us\":\(time)\(receipt),"
        + "\"fields\":\"xy\",\"pts\":[\(number),0]}\n"
}

/// A live source that a recording replaces. It must never be opened.
struct OutsideSource<Output: Payload>: Source {
    let timing = SourceTiming.live

    mutating func open(_ context: SourceContext) async throws {
        throw PipelineError.environment("test.outside", "a simulation must not open it")
    }

    mutating func read(into batch: inout SourceBatch<Output>) async throws -> Bool { false }
}

/// A sink that must never be opened.
struct OutsideSink<Input: Payload>: Sink {
    mutating func open(_ context: SinkContext) async throws {
        throw PipelineError.environment("test.outside", "a simulation must not open it")
    }

    mutating func write(_ frame: Frame<Input>) {}
}

/// Passes every frame on.
struct PassOn<P: Payload>: Stage {
    mutating func process(_ payload: P, _ header: borrowing Header, into emitter: borrowing Emitter<P>) {
        emitter.emit(payload)
    }
}

/// The outcome of a simulation.
struct SimulatedRun {
    let report: RunReport
    let frames: [Frame<Stroke>]
    let drops: [DropRecord]
    /// The ages of the delivered frames, in nanoseconds.
    let ages: [Int64]
}

extension Plan {
    /// Returns the live plan `pen → work → out`, with one frame in flight and one waiting frame.
    static func livePen(_ policy: EdgePolicy = EdgePolicy(capacity: 1, onFull: .dropOldest, inFlight: 1)) -> Plan {
        var plan = Plan.building(mode: .live)
        plan.add("pen", source: OutsideSource<Stroke>(), rules: .init(onDisorder: .drop), onError: .skip)
        plan.add("work", stage: PassOn<Stroke>(), policy: policy)
        plan.add("out", sink: OutsideSink<Stroke>())
        return plan
    }
}

extension Simulation {
    /// Runs the simulation with sinks that keep what the node `out` receives.
    func run() async -> SimulatedRun {
        let ages = Lock<[Int64]>([])
        let frames = Lock<[Frame<Stroke>]>([])
        var options = options()
        let clock = options.clock
        let drops = DropLog()
        options.onDrop = { drops.add($0) }
        let watched = plan.replacingSinks { node, _ in
            guard node.id == "out" else { return nil }
            return CallingSink<Stroke> { frame in
                frames.withLock { $0.append(frame) }
                ages.withLock { $0.append(clock.now - frame.arrival) }
            }
        }
        let report = await Run(watched, options: options).finished()
        return SimulatedRun(
            report: report, frames: frames.withLock { $0 }, drops: drops.records, ages: ages.withLock { $0 })
    }
}

private struct CallingSink<Input: Payload>: Sink {
    let mayBlock = true
    let body: @Sendable (Frame<Input>) -> Void

    mutating func write(_ frame: Frame<Input>) { body(frame) }
}
