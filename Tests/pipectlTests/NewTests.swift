import Connectors
import Foundation
import Pipeline
import PipelineComponents
import PipelineConfiguration
import PipelineTesting
import Stages
import Testing

@testable import PipelineCommand

@Suite("new")
struct NewTests {
    @Test("pipectl new: a draft has every option of the named components, and is valid as it is")
    func draft() async throws {
        let answer = await pipectl("new", "--pipeline", "zmq", "gate", "smooth", "recognize_hand", "stdout")
        #expect(answer.code == .done)
        #expect(answer.messages == "")
        let loaded = PipelineLoader(registry: .standard).load(text: answer.results)
        #expect(loaded.plan?.nodes.map(\.id) == ["zmq", "gate", "smooth", "recognize_hand", "stdout"])
        for name in ["zmq", "stdout"] {
            let entry = try #require(Registry.standard.entries.first { $0.manifest.name == name })
            for option in entry.options where !option.isAnyName { #expect(answer.results.contains(" \(option.name):")) }
        }
    }

    @Test(
        "pipectl new: the components of every example pipeline can be drafted",
        arguments: Registry.standard.entries.map(\.manifest.example))
    func examples(example: String) async throws {
        let node = try #require(ConfigNode.parse(yaml: example))
        let names = ["sources", "stages", "sinks"].flatMap { role in
            (node[role]?.sequence ?? []).compactMap { $0.scalar?.text ?? $0.mapping?.first?.key }
        }
        let isChain = node["sources"]?.sequence?.count == 1 && node["sinks"]?.sequence?.count == 1
        guard isChain, !names.contains("each") else { return }
        let answer = await pipectl(["new", "--pipeline"] + names)
        #expect(answer.code == .done)
        #expect(ConfigNode.parse(yaml: answer.results) != nil, "\(answer.results)")
        // The command takes only names, so a draft cannot repeat how `from` connects the nodes of the example.
        guard !example.contains("from:") else { return }
        #expect(answer.messages == "", "\(answer.results)")
    }

    @Test("pipectl new: each option of a draft can be uncommented, also if its component needs none")
    func uncommented() async throws {
        let answer = await pipectl("new", "--pipeline", "synthetic", "tessellate", "stdout")
        let draft = answer.results.replacing("# arc_steps: 8", with: "arc_steps: 16")
        #expect(draft != answer.results)
        let stage = try #require(ConfigNode.parse(yaml: draft)?["stages"]?.sequence?.first)
        #expect(stage["tessellate"]?["arc_steps"]?.scalar?.text == "16", "\(draft)")
    }

    @Test("pipectl new: the sink of a draft does not write the file that its source reads")
    func readAndWritten() async {
        let answer = await pipectl("new", "--pipeline", "file", "resample", "file")
        #expect(answer.code == .done)
        #expect(answer.messages == "")
        #expect(answer.results.contains(" path: session.jsonl\n"))
        #expect(answer.results.contains(" path: new-session.jsonl\n"))
    }

    @Test(
        "pipectl new: a component in the wrong place, an unknown one, and a pipeline of one component are refused")
    func refused() async {
        let swapped = await pipectl("new", "--pipeline", "smooth", "zmq")
        #expect(swapped.code == .configuration)
        #expect(swapped.messages.contains("\"smooth\" is a stage"))
        let unknown = await pipectl("new", "--pipeline", "zmq", "smoth", "stdout")
        #expect(unknown.messages.contains("did you mean \"smooth\"?"))
        #expect(await pipectl("new", "--pipeline", "zmq").code == .configuration)
    }

    @Test("pipectl new: a package has all its files, and an existing folder and invalid names are refused")
    func package() async throws {
        let folder = try TemporaryFolder()
        let ending = try await Program.run("new", "my-stages", "--package", "/somewhere", folder: folder.path)
        #expect(ending.code == 0)
        let files = [
            "Package.swift", "README.md", ".gitignore", "pipeline.yaml", "Sources/MyStagesKit/Mirror.swift",
            "Sources/MyStagesKit/Extent.swift", "Sources/my-stages/main.swift",
            "Tests/MyStagesKitTests/MirrorTests.swift",
        ]
        for file in files {
            let text = try String(contentsOfFile: "\(folder.path)/my-stages/\(file)", encoding: .utf8)
            #expect(!text.isEmpty)
            if file == "Package.swift" { #expect(text.contains("path: \"/somewhere\"")) }
        }
        let again = try await Program.run("new", "my-stages", folder: folder.path)
        #expect(again.code == 3)
        #expect(again.messages.contains("my-stages already exists"))
        for name in ["../up", "-x", "a b", "", "pipeline", "MCAP", "über"] {
            #expect(try await Program.run("new", "--", name, folder: folder.path).code == 2)
        }
    }

    @Test("pipectl new: no package may have the name of a target of Pipeline")
    func taken() throws {
        let manifest = try Repository.read("Package.swift")
        let targets = manifest.matches(of: /\.(?:target|executableTarget|systemLibrary)\(\s*name: "([^"]+)"/).map(\.1)
        #expect(targets.contains("Connectors") && targets.contains("CYAML") && targets.contains("kafka-cluster"))
        for target in targets {
            #expect(PackageTemplate.problem(withName: String(target)) != nil, "\(target)")
            #expect(PackageTemplate.problem(withName: target.uppercased()) != nil, "\(target)")
        }
        #expect(PackageTemplate.problem(withName: "my-stages") == nil)
    }
}
