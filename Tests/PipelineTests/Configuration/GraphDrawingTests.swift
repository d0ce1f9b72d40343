import Testing

@testable import Pipeline
@testable import PipelineComponents
@testable import PipelineConfiguration

@Suite("Drawing a plan")
struct GraphDrawingTests {
    private func plan() throws -> Plan {
        let loaded = PipelineLoader(registry: .small).load(
            text: """
                version: 1
                name: two "ways"
                sources:
                  - count: { id: left, space: normalized }
                  - count: { id: right, space: normalized, on_disorder: clamp }
                stages:
                  - scale: { on_error: route }
                  - scale: { id: again }
                  - spell: { from: { id: again, capacity: 8, on_full: drop_oldest } }
                sinks:
                  - print
                  - speak: { from: [{ id: spell, capacity: 1, capacity_ms: 20 }] }
                  - print: { id: failures, from: scale.errors }
                """, name: "p.yaml")
        #expect(loaded.diagnostics.map(\.message) == [])
        return try #require(loaded.plan)
    }

    @Test("pipectl graph: text names types, queues and which producer waits")
    func text() throws {
        let expected = """
            two "ways" (batch)

            source left: count → number (space: normalized)

            source right: count → number (space: normalized)  [on_disorder: clamp]

            stage scale → number (space: normalized)  [on_error: route]
              ← left: number (space: normalized), queue of 256 frames; when full, left waits
              ← right: number (space: normalized), queue of 256 frames; when full, right waits

            stage again: scale → number (space: normalized)
              ← scale: number (space: normalized), direct call

            stage spell → word
              ← again: number (space: normalized), queue of 8 frames; when full, the oldest frame is dropped

            sink print
              ← spell: word, queue of 256 frames; when full, spell waits

            sink speak
              ← spell: word, queue of 1 frame or 20 ms; when full, spell waits

            sink failures: print
              ← scale.errors: error, queue of 256 frames; when full, scale waits

            """
        #expect(GraphDrawing(try plan()).draw(.text) == expected)
    }

    @Test("pipectl graph: dot and mermaid draw the same nodes and edges")
    func graphs() throws {
        let dot = GraphDrawing(try plan()).draw(.dot)
        #expect(dot.hasPrefix("digraph \"two \\\"ways\\\"\" {\n"))
        #expect(dot.contains("  n0 [shape=cds, label=\"left: count\"];\n"))
        #expect(
            dot.contains("  n3 -> n4 [style=dashed, label=\"number (space: normalized), 8 frames, drop_oldest\"];\n"))
        #expect(dot.contains("  n2 -> n7 [style=solid, label=\"errors\"];\n"))
        let mermaid = GraphDrawing(try plan()).draw(.mermaid)
        #expect(mermaid.hasPrefix("flowchart LR\n  n0([\"left: count\"])\n"))
        #expect(mermaid.contains("  n3 -.->|\"number (space: normalized), 8 frames, drop_oldest\"| n4\n"))
        #expect(dot.split(separator: "\n").count { $0.contains("->") } == 7)
        #expect(mermaid.split(separator: "\n").count { $0.contains("|") } == 7)
    }

    @Test("pipectl graph: dot shows the control characters of a name as escapes")
    func controlCharacters() throws {
        let text = "version: 1\nname: \"a\\e[31m\\nb\"\nsources: [count]\nsinks: [print]\n"
        let plan = try #require(PipelineLoader(registry: .small).load(text: text, name: "p.yaml").plan)
        #expect(plan.name == "a\u{1b}[31m\nb")
        #expect(GraphDrawing(plan).draw(.dot).hasPrefix(#"digraph "a\\u{1b}[31m\\nb" {"#))
    }
}
