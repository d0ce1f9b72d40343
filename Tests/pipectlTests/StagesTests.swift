import Connectors
import Foundation
import Pipeline
import PipelineComponents
import PipelineConfiguration
import Testing

@testable import PipelineCommand

@Suite("stages")
struct StagesTests {
    @Test("pipectl stages: every registered component is listed with its summary")
    func list() async {
        let answer = await pipectl("stages")
        #expect(answer.code == .done)
        let lines = answer.results.split(separator: "\n")
        for entry in Registry.standard.entries {
            #expect(
                lines.contains {
                    $0.hasPrefix("  \(entry.manifest.name) ") && $0.hasSuffix("  \(entry.manifest.summary)")
                })
        }
    }

    @Test("pipectl stages: every reason for which the sources drop frames is declared, by a manifest or by the engine")
    func dropReasons() throws {
        let declared = Registry.standard.entries.flatMap(\.manifest.drops) + DropReason.ofEngine
        // Only `eval` drops frames for this reason.
        let known = Set(declared.map(\.rawValue) + ["not_run"])
        let dropped = /(?:emitter\.drop|Refusal|\.skipping)\((?:[^"()]* )?"([a-z_]+)"|batch\.drop\(.*"([a-z_]+)"\)/
        var count = 0
        for path in Repository.files(below: "Sources", ending: ".swift") where !path.contains("/Verbs/New/") {
            for match in try Repository.read(path).matches(of: dropped) {
                let reason = String(match.1 ?? match.2 ?? "")
                #expect(known.contains(reason), "\(path): \(match.0)")
                count += 1
            }
        }
        #expect(count > 30)
    }

    @Test("pipectl stages: a component shows its own reasons for drops")
    func ownDropReasons() async {
        let text = await pipectl("stages", "debounce").results
        #expect(text.contains("Reasons for drops: `no_match`, `repeated`, `cooldown`."), "\(text)")
    }

    @Test("pipectl stages: a component is explained with every option and its example")
    func one() async {
        for entry in Registry.standard.entries {
            let text = await pipectl("stages", entry.manifest.name).results
            #expect(text.contains("\(entry.manifest.name) (\(entry.role)): \(entry.manifest.summary)\n"))
            for option in entry.options { #expect(text.contains("\n  \(option.name) ")) }
            for line in entry.manifest.example.split(separator: "\n") { #expect(text.contains("\n  \(line)\n")) }
            for line in text.split(separator: "\n") {
                #expect(!line.hasSuffix(" "))
            }
        }
    }

    @Test("pipectl stages: the list as data is JSON that names every option's type and default")
    func data() async throws {
        let text = await pipectl("stages", "--format=json").results
        let list = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
        #expect(list.compactMap { $0["name"] as? String } == Registry.standard.entries.map(\.manifest.name))
        let resample = try #require(list.first { $0["name"] as? String == "resample" })
        let options = try #require(resample["options"] as? [[String: Any]])
        let points = try #require(options.first { $0["name"] as? String == "points" })
        #expect(points["default"] as? String == "64")
        #expect((points["type"] as? String)?.hasPrefix("integer, 2 … ") == true)
        #expect(points["required"] as? Bool == false)
    }

    @Test("pipectl stages: in Markdown every row of a table has as many cells as its heading")
    func markdown() async {
        let text = await pipectl("stages", "--format=markdown").results
        for entry in Registry.standard.entries { #expect(text.contains("\n### `\(entry.manifest.name)`\n")) }
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("| ") }
        #expect(!rows.isEmpty)
        for row in rows {
            let cells = row.replacing("\\|", with: "").split(separator: "|", omittingEmptySubsequences: false)
            #expect(cells.count == 6, "\(row)")
        }
    }

    @Test("pipectl stages: options that components share are in the reference once, with a link from each component")
    func shared() async throws {
        let text = await pipectl("stages", "--format=markdown").results
        let users = [
            "Landmark options": ["file", "stdin", "zmq"], "Decode options": ["file", "stdin", "zmq"],
            "Socket options": ["zmq", "zmq_request"], "Drawing options": ["svg", "png"],
            "Category options": ["match", "match_bitmap", "spot", "recognize_hand"], "Kafka client options": ["kafka"],
        ]
        for (title, names) in users {
            #expect(text.split(separator: "\n").filter { $0 == "### \(title)" }.count == 1)
            let link = "](#\(title.lowercased().replacing(" ", with: "-")))"
            for name in names {
                let sections = text.split(separator: "\n### ").filter { $0.hasPrefix("`\(name)`\n") }
                #expect(sections.contains { $0.contains(link) }, "\(name) has no link to \(title)")
            }
        }
        for row in ["| `preset` |", "| `handshake_ms` |", "| `category_allowlist` |", "| `topology` | string |"] {
            #expect(text.split(separator: "\n").filter { $0.hasPrefix(row) }.count == 1, "\(row)")
        }
        #expect(text.contains("; of `custom` and `canned` in `recognize_hand`.\n"))
        #expect(text.contains("\nAlso takes in `curve` the [CURVE options](#curve-options)"))
        // The reference of a single component contains the sections that its links lead to.
        let one = await pipectl("stages", "zmq_request", "--format=markdown").results
        #expect(one.contains("### Socket options") && one.contains("| `linger_ms` |"))
    }

    @Test(
        "pipectl stages: a preset of decode is shown as the equivalent options of a source",
        arguments: DecodePreset.allCases)
    func preset(preset: DecodePreset) async throws {
        let text = await pipectl("stages", preset.rawValue).results
        #expect(text.hasPrefix("\(preset.rawValue) (preset of decode): \(preset.summary)\n"))
        let blocks = text.split(separator: "It stands for\n").dropFirst().joined().split(separator: "\n\n")
        #expect(blocks.count == preset.kinds.count)
        for block in blocks {
            let options = block.split(separator: "\n").map { "    \($0)\n" }.joined()
            let yaml = """
                version: 1
                mode: live
                sources:
                  - zmq:
                      connect: "tcp://127.0.0.1:1"
                \(options)sinks:
                  - stdout
                """
            let findings = PipelineLoader(registry: .standard).load(text: yaml).diagnostics
            #expect(findings.isEmpty, "\(yaml)")
        }
        let list = await pipectl("stages").results
        #expect(list.contains("  \(preset.rawValue) ") && list.contains(preset.summary))
        for name in ["zmq", "file", "stdin"] {
            let component = await pipectl("stages", name).results
            for kind in preset.kinds {
                for line in preset.text(for: kind).split(separator: "\n") {
                    #expect(component.contains("\n      \(line)\n"))
                }
            }
        }
        let data = await pipectl("stages", preset.rawValue, "--format=json").results
        let json = try #require(try JSONSerialization.jsonObject(with: Data(data.utf8)) as? [[String: Any]])
        #expect(json.first?["name"] as? String == preset.rawValue)
        #expect((json.first?["stands_for"] as? [Any])?.count == preset.kinds.count)
    }

    @Test("pipectl stages: a payload is explained by the keys of its messages, as text and as data")
    func payloads() async throws {
        let text = await pipectl("stages", "stroke").results
        #expect(text.contains("pts (list of numbers, required)"))
        #expect(text.contains("label (text)"))
        let data = await pipectl("stages", "hands", "--format=json").results
        let json = try #require(try JSONSerialization.jsonObject(with: Data(data.utf8)) as? [[String: Any]])
        #expect((json.first?["fields"] as? [[String: Any]])?.map { $0["name"] as? String } == ["hands"])
    }

    @Test("pipectl stages: for an unknown name, the nearest one is suggested")
    func unknown() async {
        let answer = await pipectl("stages", "resmaple")
        #expect(answer.code == .configuration)
        #expect(
            answer.messages == """
                error: no source, stage, sink, payload or preset is named "resmaple"
                  = help: did you mean "resample"?
                  = help: "pipectl stages" lists them all

                """)
    }
}
