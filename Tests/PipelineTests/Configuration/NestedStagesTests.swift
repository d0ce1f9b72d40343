import Testing

@testable import Pipeline
@testable import PipelineComponents
@testable import PipelineConfiguration

@Suite("Stages inside a stage, in a configuration")
struct NestedStagesTests {
    private func load(_ stages: String, settings: [String] = []) -> LoadedPipeline {
        PipelineLoader(registry: .small, overrides: settings).load(
            text: "version: 1\nname: p\nsources:\n  - dice\nstages:\n\(stages)\nsinks:\n  - print\n", name: "p.yaml")
    }

    private func chain(_ loaded: LoadedPipeline) throws -> NestedChain {
        let nodes = try #require(loaded.plan, "\(loaded.diagnostics.map(\.message))").nodes
        let chains = nodes.compactMap { node -> NestedChain? in
            guard case .stage(let stage) = node.body else { return nil }
            return (stage as? any NestingStage)?.chain
        }
        return try #require(chains.first)
    }

    @Test("Nested stages: a list of stages becomes a chain that carries the attributes of the parts")
    func chain() throws {
        let chain = try chain(
            load("  - every: { stages: [scale, convert: { space: normalized }, { scale: { id: again } }] }"))
        #expect(chain.nodes.map(\.id) == ["scale", "convert", "again"])
        #expect(chain.nodes.map(\.input.attributes["space"]) == ["pixels", "pixels", "normalized"])
        #expect(chain.countKeeping(attributes: true) == 1 && chain.countKeeping(attributes: false) == 3)
    }

    @Test("Nested stages: a nested matcher sees the pure stages above it in its list, and none outside")
    func pureRun() throws {
        let text = "  - every: { stages: [tap, scale, convert: { space: pixels }, lookup: { library: a.txt }] }"
        let lookup = try #require(try chain(load(text)).nodes.last?.stage as? Lookup.Prepared)
        #expect(lookup.upstream == ["Scale", "Convert"])
        #expect(lookup.above == "tap")
        let first = try #require(
            try chain(load("  - every: { stages: [lookup: { library: a.txt }] }")).nodes.first?.stage
                as? Lookup.Prepared)
        #expect(first.upstream == [] && first.above == "every" && first.input?.kind == "number")
    }

    @Test(
        "Nested stages: the files that nested stages name are files of the configuration, and no sink may write over them"
    )
    func files() {
        let text = "  - every: { stages: [lookup: { library: a.txt }, lookup: { id: second, library: b.txt }] }"
        func load(_ sink: String) -> LoadedPipeline {
            PipelineLoader(registry: .small).load(
                text: "version: 1\nsources:\n  - dice\nstages:\n\(text)\nsinks:\n  - print: \(sink)\n")
        }
        let files = load("{}").files
        #expect(files.map(\.owner) == ["every.lookup", "every.second"])
        #expect(files.map { $0.paths() } == [["a.txt"], ["b.txt"]])
        #expect(Set(files.map(\.node)) == ["every"])
        let found = load("{ path: b.txt }").diagnostics
        #expect(found.map(\.code) == ["output.overwrites_input"])
        #expect(found.first?.message.contains("which \"every.second\" reads") == true, "\(found)")
    }

    @Test(
        "Nested stages: overrides reach a nested stage by its id, alone or after the id of the enclosing stage",
        arguments: ["scale.factor=7", "every.scale.factor=7"])
    func settings(setting: String) throws {
        let chain = try chain(load("  - every:\n      stages:\n        - tap\n        - scale", settings: [setting]))
        #expect((chain.nodes.last?.stage as? Scale)?.factor == 7)
    }

    @Test("Nested stages: an id of the top level hides the same id inside a stage")
    func levels() throws {
        let text = "  - every: { id: a, stages: [scale] }\n  - every: { id: b, stages: [scale] }"
        #expect(
            (try chain(load(text, settings: ["b.scale.factor=3", "a.scale.factor=5"])).nodes.first?.stage as? Scale)?
                .factor == 5)
        let found = load(text, settings: ["scale.factor=3"]).diagnostics
        #expect(found.map(\.code) == ["set.ambiguous"])
        #expect(found.first?.help == "write one of a.scale, b.scale")
    }

    @Test("Nested stages: a drawing shows what runs inside a stage")
    func drawing() throws {
        let drawing = GraphDrawing(try #require(load("  - every: { stages: [scale: { id: double }, tap] }").plan))
        let line = "number (space: pixels) → double: scale → tap → number (space: pixels)"
        #expect(drawing.draw(.text).contains("stage every → numbers (space: pixels)\n  ↻ \(line)\n  ← dice"))
        #expect(drawing.draw(.dot).contains("label=\"every, \(line)\""))
        #expect(drawing.draw(.mermaid).contains("[\"every, \(line)\"]"))
    }

    @Test("Nested stages: the schema describes a nested list of stages like the one at the top level")
    func schema() {
        let text = JSONSchema(.small).document.text(isIndented: false)
        #expect(
            text.contains(
                ##""stages":{"description":"What runs on every number.","type":"array","items":{"$ref":"#/$defs/stage"}"##
            ))
    }

    @Test("Nested stages: tests of a configuration can name a nested stage in ledger and drops")
    func tests() {
        let text = """
              - every: { stages: [scale] }
            tests:
              - name: counted
                in: { dice: "|" }
                ledger: { every.scale: { in: 0 }, every.scal: { in: 0 } }
                drops: [{ where: every.scale, why: late, frames: [] }]
            """
        let found = load(text).diagnostics
        #expect(found.map(\.code) == ["test.unknown_name"])
        #expect(found.first?.help?.hasPrefix("did you mean \"every.scale\"?") == true)
    }
}
