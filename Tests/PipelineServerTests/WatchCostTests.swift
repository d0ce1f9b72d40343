import Pipeline
import PipelineTesting
import Synchronization
import Testing

@testable import PipelineServer

/// The machine's clock. Counts how often it was read.
private final class CountingClock: RunClock {
    private let clock = SystemClock()
    private let count = Atomic<Int>(0)

    var readings: Int { count.load(ordering: .relaxed) }

    var now: Int64 {
        count.add(1, ordering: .relaxed)
        return clock.now
    }

    func sleep(until deadline: Int64) async throws { try await clock.sleep(until: deadline) }
}

private struct Plain: Payload {
    static let kind: Kind = "plain"
    var number: Int
}

private struct Forward: Stage {
    mutating func process(
        _ payload: Plain, _ header: borrowing Header, into emitter: borrowing Emitter<Plain>
    ) {
        emitter.emit(payload)
    }
}

private struct Swallow: Sink {
    typealias Input = Plain

    mutating func write(_ frame: Frame<Plain>) {}
}

@Suite("Runs with a watch")
struct WatchCostTests {
    private static let frames = 64_000

    private func plan(_ sink: Swallow) -> Plan {
        var plan = Plan.building()
        plan.add(
            "numbers",
            source: FramesSource((0..<Self.frames).map { Frame(Plain(number: $0), at: Timestamp(rawValue: Int64($0))) })
        )
        for index in 1...4 { plan.add("stage-\(index)", stage: Forward()) }
        plan.add("out", sink: sink)
        return plan
    }

    private func readings(_ prepare: (Plan) -> RunWatch?) async -> Int {
        let (clock, plan) = (CountingClock(), plan(Swallow()))
        var options = Run.Options()
        options.clock = clock
        options.watch = prepare(plan)
        let report = await Run(plan, options: options).finished()
        #expect(report.isSuccess && report.ledger.nodes.last?.passed == Int64(Self.frames))
        return clock.readings
    }

    @Test("A run with a watch that nobody uses does not read the clock for every frame")
    func clock() async {
        let alone = await readings { _ in nil }
        let watched = await readings { RunWatch(nodes: $0.producers) {} }
        // How frames are divided into batches differs from run to run. One reading per frame would be 64,000 more.
        #expect(watched < alone + Self.frames / 20, "\(watched) readings, and \(alone) without")
    }

    @Test("A watch keeps the first frames of each node, exactly as many as are wanted")
    func wanted() async throws {
        let plan = plan(Swallow())
        let watch = RunWatch(nodes: plan.producers) {}
        let points = plan.producers.compactMap { watch.points[$0] }
        for (index, point) in points.enumerated() { point.want(index + 1) }
        var options = Run.Options()
        options.watch = watch
        _ = await Run(plan, options: options).finished()
        for (index, point) in points.enumerated() {
            let seen = point.take()
            #expect(seen.map { ($0.payload as? Plain)?.number } == (0...index).map { $0 }, "node \(index)")
            #expect(point.take().isEmpty)
        }
    }

    @Test("A watch lists the most recent streams, the newest first")
    func streams() async throws {
        var plan = Plan.building()
        let names = (0..<300).map { StreamID("s\($0)") }
        let frames = (0..<3000).map {
            Frame(
                Plain(number: $0), at: Timestamp(rawValue: Int64($0)), stream: names[$0 / 10], sequence: Int64($0 % 10))
        }
        plan.add("numbers", source: FramesSource(frames))
        plan.add("out", sink: Swallow())
        let watch = RunWatch(nodes: plan.producers) {}
        var options = Run.Options()
        options.watch = watch
        _ = await Run(plan, options: options).finished()
        let seen = try #require(plan.producers.first.flatMap { watch.points[$0] }).recentStreams(100)
        #expect(seen.map(\.stream) == names.suffix(100).reversed())
        #expect(seen.allSatisfy { $0.sequence == 9 })
        #expect(seen.first?.timestamp.rawValue == 2999 && seen.last?.timestamp.rawValue == 2009)
    }
}
