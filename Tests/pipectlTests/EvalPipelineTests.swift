import Foundation
import PipelineTesting
import Testing

@testable import PipelineCommand

/// Pipelines that are evaluated with the project's own samples.
@Suite("eval of a pipeline")
struct EvalPipelineTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path

    private static func sample(_ name: String) -> String { "\(root)/Samples/\(name)" }
    private static func config(_ name: String) -> String { "\(root)/Configs/\(name)" }

    /// Returns the label, the recognized name and the confidence of each result of a run of the pipeline.
    private func answers(ofRun config: String, _ settings: [String]) async throws -> [String] {
        let words = [try Program.path(), "run", config, "-q", "--set", "stdout.format=jsonl"] + settings
        let answer = try await Program.shell("exec \"$0\" \"$@\"", words)
        #expect(answer.code == 0, "\(answer.messages)")
        return try answer.results.split(separator: "\n").compactMap { line in
            let frame = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            guard let categories = frame["categories"] as? [[String: Any]], let name = categories.first?["name"] else {
                return nil
            }
            let confidence = frame["confidence"] as? Double
            return "\(frame["label"] as? String ?? ""): \(name) \(confidence ?? -1)"
        }
    }

    @Test(
        "pipectl eval: each gesture gets the same answer as in a run of the pipeline",
        arguments: [
            ("strokes.yaml", []), ("strokes.yaml", ["--set", "match.limit_factor=0.6"]), ("dollar-one.yaml", []),
            ("strokes.yaml", ["--set", "match.category_denylist=[star]"]),
        ])
    func sameAnswers(config: String, settings: [String]) async throws {
        let folder = try TemporaryFolder()
        let file = folder.path + "/trials.csv"
        let answer = await pipectl(
            ["eval", Self.config(config), Self.sample("session.jsonl"), "--library=-", "--trials", file, "-q"]
                + settings)
        #expect(answer.code == .done, "\(answer.messages)")
        let evaluated = try folder.read("trials.csv").split(separator: "\n").dropFirst().map { line in
            let cells = line.split(separator: ",", omittingEmptySubsequences: false)
            return "\(cells[6]): \(cells[14]) \(Double(cells[15]) ?? -1)"
        }
        #expect(evaluated.count == 24)
        let run = try await answers(ofRun: Self.config(config), settings)
        #expect(run == evaluated, "\(run) \(evaluated)")
    }

    @Test(
        "pipectl eval: custom gestures of recognize_hand get the same answers and confidence as in a run, and can be tuned"
    )
    func customGestures() async throws {
        let folder = try TemporaryFolder()
        let config = try folder.write(
            "hands.yaml",
            """
            version: 1
            sources: [ file: { path: \(Self.sample("hands.jsonl")), kind: landmarks, space: pixels, y: down } ]
            stages:
              - recognize_hand:
                  custom: { library: \(Self.sample("hands.json")), max_results: 1, limit_factor: 0.05 }
                  canned: { category_allowlist: [None] }
            sinks: [ stdout ]
            """)
        let file = folder.path + "/trials.csv"
        let answer = await pipectl(
            "eval", config, Self.sample("hands.jsonl"), "--library=-", "--trials", file, "-q", "--set",
            "recognize_hand.custom.limit_factor=1")
        #expect(answer.code == .done, "\(answer.messages)")
        let evaluated = try folder.read("trials.csv").split(separator: "\n").dropFirst().map { line in
            let cells = line.split(separator: ",", omittingEmptySubsequences: false)
            return "\(cells[6]): \(cells[14]) \(Double(cells[15]) ?? -1)"
        }
        let run = try await answers(ofRun: config, ["--set", "recognize_hand.custom.limit_factor=1"]).filter {
            !$0.hasPrefix(":")
        }
        #expect(run.count == evaluated.count && run.count > 10)
        for (ran, evaluated) in zip(run, evaluated) {
            #expect(ran == evaluated)
        }
        let tuned = await pipectl(
            "tune", config, "--on", Self.sample("hands.json"), "--vary=recognize_hand.custom.limit_factor=0.1,1.5",
            "--design=k_shot", "--templates=3", "--repetitions=3", "-q", "-o", folder.path + "/tuned.yaml")
        #expect(tuned.code == .done, "\(tuned.messages)")
        #expect(try folder.read("tuned.yaml").contains("limit_factor: 1.5"))
        let blocks = await pipectl("eval", config, Self.sample("hands.json"), "--design=blocks", "-q")
        #expect(blocks.code == .done && blocks.results.contains("blocks"), "\(blocks.messages)")
    }

    @Test(
        "pipectl eval: variants are compared on the same trials, with the probability that a difference is due to chance"
    )
    func variants() async throws {
        let folder = try TemporaryFolder()
        let words = ["eval", Self.config("strokes.yaml"), Self.sample("shapes.json"), "--templates=2", "-q"]
        let answer = await pipectl(
            words + [
                "--repetitions=30", "--format=json", "--variant=match.min_margin=0", "--variant",
                "match.max_distance=0.02", "--trials", folder.path + "/trials.csv",
            ])
        #expect(answer.code == .done, "\(answer.messages)")
        // A header, and ten classes in each of 30 repetitions of three pipelines.
        #expect(try folder.read("trials.csv").split(separator: "\n", omittingEmptySubsequences: false).count == 902)
        let json = try #require(try JSONSerialization.jsonObject(with: Data(answer.results.utf8)) as? [String: Any])
        let rows = try #require(json["differences"] as? [[String: Any]])
        let pipelines = try #require(rows.first?["pipelines"] as? [[String: Any]])
        #expect(pipelines.count == 3)
        // Setting an option to its own value changes nothing; a limit that no sample satisfies makes all answers wrong.
        #expect(pipelines[1]["right"] as? Double == 0 && pipelines[1]["right_p"] is NSNull)
        #expect(pipelines[2]["right"] as? Double == -1)
        #expect(try #require(pipelines[2]["right_p"] as? Double) < 0.01)
    }

    @Test("pipectl eval: a pipeline is evaluated even if its library does not exist")
    func noLibrary() async throws {
        let folder = try TemporaryFolder()
        let config = try folder.write(
            "mine.yaml",
            """
            version: 1
            sources: [ stdin: { kind: stroke } ]
            stages: [ match: { library: later.json } ]
            sinks: [ stdout ]
            """)
        let answer = await pipectl("eval", config, Self.sample("shapes.json"), "--templates=2", "--repetitions=2", "-q")
        #expect(answer.code == .done, "\(answer.messages)")
        #expect(answer.results.contains("100.00 %"))
    }

    @Test("pipectl eval: data of another kind than the matcher's is refused, and so is a pipeline without a matcher")
    func refused() async throws {
        let hands = await pipectl("eval", Self.config("strokes.yaml"), Self.sample("hands.json"), "-q")
        #expect(hands.code == .configuration && hands.messages.hasPrefix("error[eval.kind]: the data holds hands"))
        let none = await pipectl("eval", Self.config("signature.yaml"), Self.sample("shapes.json"), "-q")
        #expect(
            none.code == .configuration && none.messages.hasPrefix("error[eval.matcher]: the pipeline has no matcher"))
        let empty = await pipectl("eval", Self.config("strokes.yaml"), "-q")
        #expect(empty.code == .configuration && empty.messages.contains("DATA is missing"))
        let mixed = await pipectl("eval", Self.config("strokes.yaml"), Self.sample("shapes.json"), "--method=cloud")
        #expect(mixed.code == .configuration && mixed.messages.contains("--set"))
    }

    @Test("pipectl eval: errors in a pipeline or a library are reported before data is read")
    func wrongFirst() async throws {
        let nowhere = "/nowhere/strokes.jsonl"
        let option = await pipectl("eval", Self.config("strokes.yaml"), nowhere, "--set=match.limits=1", "-q")
        #expect(option.code == .configuration && option.messages.contains("limits"), "\(option.messages)")
        let library = await pipectl("eval", Self.config("strokes.yaml"), nowhere, "--library=/nowhere/mine.json", "-q")
        #expect(library.messages.contains("mine.json") && !library.messages.contains("strokes.jsonl"))
        let data = await pipectl("eval", Self.config("strokes.yaml"), nowhere, "-q")
        #expect(data.messages.contains(nowhere))
        let tuned = await pipectl(
            "tune", Self.config("strokes.yaml"), "--on", nowhere, "--vary=match.limits=1,2", "-q")
        #expect(tuned.code == .configuration && tuned.messages.contains("limits"), "\(tuned.messages)")
    }

    @Test("pipectl eval and tune: two outputs to one file are refused")
    func sharedOutputs() async throws {
        let folder = try TemporaryFolder()
        let data = Self.sample("shapes.json")
        let file = "\(folder.path)/a.out"
        let config = try folder.write(
            "mine.yaml",
            """
            version: 1
            sources: [ file: { path: session.jsonl } ]
            stages: [ resample, match: { library: library.json } ]
            sinks: [ stdout ]
            """)
        let commands = [
            ["eval", data, "--html=\(file)", "--trials=\(folder.path)/./a.out"],
            ["tune", config, "--on=\(data)", "--vary=resample.points=8,16", "--svg=\(file)", "--out=\(file)"],
        ]
        for words in commands {
            let answer = await pipectl(words + ["-q"])
            #expect(answer.code == .configuration && answer.messages.contains("would both write"), "\(answer.messages)")
        }
    }

    @Test("pipectl eval and tune: no output overwrites a pipeline, or a file that it reads or writes")
    func overwriting() async throws {
        let folder = try TemporaryFolder()
        let library = try folder.write(
            "library.json", String(contentsOfFile: Self.sample("shapes.json"), encoding: .utf8))
        let config = try folder.write(
            "mine.yaml",
            """
            version: 1
            sources: [ file: { path: session.jsonl } ]
            stages: [ match: { library: library.json } ]
            sinks: [ stdout, file: { id: out, path: out.jsonl, if_exists: overwrite } ]
            """)
        let session = try folder.write(
            "session.jsonl", String(contentsOfFile: Self.sample("session.jsonl"), encoding: .utf8))
        let out = try folder.write("out.jsonl", "results")
        func refuses(_ words: [String], _ input: String) async {
            let answer = await pipectl(words + ["-q"])
            #expect(
                answer.code == .configuration && answer.messages.contains("would write over \(input), which "),
                "\(words) \(answer.messages)")
        }
        let data = Self.sample("shapes.json")
        for flag in ["--html", "--svg", "--png", "--trials"] {
            for input in [config, library, session, out] {
                await refuses(["eval", config, data, "\(flag)=\(input)"], input)
            }
        }
        let tune = ["tune", config, "--on", data, "--vary=match.limit_factor=1,2"]
        for flag in ["--svg", "--png", "--out"] {
            for input in [library, session, out] { await refuses(tune + ["\(flag)=\(input)"], input) }
        }
        #expect(try folder.read("out.jsonl") == "results")
        for flag in ["--svg", "--png"] { await refuses(tune + ["\(flag)=\(config)"], config) }
        #expect(try folder.read("library.json") == String(contentsOfFile: data, encoding: .utf8))
    }

    @Test("pipectl eval: unknown gestures that a pipeline accepts are counted, and a strict pipeline accepts none")
    func openSet() async throws {
        let words = [
            "eval", Self.config("strokes.yaml"), Self.sample("shapes.json"), "--design=open-set", "--templates=2",
            "--repetitions=20", "--format=json", "-q",
        ]
        func row(_ setting: String) async throws -> [String: Any] {
            let answer = await pipectl(words + ["--set", setting])
            let json = try #require(try JSONSerialization.jsonObject(with: Data(answer.results.utf8)) as? [String: Any])
            return try #require((json["rows"] as? [[String: Any]])?.first)
        }
        // Two or three of ten classes are unknown, with one test of each in each of 20 repetitions.
        let open = try await row("match.max_distance=100")
        #expect(open["false_accepts"] as? Double == 1 && open["right"] as? Double == open["accuracy"] as? Double)
        #expect([40, 60].contains(open["strangers"] as? Int))
        let strict = try await row("match.max_distance=0")
        #expect(strict["false_accepts"] as? Double == 0 && strict["right"] as? Double == 0)
    }

    @Test("pipectl eval: the page is self-contained, and names cannot inject markup")
    func page() async throws {
        let folder = try TemporaryFolder()
        let evil = "<script>alert(1)</script>"
        var lines = ""
        for number in 1...12 {
            // Two names for one shape, so that there are confusions to draw.
            let label = number % 2 == 0 ? evil : "line & \\\"quote\\\""
            lines += """
                {"v":1,"kind":"stroke","t_us":\(number),"fields":"xy","pts":[0,0,\(number * 10),0],"label":"\(label)","subject":"<b>\(number % 3)</b>"}

                """
        }
        let data = try folder.write("strokes.jsonl", lines)
        let answer = await pipectl(
            "eval", data, "--html", folder.path + "/page.html", "--templates=1", "-q", "--pool=subject")
        #expect(answer.code == .done, "\(answer.messages)")
        let page = try folder.read("page.html")
        #expect(page.hasPrefix("<!DOCTYPE html>") && page.hasSuffix("</html>\n"))
        #expect(page.contains("&lt;script&gt;") && !page.contains("<script") && !page.contains("<b>"))
        #expect(!page.contains("src=") && !page.contains("href=") && !page.contains("@import"))
        #expect(page.contains("The worst confusions") && page.components(separatedBy: "<svg").count > 4)
        // Every element that is opened is closed.
        for tag in ["svg", "table", "tr", "div", "p", "h1", "h2", "h3"] {
            let opened =
                page.components(separatedBy: "<\(tag)>").count + page.components(separatedBy: "<\(tag) ").count - 2
            #expect(opened == page.components(separatedBy: "</\(tag)>").count - 1, "\(tag)")
        }
    }
}
