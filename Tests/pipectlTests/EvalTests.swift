import Foundation
import PipelineTesting
import Testing

@testable import PipelineCommand

@Suite("eval")
struct EvalTests {
    /// Creates two classes that are never confused, with ten samples of each by one participant: lines and corners of many sizes.
    private func data() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        var lines = ""
        for number in 1...10 {
            let size = 10 * number
            for (label, points) in [("line", "0,0,\(size),0"), ("corner", "0,0,\(size),0,\(size),\(size)")] {
                lines += """
                    {"v":1,"kind":"stroke","stream":"pen","t_us":\(1000 * (2 * number + (label == "line" ? 0 : 1))),\
                    "fields":"xy","pts":[\(points)],"label":"\(label)","subject":"1"}

                    """
            }
        }
        try folder.write("strokes.jsonl", lines)
        return folder
    }

    private func rows(_ text: String) throws -> [[String: Any]] {
        let report = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        return try #require(report["rows"] as? [[String: Any]])
    }

    @Test(
        "pipectl eval: classes that are easy to distinguish are all recognized, by every matcher",
        arguments: ["cloud", "protractor", "dollar1", "bitmap", "cosine"])
    func perfect(method: String) async throws {
        let folder = try data()
        let answer = await pipectl(
            "eval", folder.path + "/strokes.jsonl", "--method", method, "--templates=1,3", "--repetitions=7",
            "--format=json", "-q")
        #expect(answer.code == .done)
        #expect(answer.messages == "")
        let rows = try rows(answer.results)
        #expect(rows.map { $0["templates"] as? Int } == [1, 3])
        // One participant, seven repetitions, one test for each of two classes.
        #expect(rows.map { $0["tests"] as? Int } == [14, 14])
        #expect(rows.map { $0["accuracy"] as? Double } == [1, 1])
    }

    @Test("pipectl eval: --labels is refused if no data can be a table, because it has no effect")
    func labelsWithoutTable() async throws {
        let folder = try data()
        let names = try folder.write("names.txt", "line\ncorner\n")
        let answer = await pipectl("eval", folder.path + "/strokes.jsonl", "--labels", names)
        #expect(answer.code == .configuration)
        #expect(answer.messages.contains("--labels has an effect only on tables"), "\(answer.messages)")
        let imported = await pipectl(
            "gestures", "import", folder.path + "/new.json", folder.path + "/strokes.jsonl", "--labels", names)
        #expect(imported.code == .configuration && imported.messages.contains("--labels"), "\(imported.messages)")
    }

    @Test("pipectl eval: if samples name no person, a design that needs several people says so")
    func nobody() async throws {
        let folder = try TemporaryFolder()
        let line =
            "{\"v\":1,\"kind\":\"stroke\",\"stream\":\"pen\",\"t_us\":1,\"fields\":\"xy\",\"pts\":[0,0,9,9],\"label\":\"a\"}\n"
        let file = try folder.write("bare.jsonl", line)
        let answer = await pipectl("eval", file, "--design=leave_one_person_out", "-q")
        #expect(answer.messages.contains("samples of each class: no sample names its person\n"), "\(answer.messages)")
        #expect(answer.messages.contains("help: name the person of each stroke with subject; put the hands of each"))
    }

    @Test("pipectl eval: the folder of hands names their person, if the hands are in several folders")
    func folders() async throws {
        let folder = try TemporaryFolder()
        for (size, person) in ["ann", "bob", "cem"].enumerated() {
            var lines = ""
            for number in 1...2 {
                for (label, bend) in [("line", 0), ("bow", 1)] {
                    let points = (0..<21).map { "\($0 * (size + 1) * number),\(bend * $0 * $0 * (size + 1) * number)" }
                    lines += """
                        {"kind":"landmarks","t_us":\(2 * number + bend),"fields":"xy",\
                        "pts":[\(points.joined(separator: ","))],"label":"\(label)"}

                        """
                }
            }
            try folder.write("data/\(person)/hands.jsonl", lines)
        }
        let words = ["--design=leave_one_person_out", "-q", "--format=json"]
        for paths in [["/data"], ["/data/*/hands.jsonl"], ["/data/ann", "/data/bob/hands.jsonl", "/data/cem"]] {
            let answer = await pipectl(["eval"] + paths.map { folder.path + $0 } + words)
            #expect(answer.code == .done, "\(answer.messages)")
            let report = try JSONSerialization.jsonObject(with: Data(answer.results.utf8)) as? [String: Any]
            #expect(report?["users"] as? Int == 3 && report?["pools"] as? Int == 3, "\(paths)")
            // Each of three people has two samples of each of two classes.
            #expect(try #require(try rows(answer.results).first)["tests"] as? Int == 12)
        }
        // Libraries of hands name their people in the same way.
        for person in ["ann", "bob", "cem"] {
            try folder.write("libraries/\(person)/.keep", "")
            _ = await pipectl(
                "gestures", "import", "\(folder.path)/libraries/\(person)/mine.json",
                "\(folder.path)/data/\(person)/hands.jsonl")
        }
        for paths in [["/libraries"], ["ann", "bob", "cem"].map { "/libraries/\($0)/mine.json" }] {
            let answer = await pipectl(["eval"] + paths.map { folder.path + $0 } + words)
            #expect(answer.code == .done, "\(answer.messages)")
            #expect(try #require(try rows(answer.results).first)["tests"] as? Int == 12)
        }
        for other in [["/data/ann"], ["/data", "--pool=subject"]] {
            let answer = await pipectl(["eval", folder.path + other[0]] + other.dropFirst() + words)
            #expect(answer.messages.contains("no sample names its person\n"), "\(other)")
        }
    }

    @Test(
        "pipectl eval: a flag that has no effect for the method is refused",
        arguments: [
            ("cloud", "--points=16"), ("bitmap", "--points=16"), ("bitmap", "--rotation-tolerance=9"),
            ("dollar1", "--score=dice"), ("dollar1", "--rotation-tolerance=9"),
        ])
    func strangeFlags(method: String, flag: String) async throws {
        let folder = try data()
        let answer = await pipectl("eval", folder.path + "/strokes.jsonl", "--method", method, flag)
        #expect(answer.code == .configuration)
        #expect(answer.messages.contains("has no effect with --method=\(method)"))
    }

    @Test(
        "pipectl eval: a flag that has no effect for the design is refused",
        arguments: [
            ("blocks", "--templates=3"), ("blocks", "--repetitions=3"), ("blocks", "--test-all"),
            ("user_dependent", "--users=2"), ("k_shot", "--test-all"), ("user_independent", "--test-all"),
            ("open_set", "--users=2"), ("leave_one_person_out", "--repetitions=3"),
        ])
    func uselessForDesign(design: String, flag: String) async throws {
        let folder = try data()
        let answer = await pipectl("eval", folder.path + "/strokes.jsonl", "--design", design, flag)
        let name = flag.split(separator: "=")[0]
        #expect(answer.code == .configuration)
        #expect(answer.messages.contains("\(name) has no effect with --design=\(design)"), "\(answer.messages)")
    }

    @Test("pipectl eval: values that cannot be evaluated are refused, and the messages name the valid ones")
    func wrongValues() async throws {
        let folder = try data()
        let file = folder.path + "/strokes.jsonl"
        func messages(_ words: String...) async -> String {
            let answer = await pipectl(["eval"] + words)
            #expect(answer.code == .configuration, "\(words)")
            return answer.messages
        }
        #expect(await messages(file, "--kind=bitmap").contains("one of stroke, hand21, motion"))
        let angle = await messages(file, "--rotation-tolerance=200")
        #expect(angle.contains("--rotation-tolerance") && angle.contains("a number from 0 to 180"), "\(angle)")
        let zero = await pipectl("eval", file, "--rotation-tolerance=0", "--templates=1", "--repetitions=1", "-q")
        #expect(zero.code == .done, "\(zero.messages)")
        #expect(await messages(file, "--library=-").contains("evaluates the library of a pipeline, but none is given"))
        let matcher = await messages("\(Repository.root)/Configs/strokes.yaml", file, "--matcher=foo")
        #expect(matcher.contains("no matcher is called \"foo\": the pipeline has match\n"), "\(matcher)")
    }

    @Test("pipectl eval: errors name the pipeline, and the file and time of the sample")
    func placesOfErrors() async throws {
        let folder = try data()
        let file = folder.path + "/strokes.jsonl"
        let config = try folder.write(
            "bad.yaml",
            """
            version: 1
            name: bad
            sources: [ stdin: { kind: stroke } ]
            stages: [ match: { library: none.json, method: dollar1 } ]
            sinks: [ stdout ]
            """)
        // Lines have two points and corners three, and nothing resamples them.
        let unequal = await pipectl("eval", config, file, "-q")
        #expect(unequal.messages.hasPrefix("error[match.dimension]: bad: a stroke of "), "\(unequal.messages)")
        let tuned = await pipectl(
            "tune", "\(Repository.root)/Configs/strokes.yaml", "--on", file, "--design=k_shot",
            "--vary=match.method=dollar1", "-q")
        #expect(tuned.messages.contains(" match.method=dollar1: a stroke of "), "\(tuned.messages)")
        // The library has two samples of line, so a count over all samples would give the stroke without extent the number 3.
        let library = folder.path + "/mine.json"
        let strokes = try folder.read("strokes.jsonl").split(separator: "\n")
        let lines = strokes.filter { $0.contains("\"line\"") }
        try folder.write("two.jsonl", lines[0] + "\n" + lines[1] + "\n")
        _ = await pipectl("gestures", "import", library, folder.path + "/two.jsonl")
        let dot = try folder.write(
            "dot.jsonl",
            #"{"v":1,"kind":"stroke","stream":"pen","t_us":5,"fields":"xy","pts":[1,1,1,1],"label":"line"}"# + "\n")
        let place = await pipectl("eval", "--library", library, dot, "--method=protractor", "-q")
        #expect(place.messages.contains("]: \(dot), pen at 0.000005 s: "), "\(place.messages)")
        // In the table of trials, the first stroke of DATA has the number 1.
        let trials = folder.path + "/trials.csv"
        let answer = await pipectl("eval", "--library", library, file, "--trials", trials, "-q")
        #expect(answer.code == .done, "\(answer.messages)")
        let rows = try folder.read("trials.csv").split(separator: "\n").map {
            $0.split(separator: ",", omittingEmptySubsequences: false)
        }
        let column = try #require(rows.first?.firstIndex(of: "sample"))
        #expect(rows.dropFirst().map { Int($0[column]) } == Array(1...20))
    }

    @Test("pipectl eval: libraries are found in folders and by patterns, beside recordings")
    func librariesInFolders() async throws {
        let folder = try data()
        // Three samples of each of ten shapes, and ten of each of two classes.
        try folder.write(
            "both/shapes.json", String(contentsOfFile: "\(Repository.root)/Samples/shapes.json", encoding: .utf8))
        try folder.write("both/strokes.jsonl", try folder.read("strokes.jsonl"))
        for (path, samples) in [("/both/*.json", 30), ("/both", 50)] {
            let answer = await pipectl(
                "eval", folder.path + path, "--templates=1", "--repetitions=1", "--format=json", "-q")
            #expect(answer.code == .done, "\(answer.messages)")
            #expect(answer.results.contains("\"samples\": \(samples),"), "\(answer.results)")
        }
    }

    @Test("pipectl eval: people who have too few samples of a class are left out, with a warning")
    func leftOut() async throws {
        let folder = try data()
        let strokes = try folder.read("strokes.jsonl")
        // The second person has one corner, and no other sample of it as a test.
        let corner = strokes.split(separator: "\n").first { $0.contains("corner") }.map(String.init) ?? ""
        let lines = strokes.split(separator: "\n").filter { $0.contains("\"line\"") }.joined(separator: "\n")
        let other = (lines + "\n" + corner + "\n").replacing("\"subject\":\"1\"", with: "\"subject\":\"bob\"")
        let file = try folder.write("two.jsonl", strokes + other)
        let answer = await pipectl("eval", file, "--templates=1", "--repetitions=10", "--format=json")
        #expect(
            answer.messages.contains("warning: left out with 1 template: bob (too few samples of corner)\n"),
            "\(answer.messages)")
        // Ten tests of each of two classes, of the first person.
        #expect(try #require(try rows(answer.results).first)["tests"] as? Int == 20)
        let whole = await pipectl("eval", folder.path + "/strokes.jsonl", "--templates=1", "--repetitions=1")
        #expect(!whole.messages.contains("left out"), "\(whole.messages)")
    }

    @Test("pipectl eval: the same seed gives the same trials")
    func seeded() async throws {
        let folder = try data()
        var tables: [[Substring]] = []
        for _ in 0..<2 {
            let text = await pipectl("eval", folder.path + "/strokes.jsonl", "--repetitions=3", "-q").results
            tables.append(text.split(separator: "\n").filter { !$0.hasPrefix("one match took") })
        }
        #expect(tables[0] == tables[1])
    }

    @Test("pipectl eval: too few data are refused with the reason")
    func tooFew() async throws {
        let folder = try data()
        let answer = await pipectl("eval", folder.path + "/strokes.jsonl", "--templates=10", "-q")
        #expect(answer.code == .configuration)
        #expect(answer.messages.hasPrefix("error[eval.too_few]: "))
    }

    // Calculated by hand: the library has a line and a corner. Of four strokes, two are of these classes and similar to them, one
    // is labeled line but is a corner, and one is of an unknown class.
    @Test("pipectl eval: with --library, each stroke is tested once, and unknown gestures are counted separately")
    func library() async throws {
        let folder = try TemporaryFolder()
        func stroke(_ label: String, _ points: String, _ time: Int) -> String {
            #"{"v":1,"kind":"stroke","t_us":\#(time),"fields":"xy","pts":[\#(points)],"label":"\#(label)"}"# + "\n"
        }
        let (line, corner) = ("0,0,100,0", "0,0,100,0,100,100")
        try folder.write("samples.jsonl", stroke("line", line, 1) + stroke("corner", corner, 2))
        let library = folder.path + "/mine.json"
        _ = await pipectl("gestures", "import", library, folder.path + "/samples.jsonl")
        try folder.write(
            "tests.jsonl",
            stroke("line", line, 1) + stroke("corner", corner, 2) + stroke("line", corner, 3)
                + stroke("hook", "0,0,0,100,-50,100", 4))
        let answer = await pipectl("eval", "--library", library, folder.path + "/tests.jsonl", "--format=json", "-q")
        #expect(answer.code == .done, "\(answer.messages)")
        let row = try #require(try rows(answer.results).first)
        #expect(row["tests"] as? Int == 3)
        #expect(row["confusion"] as? [[Int]] == [[1, 1], [0, 1]])
        #expect(answer.results.contains("\"strangers\": 1,"))
        let report = try JSONSerialization.jsonObject(with: Data(answer.results.utf8)) as? [String: Any]
        #expect(report?["classes"] as? [String] == ["line", "corner"])
    }

    @Test("pipectl eval: with --library, a method that uses stored limits warns if they are for other samples")
    func staleLimits() async throws {
        let folder = try TemporaryFolder()
        let (library, session) = (folder.path + "/mine.json", "\(Repository.root)/Samples/session.jsonl")
        _ = await pipectl("gestures", "merge", library, "\(Repository.root)/Samples/shapes.json")
        _ = await pipectl("gestures", "calibrate", library, "--false-accept=2%")
        let valid = await pipectl("eval", "--library", library, session)
        #expect(valid.code == .done && !valid.messages.contains("warning"), "\(valid.messages)")
        #expect(await pipectl("gestures", "remove", library, "star").code == .done)
        let stale = await pipectl("eval", "--library", library, session)
        #expect(stale.code == .done)
        #expect(stale.messages.contains("warning[match.stale_limits]: \(library): "), "\(stale.messages)")
        #expect(stale.messages.contains("help: pipectl gestures calibrate computes them again"), "\(stale.messages)")
        let other = await pipectl("eval", "--library", library, session, "--method=dollar1")
        #expect(other.code == .done && !other.messages.contains("warning"), "\(other.messages)")
    }

    @Test("pipectl eval: with --library, flags for random trials are refused")
    func libraryFlags() async throws {
        let answer = await pipectl("eval", "--library=mine.json", "tests.jsonl", "--seed=3")
        #expect(answer.code == .configuration)
        #expect(answer.messages.hasPrefix("error: --seed has no effect with --library\n"))
    }

    @Test("pipectl eval: the plot is written beside the results")
    func plot() async throws {
        let folder = try data()
        let file = folder.path + "/plot.svg"
        let answer = await pipectl("eval", folder.path + "/strokes.jsonl", "--repetitions=2", "--svg", file)
        #expect(answer.code == .done)
        #expect(try folder.read("plot.svg").hasPrefix("<svg "))
    }

    @Test(
        "pipectl eval: a picture is written in the format of its flag, and a name with another extension is refused"
    )
    func pictures() async throws {
        let folder = try data()
        let (png, svg) = (folder.path + "/plot.png", folder.path + "/plot.svg")
        let words = ["eval", folder.path + "/strokes.jsonl", "--repetitions=2", "-q"]
        #expect(await pipectl(words + ["--png", png, "--svg", svg]).code == .done)
        #expect(Array(try Data(contentsOf: URL(fileURLWithPath: png)).prefix(4)) == [0x89, 0x50, 0x4E, 0x47])
        #expect(try folder.read("plot.svg").hasPrefix("<svg "))
        for (flag, file, help) in [("--svg", png, "--png=FILE"), ("--png", svg, "--svg=FILE")] {
            let answer = await pipectl(words + [flag, file])
            #expect(answer.code == .configuration && answer.messages.contains(help), "\(answer.messages)")
        }
        let shown = await pipectl("gestures", "show", "mine.json", "star", "--svg=star.png")
        #expect(shown.code == .configuration && shown.messages.contains("end the name in .svg"))
    }

    @Test("pipectl eval: the participants are those that the strokes name, in however many folders they are")
    func people() async throws {
        let folder = try TemporaryFolder()
        for (subject, speed) in [("1", "fast"), ("1", "slow"), ("2", "fast"), ("2", "slow")] {
            for (name, points) in [("line", [(0, 0), (9, 0)]), ("corner", [(0, 0), (9, 0), (9, 9)])] {
                for number in 1...3 {
                    let lines = points.map { "<Point X='\($0.0 * number)' Y='\($0.1 * number)' T='\($0.0 + $0.1)'/>" }
                    try folder.write(
                        "data/s\(subject)/\(speed)/\(name)\(number).xml",
                        "<Gesture Name='\(name)\(number)' Subject='\(subject)'>\(lines.joined())</Gesture>")
                }
            }
        }
        func figures(_ words: String...) async throws -> [String: Int] {
            let answer = await pipectl(["eval"] + words + ["--templates=1", "--repetitions=1", "--format=json", "-q"])
            #expect(answer.code == .done, "\(answer.messages)")
            let report = try #require(
                try JSONSerialization.jsonObject(with: Data(answer.results.utf8)) as? [String: Any])
            return report.compactMapValues { $0 as? Int }.filter { ["users", "pools", "samples"].contains($0.key) }
        }
        let apart = ["users": 2, "pools": 4, "samples": 24]
        #expect(try await figures(folder.path + "/data") == apart)
        #expect(try await figures(folder.path + "/data/*/*") == apart)
        #expect(try await figures(folder.path + "/data/**/*.xml") == apart)
        #expect(
            try await figures(folder.path + "/data/s1/fast", folder.path + "/data/s1/slow") == [
                "users": 1, "pools": 2, "samples": 12,
            ])
        // Each class has three samples of each person and speed: three templates leave none for the test.
        let warned = await pipectl("eval", folder.path + "/data", "--templates=1,2,3", "--repetitions=1")
        #expect(
            warned.messages.contains("warning: there are not enough samples for 3 templates and a test: left out\n"))
        #expect(!warned.messages.contains("for 2 templates"), "\(warned.messages)")
        let together = ["users": 2, "pools": 2, "samples": 24]
        #expect(try await figures(folder.path + "/data", "--pool=subject") == together)
        #expect(try await figures(folder.path + "/data", "--design=user_independent") == together)
    }

    @Test("pipectl eval: hands are evaluated by nearest neighbors, and methods for strokes are refused")
    func hands() async throws {
        let folder = try TemporaryFolder()
        let rows = (1...8).flatMap { size in
            [("line", 0), ("bow", 1)].map { label, bend in
                "\(label)," + (0..<21).map { "\($0 * size),\(bend * $0 * $0 * size)" }.joined(separator: ",")
            }
        }
        let data = try folder.write("hands.csv", rows.joined(separator: "\n"))
        let answer = await pipectl("eval", data, "--design=blocks", "--format=json", "-q")
        #expect(answer.code == .done)
        let row = try #require(try self.rows(answer.results).first)
        #expect(row["accuracy"] as? Double == 1 && row["tests"] as? Int == 4 && row["templates"] as? Int == 6)
        let wrong = await pipectl("eval", data, "--method=dollar1")
        #expect(wrong.code == .configuration && wrong.messages.contains("use cosine or euclidean"))
        #expect(await pipectl("eval", data, "--points=9").code == .configuration)
    }
}
