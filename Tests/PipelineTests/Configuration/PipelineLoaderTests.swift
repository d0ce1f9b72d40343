import Testing

@testable import Pipeline
@testable import PipelineComponents
@testable import PipelineConfiguration

@Suite("Loading a pipeline")
struct PipelineLoaderTests {
    private func load(
        _ text: String, environment: [String: String] = [:], settings: [String] = []
    ) -> LoadedPipeline {
        PipelineLoader(registry: .small, environment: environment, overrides: settings).load(text: text, name: "p.yaml")
    }

    private static let chain = """
        version: 1
        name: chain
        sources:
          - count: { limit: 3 }
        stages:
          - scale
          - scale: { id: again, factor: 0.5 }
          - lookup: { library: words.txt }
        sinks:
          - print: { format: csv }
        """

    @Test("Loading a pipeline: a chain without from is connected in the order written")
    func connectsChain() throws {
        let loaded = load(Self.chain)
        #expect(loaded.diagnostics.map(\.message) == [])
        let plan = try #require(loaded.plan)
        #expect(plan.name == "chain")
        #expect(plan.nodes.map(\.id) == ["count", "scale", "again", "lookup", "print"])
        #expect(plan.nodes.map { $0.edges.map(\.from) } == [[], [0], [1], [2], [3]])
        #expect(plan.nodes.allSatisfy { $0.onError == .fail })
        #expect(plan.nodes.map { $0.output?.kind.rawValue } == ["number", "number", "number", "number", nil])
    }

    @Test("Loading a pipeline: a stage sees the chain of pure stages above it")
    func findsPureRun() throws {
        let plan = try #require(load(Self.chain).plan)
        guard case .stage(let stage) = plan.nodes[3].body, let lookup = stage as? Lookup.Prepared else {
            Issue.record("lookup is not there")
            return
        }
        #expect(lookup.upstream == ["Scale", "Scale"])
        #expect(lookup.input?.kind == "number")
        #expect(lookup.above == "count")
    }

    @Test("Loading a pipeline: variables and overrides are applied before options are read")
    func putsInValues() throws {
        let text = Self.chain.replacing("0.5", with: "\"${FACTOR:-7}\"").replacing("csv", with: "\"${FORMAT}\"")
        let loaded = load(text, environment: ["FORMAT": "jsonl"], settings: ["scale.factor=3", "scale.limits.high=9"])
        #expect(loaded.diagnostics.map(\.message) == [])
        let plan = try #require(loaded.plan)
        let factors = plan.nodes.compactMap { node -> Double? in
            guard case .stage(let stage) = node.body else { return nil }
            return (stage as? Scale)?.factor
        }
        #expect(factors == [3, 7])
    }

    @Test("Loading a pipeline: an override replaces a value whose variable is not set")
    func replacesUnsetVariable() {
        let text = Self.chain.replacing("0.5", with: "\"${UNSET}\", limits: { low: \"${LOW}\", high: \"${HIGH}\" }")
        let settings = ["again.factor=3", "again.limits.low=0"]
        #expect(
            load(text, settings: settings).diagnostics.map(\.message) == ["the environment variable HIGH is not set"])
        #expect(load(text, settings: settings + ["again.limits.high=1"]).diagnostics.map(\.message) == [])
    }

    @Test("Loading a pipeline: an override finds a component whose id is a variable")
    func findsInterpolatedID() {
        let text = Self.chain.replacing("again", with: "\"${NAME}\"")
        let settings = ["other.factor=101"]
        let loaded = load(text, environment: ["NAME": "other"], settings: settings)
        #expect(loaded.diagnostics.map(\.message) == ["101 is out of range"])
    }

    @Test("Loading a pipeline: a variable that is not set is reported if an alias keeps the value that is replaced")
    func keepsAliasedVariable() {
        let text = Self.chain.replacing("- scale\n", with: "- scale: { factor: &f \"${UNSET}\" }\n")
            .replacing("0.5", with: "*f")
        #expect(
            load(text, settings: ["scale.factor=3"]).diagnostics.map(\.message) == [
                "the environment variable UNSET is not set"
            ])
        #expect(load(text, settings: ["scale.factor=3", "again.factor=3"]).diagnostics.map(\.message) == [])
    }
}
