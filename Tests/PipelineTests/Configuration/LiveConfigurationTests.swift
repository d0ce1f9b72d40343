import PipelineTesting
import Testing

@testable import Pipeline
@testable import PipelineComponents
@testable import PipelineConfiguration

/// The effects of live mode in a configuration.
@Suite("Live configurations")
struct LiveConfigurationTests {
    private func plan(_ text: String) throws -> Plan {
        let loaded = PipelineLoader(registry: .small).load(text: "version: 1\nmode: live\n" + text)
        return try #require(loaded.plan, "\(loaded.diagnostics.map(\.message))")
    }

    private func policy(_ plan: Plan, into id: String) throws -> EdgePolicy {
        try #require(plan.nodes.first { $0.id == id }?.edges.first).policy
    }

    @Test("Live mode: edges from sources drop frames while stages are busy, and no source waits")
    func defaults() throws {
        let plan = try plan(
            """
            sources: [camera, pieces]
            stages: [scale: { from: camera }, scale: { id: next }, tap: { from: pieces }]
            sinks: [print: { from: next }, print: { id: all, from: camera }]
            """)
        #expect(try policy(plan, into: "scale") == EdgePolicy(capacity: 1, onFull: .dropOldest, inFlight: 1))
        #expect(try policy(plan, into: "next") == EdgePolicy())
        #expect(try policy(plan, into: "tap") == EdgePolicy(capacity: 4096, onFull: .dropNewest))
        #expect(try policy(plan, into: "all") == EdgePolicy(capacity: 4096, onFull: .dropOldest))
        #expect(plan.nodes.allSatisfy { $0.onError == .skip })
        #expect(plan.latenessMs == 50 && plan.onLate == .drop)
    }

    @Test("Live mode: the top-level live key sets the default, and an edge overrides it")
    func overrides() throws {
        let plan = try plan(
            """
            live: { in_flight: 3, capacity: 2, on_full: drop_newest, timeout_ms: 250 }
            lateness_ms: 20
            on_late: fail
            sources: [camera]
            stages:
              - scale
              - scale: { id: own, from: { id: camera, in_flight: 1, capacity: 0 } }
              - scale: { id: inner, from: { id: scale, in_flight: 2 } }
            sinks: [print: { from: [own, inner] }]
            """)
        #expect(
            try policy(plan, into: "scale")
                == EdgePolicy(capacity: 2, onFull: .dropNewest, inFlight: 3, timeoutMs: 250))
        #expect(
            try policy(plan, into: "own") == EdgePolicy(capacity: 0, onFull: .dropNewest, inFlight: 1, timeoutMs: 250))
        #expect(try policy(plan, into: "inner") == EdgePolicy(inFlight: 2))
        #expect(plan.latenessMs == 20 && plan.onLate == .fail)
    }

    @Test("Live mode: an edge with capacity 0 passes frames only if it limits the frames in flight")
    func noCapacity() throws {
        let loaded = PipelineLoader(registry: .small).load(
            text: """
                version: 1
                mode: live
                sources: [camera, pieces]
                stages: [scale: { from: { id: camera, capacity: 0 } }, tap: { from: { id: pieces, capacity: 0 } }]
                sinks: [print: { from: scale }, print: { id: all, from: { id: camera, capacity: 0 } }]
                """)
        let found = loaded.diagnostics.filter { $0.code == "graph.no_capacity" }
        #expect(found.compactMap(\.span?.start.line) == [4, 5])
    }

    @Test("Live mode: an edge to a sink that could block another sink drops, unless it is told to wait")
    func sinks() throws {
        let plan = try plan(
            """
            sources: [camera]
            stages: [scale, scale: { id: other }, scale: { id: apart, from: { id: camera, on_full: drop_newest } }]
            sinks:
              - print: { from: scale }
              - print: { id: second, from: { id: other, capacity: 8 } }
              - print: { id: told, from: { id: other, on_full: wait } }
              - print: { id: alone, from: apart }
            """)
        let drops = EdgePolicy(capacity: 4096, onFull: .dropOldest)
        #expect(try policy(plan, into: "print") == drops)
        #expect(try policy(plan, into: "second") == EdgePolicy(capacity: 8, onFull: .dropOldest))
        #expect(try policy(plan, into: "told") == EdgePolicy())
        #expect(try policy(plan, into: "alone") == EdgePolicy())
    }

    @Test("Live mode: a stuck sink costs another sink no frame", arguments: ["first", "second"])
    func stuckSink(stuck: String) async throws {
        var plan = try plan(
            """
            shutdown_timeout_ms: 100
            sources: [camera]
            stages: [scale: { factor: 1 }]
            sinks: [print: { id: first }, print: { id: second }]
            """)
        let events = (0..<500).map { number in
            TimelineSource<Number>.Event(
                at: Int64(number) * 1000,
                Frame(Number(value: Double(number)), at: .milliseconds(Int64(number)), stream: "a"))
        }
        let outs = [Collector<Number>(), Collector<Number>()]
        plan.nodes[0].body = .source(TimelineSource(events), .init(onDisorder: .drop))
        plan.nodes[2].body = .sink(outs[0].sink(mayBlock: true))
        plan.nodes[3].body = .sink(outs[1].sink(mayBlock: true))
        var options = Run.Options()
        options.clock = VirtualClock()
        options.serviceTimes = [stuck: 1_000_000_000_000]
        options.durationMs = 600
        let report = await Run(plan, options: options).finished()
        #expect(outs[stuck == "first" ? 1 : 0].frames.map { Int($0.payload.value) } == Array(0..<500))
        #expect(report.notEnded == [stuck])
        #expect(report.failures.isEmpty)
    }

    @Test("Live mode: the golden vectors, from YAML to the ledger, in virtual time", arguments: FlightStateTests.golden)
    func golden(golden: FlightStateTests.Golden) async throws {
        var plan = try plan(
            """
            live:
              in_flight: \(golden.policy.inFlight ?? 1)
              capacity: \(golden.policy.capacity)
              on_full: \(golden.policy.onFull.rawValue)
            sources: [camera]
            stages: [scale: { factor: 1 }]
            sinks: [print]
            """)
        let moments = [0] + (0...8).flatMap { [10 * $0 + 5, 10 * $0 + 10] }
        let events = moments.map { moment in
            TimelineSource<Number>.Event(
                at: max(0, Int64(moment) * 1000 - 500),
                Frame(Number(value: Double(moment)), at: .milliseconds(Int64(moment)), stream: "a"))
        }
        let out = Collector<Number>()
        plan.nodes[0].body = .source(TimelineSource(events), .init(onDisorder: .drop))
        plan.nodes[2].body = .sink(out.sink())
        var options = Run.Options()
        options.clock = VirtualClock()
        options.serviceTimes = ["scale": 10_000_000]
        let drops = DropLog()
        options.onDrop = { drops.add($0) }
        let report = await Run(plan, options: options).finished()
        #expect(report.isSuccess)
        #expect(out.frames.map { Int($0.payload.value) } == golden.delivered)
        #expect(drops.records.map { Int($0.timestamp.rawValue / 1000) } == golden.dropped)
        #expect(report.ledger.losses == Int64(golden.dropped.count))
    }
}
