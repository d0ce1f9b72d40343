import Foundation
import PipelineTesting
import Testing

@testable import PipelineCommand

@Suite("Files that commands must keep")
struct KeptFilesTests {
    private let folder: TemporaryFolder
    private let session: String

    init() throws {
        folder = try TemporaryFolder()
        session = try String(contentsOfFile: "\(Repository.root)/Samples/session.jsonl", encoding: .utf8)
    }

    private func path(_ name: String) -> String { "\(folder.path)/\(name)" }

    @Test(
        "A command does not write over a recording in a folder, or of a pattern, that it reads",
        arguments: ["recorded", "recorded/*.jsonl"])
    func inputs(input: String) async throws {
        try FileManager.default.createDirectory(atPath: path("recorded"), withIntermediateDirectories: true)
        try folder.write("recorded/a.jsonl", session)
        let file = path("recorded/a.jsonl")
        let pipeline = "\(Repository.root)/Configs/strokes.yaml"
        for words in [
            ["convert", path(input), file, "--force"],
            ["eval", path(input), "--templates=1", "--repetitions=1", "--trials=\(file)"],
            ["tune", pipeline, "--on=\(path(input))", "--vary=match.limit_factor=1", "--templates=1", "-o", file],
        ] {
            let answer = await pipectl(words)
            #expect(answer.code == .configuration, "\(words[0]): \(answer.messages)")
            #expect(answer.messages.contains("which is read"), "\(words[0]): \(answer.messages)")
        }
        try FileManager.default.createSymbolicLink(atPath: path("link.csv"), withDestinationPath: "recorded/a.jsonl")
        #expect(await pipectl("convert", path(input), path("link.csv"), "--force").code == .configuration)
        #expect(try folder.read("recorded/a.jsonl") == session)
    }

    @Test("draw does not write over its input, also through a link")
    func drawing() async throws {
        try folder.write("a.jsonl", session)
        try FileManager.default.createSymbolicLink(atPath: path("a.png"), withDestinationPath: "a.jsonl")
        #expect(await pipectl("draw", path("a.jsonl"), "--out=\(path("a.png"))").code == .configuration)
        #expect(try folder.read("a.jsonl") == session)
    }

    @Test(
        "gestures: a sample or a name with which a library could not be read again is refused, and the library is kept")
    func library() async throws {
        let shapes = try String(contentsOfFile: "\(Repository.root)/Samples/shapes.json", encoding: .utf8)
        try folder.write("lib.json", shapes)
        try folder.write("session.jsonl", session)
        for rest in [
            #""pts":[],"label":"tap""#, #""pts":[1,2],"label":"None""#,
            #""pts":[1,2,3,4],"counts":[1,1,0],"label":"a""#,
            #""pts":[1e308,2,3,4],"label":"a""#,
        ] {
            try folder.write("bad.jsonl", #"{"v":1,"kind":"stroke","seq":0,"t_us":5,"fields":"xy",\#(rest)}"# + "\n")
            let answer = await pipectl("gestures", "import", path("lib.json"), path("bad.jsonl"))
            #expect(answer.code != .done, "\(rest): \(answer.messages)")
            #expect(try folder.read("lib.json") == shapes, "\(rest)")
        }
        #expect(await pipectl("gestures", "add", path("lib.json"), "None", path("session.jsonl")).code != .done)
        #expect(try folder.read("lib.json") == shapes)
    }

    @Test("A compression that the file cannot have is refused, and no file is written")
    func compression() async throws {
        try folder.write("a.jsonl", session)
        for (out, compression) in [
            ("b.jsonl", "lz4"), ("b.mcap", "gzip"), ("b.jsonl.gz", "none"), ("b.jsonl.gz", "zstd"),
            ("b.mcap.gz", "auto"), ("b.mcap.zst", "zstd"),
        ] {
            let answer = await pipectl("convert", path("a.jsonl"), path(out), "--compression=\(compression)")
            #expect(answer.code == .configuration, "\(out) \(compression): \(answer.messages)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a.jsonl"])
    }

    @Test("convert warns about a compressed file whose name does not say so")
    func compressionWithoutEnding() async throws {
        try folder.write("a.jsonl", session)
        for (out, isWarned) in [("b.jsonl", true), ("c.jsonl.gz", false)] {
            let answer = await pipectl("convert", path("a.jsonl"), path(out), "--compression=gzip")
            #expect(answer.code == .done, "\(answer.messages)")
            let words = "warning[file.compression]: the name of \(path(out)) does not end in .gz"
            #expect(answer.messages.contains(words) == isWarned, "\(answer.messages)")
        }
    }

    @Test("Standard input and output that are closed are an error at once, and no other file takes their place")
    func closed() async throws {
        try folder.write("in.yaml", "version: 1\nsources: [stdin: { kind: stroke }]\nsinks: [discard]\n")
        let program = try Program.path()
        let input = try await Program.shell("exec \"$0\" run -q in.yaml <&-", [program], folder: folder.path)
        #expect(input.code == 3 && input.messages.contains("standard input is closed"), "\(input.messages)")
        let output = try await Program.shell("exec \"$0\" --version >&-", [program], folder: folder.path)
        #expect(output.code == 3, "\(output.messages)")
        #expect(
            output.messages.contains("standard output cannot be written: Bad file descriptor"), "\(output.messages)")
        let jobs = try await Program.shell("exec \"$0\" worker < .", [program], folder: folder.path)
        #expect(jobs.code == 3, "\(jobs.messages)")
    }

    @Test("A table whose texts are not UTF-8 is refused, so that different labels do not become one")
    func encoding() async throws {
        let table: [UInt8] = Array("x,y,gesture,label\n1,2,1,Kreuz ".utf8) + [0xE4] + Array("\n3,4,1,b\n".utf8)
        try Data(table).write(to: URL(fileURLWithPath: path("latin.csv")))
        let answer = await pipectl("gestures", "import", path("lib.json"), path("latin.csv"))
        #expect(answer.code == .environment || answer.code == .failed, "\(answer.messages)")
        #expect(answer.messages.contains("column 4 is not UTF-8"), "\(answer.messages)")
    }
}
