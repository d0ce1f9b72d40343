import Testing

@testable import Pipeline
@testable import PipelineComponents
@testable import PipelineConfiguration

@Suite("Wiring a graph")
struct GraphWiringTests {
    /// Returns each node as `id<from,from.errors`, in the order of the plan.
    private func wiring(_ text: String) throws -> [String] {
        let plan = try plan(text)
        return plan.nodes.map { node in
            let edges = node.edges.map { plan.nodes[$0.from].id + ($0.port == .errors ? ".errors" : "") }
            return edges.isEmpty ? node.id : "\(node.id)<\(edges.joined(separator: ","))"
        }
    }

    private func plan(_ text: String) throws -> Plan {
        let loaded = PipelineLoader(registry: .small).load(text: "version: 1\n" + text, name: "p.yaml")
        #expect(loaded.diagnostics.map(\.message) == [])
        return try #require(loaded.plan)
    }

    @Test("Wiring a graph: the first stage takes input from all sources, and sinks from the last stage")
    func defaults() throws {
        #expect(
            try wiring("sources: [count, count: { id: b }]\nstages: [scale, tap]\nsinks: [print, print: { id: p }]")
                == ["count", "b", "scale<count,b", "tap<scale", "print<tap", "p<tap"])
    }

    @Test("Wiring a graph: without stages a sink takes all sources")
    func withoutStages() throws {
        #expect(
            try wiring("sources: [count, count: { id: b }]\nsinks: [print]") == ["count", "b", "print<count,b"])
    }

    @Test("Wiring a graph: a source and a sink of one kind need no ids; the sink gets another one")
    func sameKind() throws {
        var registry = Registry.small
        registry.add(CountSink.self)
        func load(_ text: String, _ settings: [String] = []) -> LoadedPipeline {
            PipelineLoader(registry: registry, overrides: settings).load(text: "version: 1\n" + text, name: "p.yaml")
        }
        let text = "sources: [count]\nsinks: [count: { from: count }]"
        let loaded = load(text, ["count.limit=7", "count_sink.count=2"])
        #expect(loaded.diagnostics.map(\.message) == [])
        let plan = try #require(loaded.plan)
        #expect(plan.nodes.map(\.id) == ["count", "count_sink"])
        #expect(plan.nodes.map(\.component) == ["count", "count"])
        guard case .sink(let sink) = plan.nodes[1].body else {
            Issue.record("no sink")
            return
        }
        #expect((sink as? CountSink)?.count == 2)
        // Two sinks with the same name must be distinguished, like any other nodes.
        let two = load("sources: [count]\nsinks: [count, count]")
        #expect(two.diagnostics.map(\.code) == ["graph.duplicate_id"])
        #expect(two.diagnostics.first?.help == "give it an id of its own, as in id: count_sink_2")
        // A name that the configuration sets is not changed.
        let chosen = load("sources: [count]\nsinks: [count: { id: count }]")
        #expect(chosen.diagnostics.map(\.code) == ["graph.duplicate_id"])
    }

    @Test("Wiring a graph: an alias of a component means that component")
    func alias() throws {
        var registry = Registry.small
        registry.add(CountSink.self)
        let text = "version: 1\nsources: [camera: {}]\nsinks: [nothing: { count: 3 }, nothing: { id: b }]"
        let loaded = PipelineLoader(registry: registry).load(text: text, name: "p.yaml")
        #expect(loaded.diagnostics.map(\.message) == [])
        #expect(loaded.plan?.nodes.map(\.id) == ["camera", "nothing", "b"])
        #expect(loaded.plan?.nodes.map(\.component) == ["camera", "count", "count"])
    }

    @Test("Wiring a graph: a component may take input from a component that is written below it")
    func forward() throws {
        let text = """
            sources: [count]
            stages:
              - scale: { from: tap }
              - tap: { from: count }
            sinks: [print: { from: scale }]
            """
        #expect(try wiring(text) == ["count", "tap<count", "scale<tap", "print<scale"])
    }

    @Test("Wiring a graph: errors go to the sink whose from names them")
    func errors() throws {
        let text = """
            sources: [count: { on_error: route }]
            stages: [scale: { on_error: skip }]
            sinks: [print, print: { id: failures, from: [count.errors] }]
            """
        #expect(try wiring(text) == ["count", "scale<count", "print<scale", "failures<count.errors"])
        let plan = try plan(text)
        #expect(plan.nodes.map(\.onError) == [.route, .skip, .fail, .fail])
        #expect(plan.nodes[3].input?.kind == "error")
    }

    @Test("Wiring a graph: a policy on an edge is kept, and makes the edge explicit")
    func policies() throws {
        let text = """
            sources: [count: { max_jump_s: 2.5, on_disorder: clamp }]
            stages: [scale: { from: { id: count, capacity: 8, capacity_ms: 1.5, on_full: drop_newest } }]
            sinks: [print: { from: { id: scale } }]
            shutdown_timeout_ms: 10
            max_streams: 3
            stream_idle_ms: 7
            """
        let plan = try plan(text)
        #expect(plan.nodes[1].edges[0].policy == EdgePolicy(capacity: 8, capacityMs: 1.5, onFull: .dropNewest))
        #expect(plan.nodes.flatMap(\.edges).map(\.isExplicit) == [true, false])
        #expect([plan.shutdownTimeoutMs, plan.maxStreams] == [10, 3])
        #expect(plan.streamIdleMs == 7)
        guard case .source(_, let rules) = plan.nodes[0].body else {
            Issue.record("no source")
            return
        }
        #expect(rules.onDisorder == .clamp)
        #expect(rules.maxJump == 2_500_000)
    }

    @Test("Wiring a graph: merged edges keep the attributes that are true of all of them")
    func merges() throws {
        let text = """
            sources: [count: { space: pixels }, count: { id: b, space: normalized }]
            stages: [scale, scale: { id: c, from: [b] }]
            sinks: [print: { from: [scale, c] }]
            """
        let plan = try plan(text)
        #expect(
            plan.nodes.map { $0.input?.description } == [
                nil, nil, "number", "number (space: normalized)", "number",
            ])
    }

    @Test(
        "Wiring a graph: the chain of pure stages ends at a stage that is not pure and at a source, but goes on through a merge",
        arguments: [
            ("[scale, tap, scale: { id: b }, lookup: { library: l }]", 1, "tap"),
            ("[scale, scale: { id: b, from: [count, scale] }, lookup: { library: l }]", 1, "count"),
            ("[lookup: { library: l }]", 0, "count"),
            ("[scale, scale: { id: b }, scale: { id: c }, lookup: { library: l }]", 3, "count"),
        ])
    func pureRuns(_ stages: String, _ count: Int, _ above: String) throws {
        let plan = try plan("sources: [count]\nstages: \(stages)\nsinks: [print]")
        let found = plan.nodes.compactMap { node -> Lookup.Prepared? in
            guard case .stage(let stage) = node.body else { return nil }
            return stage as? Lookup.Prepared
        }
        #expect(found.map(\.upstream.count) == [count])
        #expect(found.map(\.above) == [above])
    }
}

/// A sink with the name of a source, and an alias.
private struct CountSink: Sink, SinkComponent {
    struct Options: ComponentOptions {
        @Option("A number.")
        var count = 0
    }

    static let manifest = Manifest(name: "count", aliases: ["nothing"], summary: "Counts", example: "")
    static func accepts(_ options: Options) -> Acceptance { .one(of: [PortType(Number.self)]) }
    static func make(_ options: Options, for input: PortType, _ context: BuildContext) throws -> any Sink {
        CountSink(count: options.count)
    }

    let count: Int
    mutating func write(_ frame: Frame<Number>) throws {}
}
