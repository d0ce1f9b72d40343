import Foundation
import PipelineTesting
import Testing

@testable import PipelineCommand

@Suite("CSV that pipectl has written, as input")
struct ConvertTableTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func convert(_ from: String, _ to: String, _ flags: String...) async -> (
        code: ExitCode, results: String, messages: String
    ) {
        let source = from.contains("/") ? from : "\(folder.path)/\(from)"
        return await pipectl(["convert", source, "\(folder.path)/\(to)"] + flags)
    }

    @Test(
        "convert: a table of strokes or points that was written by pipectl is read as the same frames",
        arguments: ["session", "points", "mouse", "letters"])
    func same(sample: String) async throws {
        #expect(await convert("\(Repository.root)/Samples/\(sample).jsonl", "a.jsonl").code == .done)
        #expect(await convert("a.jsonl", "table.csv").code == .done)
        #expect(await convert("table.csv", "b.jsonl").code == .done)
        let isSame = try folder.read("a.jsonl") == folder.read("b.jsonl")
        #expect(isSame)
        #expect(try folder.read("a.jsonl").count > 1000)
    }

    @Test("convert: strokes without times, with several parts, and with a pressure keep what they have in a table")
    func fields() async throws {
        let lines = """
            {"v":1,"kind":"stroke","stream":"a","seq":4,"t_us":50,"start_us":50,"fields":"xy","pts":[1,2,3,4]}
            {"v":1,"kind":"stroke","stream":"b","seq":7,"t_us":90,"start_us":10,"counts":[1,2],"fields":"xytp","pts":[1,2,0,0.5,3,4,80,0.25,5,6,80,0],"label":"line","subject":"anna"}

            """
        try folder.write("a.jsonl", lines)
        #expect(await convert("a.jsonl", "table.csv").code == .done)
        #expect(await convert("table.csv", "b.jsonl").code == .done)
        #expect(try folder.read("b.jsonl") == lines)
    }

    @Test("convert: strokes without samples, also as a part of a gesture, and samples before time 0 survive a table")
    func emptyAndEarly() async throws {
        let lines = """
            {"v":1,"kind":"stroke","stream":"a","seq":0,"t_us":50,"start_us":50,"fields":"xy","pts":[],"label":"none"}
            {"v":1,"kind":"stroke","stream":"a","seq":1,"t_us":90,"start_us":10,"counts":[0,2,0],"fields":"xyt","pts":[1,2,0,3,4,80]}
            {"v":1,"kind":"stroke","stream":"a","seq":2,"t_us":95,"start_us":0,"fields":"xyt","pts":[1,2,-5,3,4,95]}

            """
        try folder.write("a.jsonl", lines)
        #expect(await convert("a.jsonl", "table.csv").code == .done)
        #expect(
            try folder.read("table.csv") == """
                stream,seq,t_us,stroke,x,y,sample_us,p,label,subject
                a,0,50,0,,,,,none,
                a,1,90,0,,,,,,
                a,1,90,1,1,2,10,,,
                a,1,90,1,3,4,90,,,
                a,1,90,2,,,,,,
                a,2,95,0,1,2,-5,,,
                a,2,95,0,3,4,95,,,

                """)
        #expect(await convert("table.csv", "b.jsonl").code == .done)
        #expect(try folder.read("b.jsonl") == lines)
    }

    @Test("convert: a table of pieces of strokes is not read as strokes, and a table of hands is refused")
    func refused() async throws {
        #expect(await convert("\(Repository.root)/Samples/points.jsonl", "points.csv").code == .done)
        let strokes = await convert("points.csv", "strokes.jsonl", "--kind=stroke")
        #expect(strokes.code == .failed)
        #expect(strokes.messages.contains("write kind: points"), "\(strokes.messages)")
        #expect(await convert("\(Repository.root)/Samples/hands.jsonl", "hands.csv").code == .done)
        for flags in [[], ["--kind=hands"]] {
            let hands = await pipectl(
                ["convert", "\(folder.path)/hands.csv", "\(folder.path)/h.jsonl", "--force"] + flags)
            #expect(hands.code == .failed)
            #expect(hands.messages.contains("decode.column"), "\(hands.messages)")
        }
    }

    @Test("convert: frames with the same number at different times stay apart, and numbers are exact")
    func epochs() async throws {
        let lines = [(0, 5), (0, 90), (9_007_199_254_740_991, 95)].map { number, time in
            #"{"v":1,"kind":"stroke","stream":"a","seq":\#(number),"t_us":\#(time),"start_us":\#(time),"fields":"xy","pts":[1,2,3,4]}"#
                + "\n"
        }.joined()
        try folder.write("a.jsonl", lines)
        #expect(await convert("a.jsonl", "table.csv").code == .done)
        #expect(await convert("table.csv", "b.jsonl").code == .done)
        #expect(try folder.read("b.jsonl") == lines)
    }

    @Test("convert: a row that cannot be read fails its frame, and the other frames of the table are read")
    func damaged() async throws {
        try folder.write(
            "table.csv",
            """
            stream,seq,t_us,stroke,x,y,sample_us,p,label,subject
            a,0,20,0,1,2,0,,,
            a,0,20,0,1,2,20,,,
            a,1,40,0,1,2,30,,,
            a,1,40,0,one,2,40,,,
            a,1,40,0,3,2,41,,,
            a,2,60,0,1,2,60,,,
            a,3,70,0,1,2,65,,,
            a,3,70,0,1,,70,,,

            """)
        let answer = await convert("table.csv", "b.jsonl")
        #expect(answer.code == .failed)
        #expect(answer.messages.contains("line 5: column x: expected a number, found \"one\""), "\(answer.messages)")
        #expect(answer.messages.contains("line 9: the row lacks a coordinate"), "\(answer.messages)")
        #expect(answer.messages.contains("2 frames written"), "\(answer.messages)")
        #expect(try folder.read("b.jsonl").split(separator: "\n").map { $0.contains("\"seq\":1") } == [false, false])
    }

    // The header has ten cells.
    @Test("convert: a row that was cut off is an error, and the frames before it are read")
    func cut() async throws {
        try folder.write(
            "table.csv",
            """
            stream,seq,t_us,stroke,x,y,sample_us,p,label,subject
            pen/0,0,1000,0,0,0,,,ok,
            pen/1,0,2000,0
            """)
        let answer = await convert("table.csv", "b.jsonl")
        #expect(answer.code == .failed)
        #expect(
            answer.messages.contains("line 3: the row has 4 of 10 cells; it was cut off"), "\(answer.messages)")
        let lines = try folder.read("b.jsonl").split(separator: "\n")
        #expect(lines.count == 1 && lines[0].contains("\"stream\":\"pen/0\""))
    }

    @Test("convert: an empty row separates successive frames with equal streams, numbers and times")
    func equal() async throws {
        let line =
            #"{"v":1,"kind":"stroke","stream":"a","seq":0,"t_us":50,"start_us":50,"fields":"xy","pts":[1,2,3,4]}"#
        try folder.write("a.jsonl", "\(line)\n\(line)\n")
        #expect(await convert("a.jsonl", "table.csv").code == .done)
        let rows = "a,0,50,0,1,2,,,,\na,0,50,0,3,4,,,,\n"
        #expect(
            try folder.read("table.csv")
                == "stream,seq,t_us,stroke,x,y,sample_us,p,label,subject\n\(rows)\n\(rows)")
        #expect(await convert("table.csv", "b.jsonl").code == .done)
        #expect(try folder.read("b.jsonl") == "\(line)\n\(line)\n")
    }

    @Test("convert: where the number of the stroke goes back, a table without empty rows has another frame")
    func strokeBack() async throws {
        let rows = "a,0,50,0,1,2,,,,\na,0,50,1,3,4,,,,\n"
        try folder.write("table.csv", "stream,seq,t_us,stroke,x,y,sample_us,p,label,subject\n\(rows)\(rows)")
        #expect(await convert("table.csv", "b.jsonl").code == .done)
        let line =
            #"{"v":1,"kind":"stroke","stream":"a","seq":0,"t_us":50,"start_us":50,"counts":[1,1],"fields":"xy","pts":[1,2,3,4]}"#
        #expect(try folder.read("b.jsonl") == "\(line)\n\(line)\n")
    }

    @Test("convert: - is standard output")
    func standardOutput() async throws {
        let session = "\(Repository.root)/Samples/session.jsonl"
        let text = try String(contentsOfFile: session, encoding: .utf8)
        let lines = try await Program.run("convert", session, "-", folder: folder.path)
        #expect(lines.code == 0 && lines.results == text)
        let table = try await Program.run("convert", session, "-", "--to=csv", folder: folder.path)
        #expect(table.results.hasPrefix("stream,seq,t_us,stroke,"))
        let packed = try await Program.run("convert", session, "-", "--to=mcap", folder: folder.path)
        #expect(packed.code == 2 && packed.results.isEmpty, "\(packed.messages)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test("convert: a reader that closes standard output at once gets no warning that nothing was selected")
    func readerGone() async throws {
        let ending = try await Program.shell(
            "{ sleep 0.3; exec \"$0\" convert \"$1\" -; } | true",
            [try Program.path(), "\(Repository.root)/Samples/session.jsonl"], folder: folder.path)
        #expect(!ending.messages.contains("no message was selected"), "\(ending.messages)")
    }

    @Test("convert: a new file without a frame is removed when the command fails, and an old one stays")
    func nothingWritten() async throws {
        try folder.write("bad.jsonl", "{\"v\":1,\"kind\":\"stroke\"}\n")
        let first = await convert("bad.jsonl", "a.jsonl", "--kind=stroke")
        #expect(first.code == .failed && !first.messages.contains("0 frames written"), "\(first.messages)")
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/a.jsonl"))
        try folder.write("b.jsonl", "old\n")
        #expect(await convert("bad.jsonl", "b.jsonl", "--kind=stroke", "--force").code == .failed)
        #expect(FileManager.default.fileExists(atPath: "\(folder.path)/b.jsonl"))
    }

    @Test("convert: a warning says that a selection matches no message")
    func nothing() async throws {
        let session = "\(Repository.root)/Samples/session.jsonl"
        let frames = await convert(session, "a.mcap", "--streams=nobody")
        #expect(frames.messages.contains("warning: no message was selected"), "\(frames.messages)")
        #expect(await convert(session, "b.mcap").code == .done)
        let messages = await convert("b.mcap", "c.mcap", "--start-offset=60s")
        #expect(messages.messages.contains("warning: no message was selected"), "\(messages.messages)")
    }

    @Test("convert: from the recording of a run, the frames of its sources are read or, for another kind, its results")
    func run() async throws {
        let strokes = "\(Repository.root)/Configs/strokes.yaml"
        let results = try await Program.run(
            "run", "-q", strokes, "--record", "\(folder.path)/box.mcap", "--set", "stdout.format=jsonl")
        #expect(results.code == 0, "\(results.messages)")
        #expect(await convert("box.mcap", "in.jsonl", "--kind=stroke").code == .done)
        let session = try String(contentsOfFile: "\(Repository.root)/Samples/session.jsonl", encoding: .utf8)
        #expect(try folder.read("in.jsonl").split(separator: "\n").count == session.split(separator: "\n").count)
        #expect(await convert("box.mcap", "out.jsonl", "--kind=recognition").code == .done)
        #expect(try folder.read("out.jsonl") == results.results)

        // Without its end, a recording has no index.
        let whole = try Data(contentsOf: URL(fileURLWithPath: "\(folder.path)/box.mcap"))
        try whole.dropLast(100).write(to: URL(fileURLWithPath: "\(folder.path)/cut.mcap"))
        #expect(await convert("cut.mcap", "cut.jsonl", "--kind=recognition").code == .done)
        #expect(try folder.read("cut.jsonl") == results.results)
    }
}
