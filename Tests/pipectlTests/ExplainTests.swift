import Connectors
import Foundation
import Pipeline
import PipelineComponents
import PipelineConfiguration
import PipelineTesting
import Stages
import Testing

@testable import PipelineCommand

@Suite("explain")
struct ExplainTests {
    /// Quoted words with a dot that the sources contain and that are not codes.
    private static let others: Set<String> = [
        // Paths of options, metadata and places in a recording of a run.
        "columns.gesture", "columns.stroke", "header.timestamp", "landmarks.require", "stage.errors", "pipeline.clock",
        "pipeline.manifest", "pipeline.run", "pipeline.tape",
        // Files.
        "camera.password", "camera.key_secret", "server.key",
        // Properties of Kafka's client.
        "bootstrap.servers", "client.id", "enable.idempotence", "group.id", "transactional.id",
        // In the sources of a package that `new` makes.
        "mirror.not_finite", "extent.empty", "extent.not_finite",
    ]

    /// Returns every code in the sources.
    private static func codesInSources() throws -> Set<String> {
        var codes: Set<String> = []
        let code = /"([a-z][a-z_]*\.[a-z][a-z_0-9]*)"/
        for path in Repository.files(below: "Sources", ending: ".swift") where !path.contains("/Verbs/Explain/") {
            for line in try Repository.read(path).split(separator: "\n") {
                guard !line.drop(while: { $0 == " " }).hasPrefix("//") else { continue }
                for match in line.matches(of: code) {
                    let text = String(match.1)
                    let isFile = ["css", "csv", "html", "js", "json", "jsonl", "svg", "yaml"].contains {
                        text.hasSuffix(".\($0)")
                    }
                    if !isFile, !others.contains(text) { codes.insert(text) }
                }
            }
        }
        return codes
    }

    @Test("pipectl explain: every code in the sources is explained, and every code that is explained is in the sources")
    func complete() throws {
        let used = try Self.codesInSources()
        let explained = Explanation.all.map(\.code)
        #expect(used.subtracting(explained).sorted() == [], "not explained")
        #expect(Set(explained).subtracting(used).sorted() == [], "explained, but not in the sources")
        #expect(Set(explained).count == explained.count, "explained twice")
    }

    @Test("pipectl explain: no code is composed at run time, so that every code can be searched for")
    func whole() throws {
        let families = Set(Explanation.all.compactMap { $0.code.split(separator: ".").first.map(String.init) })
        let start = /"([a-z][a-z_]*)\.\\\(/
        for path in Repository.files(below: "Sources", ending: ".swift") {
            for match in try Repository.read(path).matches(of: start) {
                #expect(!families.contains(String(match.1)), "\(path): \(match.0)")
            }
        }
    }

    @Test("pipectl explain: explanations are whole sentences")
    func sentences() {
        for explanation in Explanation.all {
            #expect(!explanation.kinds.isEmpty, "\(explanation.code)")
            for text in [explanation.meaning, explanation.cause, explanation.remedy] {
                #expect(text.count > 15 && text.hasSuffix("."), "\(explanation.code): \(text)")
                #expect(!text.contains("\n") && !text.contains("  "), "\(explanation.code): \(text)")
                #expect(text.count { $0 == "`" } % 2 == 0, "\(explanation.code): \(text)")
            }
            #expect(explanation.meaning.count <= 130, "\(explanation.code)")
        }
    }

    @Test("pipectl explain: every example configuration gives the code that it explains, and no other")
    func configurations() {
        var count = 0
        for explanation in Explanation.all {
            guard case .configuration(let text) = explanation.example else { continue }
            count += 1
            let findings = PipelineLoader(registry: .standard, environment: [:])
                .load(text: text, baseDirectory: Repository.root).diagnostics
            #expect(Set(findings.map(\.code)) == [explanation.code], "\(explanation.code): \(findings)")
            for finding in findings {
                let kind: Explanation.Kind =
                    if finding.severity == .warning { .warning } else if finding.isEnvironmental { .environment } else {
                        .configuration
                    }
                #expect(explanation.kinds.contains(kind), "\(explanation.code) is a \(kind)")
            }
        }
        #expect(count > 120)
    }

    @Test("pipectl explain: every example of output contains its code in the form that the program prints")
    func outputs() {
        for explanation in Explanation.all {
            guard case .output(let text) = explanation.example else { continue }
            let code = explanation.code
            let isNamed = ["error[\(code)]: ", "warning[\(code)]: ", " [\(code)]"].contains { text.contains($0) }
            #expect(isNamed, "\(code): \(text)")
        }
    }

    @Test("pipectl explain: the page is what the program writes")
    func page() async throws {
        let ending = try await Program.run("explain", "--format=markdown")
        #expect(ending.code == 0)
        #expect(
            try Repository.read("Documentation/Errors.md").hasSuffix(ending.results),
            "scripts/make-reference.sh updates it")
    }

    @Test("pipectl explain: a code is explained with cause, example and remedy; an empty line separates several codes")
    func text() async {
        let one = await pipectl("explain", "graph.bad_id")
        #expect(one.code == .done)
        #expect(
            one.results == """
                graph.bad_id (configuration error): An `id` contains characters that are not allowed.

                Cause
                  Ids appear in `from`, in `--set` and in messages, where dots and spaces have another meaning.

                Example
                  version: 1
                  sources: [synthetic: { id: my pen }]
                  sinks: [discard]

                Remedy
                  Use letters, digits, `_` and `-`.

                """)
        let two = await pipectl("explain", "graph.bad_id", "config.version")
        #expect(two.results.hasPrefix(one.results + "\nconfig.version (configuration error or warning): "))
    }

    @Test("pipectl explain: without a code, all codes are listed with their meanings")
    func list() async {
        let answer = await pipectl("explain")
        #expect(answer.code == .done)
        let lines = answer.results.split(separator: "\n")
        #expect(lines.count == Explanation.all.count + Explanation.families.count)
        for explanation in Explanation.all {
            #expect(
                lines.contains { $0.hasPrefix("  \(explanation.code) ") && $0.hasSuffix("  \(explanation.meaning)") })
        }
    }

    @Test("pipectl explain: as data it is JSON, one object for each code")
    func data() async throws {
        let all = await pipectl("explain", "--format=json").results
        let list = try #require(try JSONSerialization.jsonObject(with: Data(all.utf8)) as? [[String: Any]])
        #expect(list.compactMap { $0["code"] as? String } == Explanation.all.map(\.code))
        let some = await pipectl("explain", "--format=json", "zmq.several_peers").results
        let one = try #require(try JSONSerialization.jsonObject(with: Data(some.utf8)) as? [[String: Any]])
        #expect(one.count == 1)
        #expect(one.first?["reported_as"] as? [String] == ["configuration"])
        #expect((one.first?["example"] as? [String: String])?["configuration"]?.hasPrefix("version: 1\n") == true)
        for key in ["family", "meaning", "cause", "remedy"] { #expect(one.first?[key] is String) }
    }

    @Test("pipectl explain: for an unknown code, the nearest one is suggested, and for a family, its codes")
    func unknown() async {
        let answer = await pipectl("explain", "graph.cycel")
        #expect(answer.code == .configuration)
        #expect(answer.results == "")
        #expect(
            answer.messages == """
                error: no error or finding has the code "graph.cycel"
                  = help: did you mean "graph.cycle"?
                  = help: "pipectl explain" lists them all

                """)
        let family = await pipectl("explain", "gestures")
        #expect(family.code == .configuration)
        #expect(family.messages.contains("there are gestures.nothing, gestures.no_labels\n"))
    }

    @Test("pipectl explain: a shell completes codes")
    func completion() async {
        for shell in ["bash", "zsh", "fish"] {
            #expect(await pipectl("completion", shell).results.contains("zmq.address_in_use"))
        }
    }

    @Test("pipectl explain: on a terminal, findings are followed by the command that explains the first")
    func hint() async throws {
        let folder = try TemporaryFolder()
        let text = "version: 1\nsources: [synthetic]\nstages: [resmaple]\nsinks: [discard]\n"
        let path = try folder.write("wrong.yaml", text)
        func messages(ofTerminal isTerminal: Bool) async -> String {
            let recorder = Recorder()
            let plain = recorder.console()
            let console = Console(
                writeResult: plain.writeResult, writeMessage: plain.writeMessage, resultStyle: .plain,
                messageStyle: .plain, resultsAreLive: isTerminal, messagesAreLive: false, width: 80, environment: [:])
            #expect(await CommandLineTool.pipectl.run(["validate", path], console) == .configuration)
            return recorder.messages
        }
        #expect(await messages(ofTerminal: true) == "pipectl explain graph.unknown_component says more\n")
        #expect(await messages(ofTerminal: false) == "")
    }

    @Test(
        "pipectl explain: on a terminal, an error is followed by the command that explains it",
        arguments: [true, false])
    func hintAfterError(isLive: Bool) async throws {
        let folder = try TemporaryFolder()
        let recorder = Recorder()
        let plain = recorder.console()
        let console = Console(
            writeResult: plain.writeResult, writeMessage: plain.writeMessage, resultStyle: .plain,
            messageStyle: .plain, resultsAreLive: false, messagesAreLive: isLive, width: 80, environment: [:])
        #expect(await CommandLineTool.pipectl.run(["info", "\(folder.path)/a.jsonl"], console) == .environment)
        #expect(recorder.messages.contains("pipectl explain file.not_found says more\n") == isLive)
    }
}
