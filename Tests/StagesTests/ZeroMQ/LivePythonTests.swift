import Foundation
import Pipeline
import PipelineComponents
import PipelineTesting
import Synchronization
import Testing

@testable import Connectors
@testable import Stages

/// Is busy for five milliseconds for every frame, and records how long it really took, which is longer on a busy machine.
private struct FiveMilliseconds: Stage {
    let taken: Taken

    mutating func process(
        _ stroke: Stroke, _ header: borrowing Header, into emitter: borrowing Emitter<Stroke>
    ) {
        let begin = ContinuousClock.now
        while ContinuousClock.now < begin + .milliseconds(5) {}
        taken.add(ContinuousClock.now - begin)
        emitter.emit(stroke)
    }
}

/// The times that a stage has taken.
private final class Taken: Sendable {
    private let sum = Lock((time: Duration.zero, count: 0))

    /// The mean, in nanoseconds.
    var mean: Int64 {
        let (time, count) = sum.withLock { $0 }
        return Int64(time / .nanoseconds(1)) / Int64(max(1, count))
    }

    func add(_ time: Duration) {
        sum.withLock {
            $0.time += time
            $0.count += 1
        }
    }
}

@Suite(.enabled(if: PythonPeer.isThere, "scripts/peers makes the Python environment these tests need"))
struct LivePythonTests {
    private static let count = 3000

    private struct Live {
        let report: RunReport
        let frames: [Frame<Stroke>]
        let drops: [DropRecord]
        let refused: String?
    }

    /// Runs a Python publisher at 1 kHz that sends to a live pipeline whose stage takes 5 ms, and records its input.
    private func run(recording: String, _ taken: Taken) async throws -> Live {
        let log = LogLines()
        let kept = Collector<Stroke>()
        var zmq = ZMQSource.Options()
        zmq.socketOptions.bind = [try ZMQEndpoint("tcp://127.0.0.1:*")]
        zmq.ends = 1
        var file = FileSink.Options()
        file.path = OutputPath(recording)
        var plan = Plan.building(mode: .live)
        plan.add("pen", source: try ZMQSource.make(zmq, BuildContext(id: "pen", mode: .live)))
        plan.add(
            "work", stage: FiveMilliseconds(taken: taken),
            policy: EdgePolicy(capacity: 1, onFull: .dropOldest, inFlight: 1))
        plan.add("out", sink: kept.sink())
        plan.nodes.append(
            Plan.Node(
                id: "recorder", component: "file",
                body: .sink(
                    try FileSink.make(file, for: PortType(Stroke.self), BuildContext(id: "recorder", mode: .live))),
                input: PortType(Stroke.self),
                edges: [.init(from: 0, policy: EdgePolicy(capacity: 4096, onFull: .dropOldest), isExplicit: true)]))
        let drops = DropLog()
        var options = log.options
        options.onDrop = { drops.add($0) }
        let run = Run(plan, options: options)
        run.start()
        let peer = try PythonPeer("publish", "pub", await log.next("bound to "), "\(Self.count)")
        let refused = await peer.next("refused")
        return Live(
            report: await run.finished(), frames: kept.frames, drops: drops.records, refused: refused)
    }

    @Test(
        "Live run with a Python sender: at 1 kHz into a stage of 5 ms, the sender never waits, and a simulation drops as many frames within 5 %"
    )
    func live() async throws {
        let folder = try TemporaryFolder()
        let recording = "\(folder.path)/live.jsonl"
        let taken = Taken()
        let live = try await run(recording: recording, taken)
        #expect(live.refused == "0")
        #expect(live.report.failures.map(\.error.description) == [])
        #expect(live.report.violations == [])
        // The timestamps of the output increase, and every number that is missing in it is in the drop record exactly once.
        let sequences = live.frames.map(\.sequence)
        #expect(zip(live.frames, live.frames.dropFirst()).allSatisfy { $0.timestamp < $1.timestamp })
        let missing = live.drops.filter { $0.place != "pen → recorder" }.flatMap { drop in
            (0..<drop.count).map { drop.sequence + $0 }
        }
        #expect((sequences + missing).sorted() == (0..<Int64(Self.count)).map { $0 })
        // The frames dropped before a frame are in its gap.
        #expect(
            live.frames.reduce(0) { $0 + Int($1.gap) } + live.frames.count
                + missing.count { $0 > sequences.last ?? 0 } == Self.count)
        #expect(live.report.ledger.losses >= Int64(missing.count))

        let simulation = try Simulation(
            of: .livePen(), inputs: [.init(path: recording)], serviceTimes: ["work": taken.mean])
        let predicted = await simulation.run()
        #expect(predicted.report.isSuccess)
        let shares = [missing.count, predicted.drops.map(\.count).reduce(0) { $0 + Int($1) }].map {
            100 * Double($0) / Double(Self.count)
        }
        print("dropped live: \(shares[0]) %, simulated with \(taken.mean / 1000) µs a frame: \(shares[1]) %")
        #expect(abs(shares[0] - shares[1]) <= 5)
    }
}
