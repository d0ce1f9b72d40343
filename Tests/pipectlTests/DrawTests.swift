import Foundation
import PipelineTesting
import Testing

@testable import PipelineCommand

#if canImport(FoundationXML)
    import FoundationXML
#endif

@Suite("draw")
struct DrawTests {
    private func sample(_ name: String) -> String { "\(Repository.root)/Samples/\(name)" }

    @Test(
        "pipectl draw: a sheet has a cell for each stroke of a recording, and for each sample of a library",
        arguments: [("session.jsonl", 24), ("points.jsonl", 8), ("shapes.json", 30), ("signature.jsonl", 6)])
    func sheets(name: String, cells: Int) async throws {
        let folder = try TemporaryFolder()
        let answer = await pipectl("draw", sample(name), "--out", folder.path + "/sheet.svg", "-q")
        #expect(answer.code == .done)
        #expect(answer.messages == "")
        let svg = try folder.read("sheet.svg")
        #expect(svg.components(separatedBy: "rx=\"8\"").count - 1 == cells)
    }

    /// Creates a library with every kind of sample: two strokes, one hand, and one bitmap, each for its own gesture.
    private func mixedLibrary(in folder: TemporaryFolder, naming name: String = "cross") throws -> String {
        let points = (0..<21).map { "\($0 % 5),\($0 / 5)" }.joined(separator: ",")
        return try folder.write(
            "mixed.json",
            """
            {"version":1,"gestures":[
            {"name":"\(name)","kind":"stroke","samples":[{"fields":"xy","pts":[0,0,2,2]},{"fields":"xy","pts":[0,0,2,2],"subject":"Ada"}]},
            {"name":"open","kind":"hand21","samples":[{"topology":"hand21","space":"pixels","fields":"xy","pts":[\(points)]}]},
            {"name":"block","kind":"bitmap","samples":[],"patterns":["8000000000000001"]}]}
            """)
    }

    @Test(
        "pipectl draw: libraries of hands, bitmaps and mixed kinds are drawn sample by sample",
        arguments: ["svg", "png"])
    func libraries(ending: String) async throws {
        let folder = try TemporaryFolder()
        let sheet = folder.path + "/sheet." + ending
        for (data, cells) in [
            (try mixedLibrary(in: folder), 4), (sample("hands.json"), 20), (sample("letters.json"), nil),
        ] {
            let answer = await pipectl("draw", data, "--out", sheet, "-q")
            #expect(answer.code == .done && answer.messages == "", "\(data): \(answer.messages)")
            guard ending == "svg", let cells else { continue }
            let svg = try folder.read("sheet.svg")
            #expect(svg.components(separatedBy: "rx=\"8\"").count - 1 == cells)
        }
        _ = await pipectl("draw", try mixedLibrary(in: folder), "--out", folder.path + "/mixed.svg", "-q")
        let svg = try folder.read("mixed.svg")
        for words in [">cross<", ">open<", ">block<", ">sample 1<", ">Ada<"] {
            #expect(svg.contains(words), "\(words)")
        }
        // Two strokes, 21 bones of the hand, and the frame of the bitmap. The bitmap's two black cells, in opposite corners, are
        // contours of one path.
        #expect(svg.components(separatedBy: "<polyline").count - 1 == 2 + 21 + 1)
        let paths = svg.matches(of: #/<path d="([^"]*)"/#).map(\.1)
        #expect(paths.contains { path in path.count { $0 == "M" } == 2 && !path.contains("a") })
    }

    @Test("pipectl draw: a recording of bitmaps is drawn, and an invalid library is refused with its line")
    func bitmaps() async throws {
        let folder = try TemporaryFolder()
        let lines = (0..<3).map {
            #"{"v":1,"kind":"bitmap","stream":"pen","seq":\#($0),"t_us":\#($0 + 1),"bits":"00000000000000ff"}"#
        }
        let data = try folder.write("bits.jsonl", lines.joined(separator: "\n"))
        let sheet = folder.path + "/sheet.svg"
        #expect(await pipectl("draw", data, "--out", sheet, "-q").code == .done)
        #expect(try folder.read("sheet.svg").components(separatedBy: "rx=\"8\"").count - 1 == 3)
        for gestures in [#"{"name":5}"#, #"{"name":5,"kind":"stroke"},"# + "\n" + #"{"name":"a","kind":"bitmap"}"#] {
            let broken = try folder.write("broken.json", "{\"version\":1,\"gestures\":[\n\(gestures)]}")
            let answer = await pipectl("draw", broken, "--out", sheet)
            #expect(answer.code == .environment)
            #expect(answer.messages.hasPrefix("error[decode.type]: \(broken), line 2: "), "\(answer.messages)")
        }
    }

    @Test(
        "pipectl draw: in a label, characters that XML or Cairo do not accept are replaced", arguments: ["svg", "png"])
    func strangeLabels(ending: String) async throws {
        let folder = try TemporaryFolder()
        // A string literal cannot contain all of these.
        let strange = ([0xFFFE, 0xFFFF, 1, 0x1FFFE, 0xFDD0] as [UInt32]).compactMap { Unicode.Scalar($0) }
        let label = zip("abcde", strange).map { "\($0)\($1)" }.joined() + "<&"
        let escaped = String(decoding: try JSONSerialization.data(withJSONObject: [label]), as: UTF8.self).dropFirst()
            .dropLast()
        let line =
            "{\"v\":1,\"kind\":\"stroke\",\"stream\":\"p\",\"t_us\":5,\"fields\":\"xy\",\"pts\":[0,0,1,1],\"label\":\(escaped)}"
        let data = try folder.write("data.jsonl", line)
        let library = try mixedLibrary(in: folder, naming: String(escaped.dropFirst().dropLast()))
        for (number, words) in [
            ["draw", data, "--out"], ["draw", library, "--out"], ["gestures", "show", library, label, "--svg"],
        ].enumerated()
        where number < 2 || ending == "svg" {
            let picture = "picture\(number).\(ending)"
            let answer = await pipectl(words + [folder.path + "/" + picture, "-q"])
            #expect(answer.code == .done, "\(answer.messages)")
            let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.path + "/" + picture))
            guard ending == "svg" else {
                #expect(Array(bytes.prefix(4)) == [0x89, 0x50, 0x4E, 0x47])
                continue
            }
            #expect(XMLParser(data: bytes).parse(), "\(words)")
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(text.contains("a\u{FFFD}b\u{FFFD}c\u{FFFD}d\u{FFFD}e\u{FFFD}&lt;&amp;"))
        }
    }

    @Test("pipectl draw: the warning about a figure that cannot be drawn names the data, not the picture")
    func undrawable() async throws {
        let folder = try TemporaryFolder()
        let lines = ["0,0,5,5", "1e308,-1e308,-1e308,1e308"].enumerated().map {
            #"{"v":1,"kind":"stroke","stream":"s","seq":\#($0),"t_us":\#($0 + 1),"fields":"xy","pts":[\#($1)]}"#
        }
        let data = try folder.write("data.jsonl", lines.joined(separator: "\n"))
        let answer = await pipectl("draw", data, "--out", folder.path + "/sheet.svg")
        #expect(answer.code == .done)
        #expect(
            answer.messages.contains("warning[stroke.not_finite]: \(data): stream s, frame 1 at 0.000002 s: "),
            "\(answer.messages)")
        #expect(!answer.messages.contains("sheet.svg: "), "\(answer.messages)")
    }

    @Test("pipectl draw: the extension of the file name decides the format")
    func format() async throws {
        let folder = try TemporaryFolder()
        #expect(await pipectl("draw", sample("session.jsonl"), "-o", folder.path + "/a.png", "--limit=3").code == .done)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.path + "/a.png"))
        #expect(Array(bytes.prefix(4)) == [0x89, 0x50, 0x4E, 0x47])
        let answer = await pipectl("draw", sample("session.jsonl"), "-o", folder.path + "/a.gif")
        #expect(answer.code == .configuration)
        #expect(answer.messages.contains("end the name in .png or .svg"))
    }

    @Test(
        "pipectl draw: data without anything to draw is an error, and no picture is written",
        arguments: ["garbage", "1,2\n3,4", ""])
    func nothing(text: String) async throws {
        let folder = try TemporaryFolder()
        try folder.write("data.\(text.contains(",") ? "csv" : "jsonl")", text)
        let data = folder.path + "/data.\(text.contains(",") ? "csv" : "jsonl")"
        try folder.write("sheet.svg", "an earlier one")
        let answer = await pipectl("draw", data, "--out", folder.path + "/sheet.svg")
        #expect(answer.code == .environment)
        #expect(answer.messages.contains("error[draw.nothing]: \(data): there was nothing to draw"))
        #expect(!answer.messages.contains("written\n") || answer.messages.contains("no picture was written"))
        #expect(try folder.read("sheet.svg") == "an earlier one")
    }

    @Test("pipectl draw: --every draws one of N independent frames, and is refused for points, which continue strokes")
    func every() async throws {
        let folder = try TemporaryFolder()
        let sheet = folder.path + "/sheet.svg"
        #expect(await pipectl("draw", sample("live.jsonl"), "-o", sheet, "--every=10", "-q").code == .done)
        let cells = try folder.read("sheet.svg").components(separatedBy: "rx=\"8\"").count - 1
        #expect(cells == 10)
        let torn = await pipectl("draw", sample("points.jsonl"), "-o", sheet, "--every=10")
        #expect(torn.code == .configuration)
    }

    @Test("pipectl draw: the error about a path of the command line mentions no configuration")
    func help() async throws {
        for words in [
            ["draw", "nowhere.json", "-o", "a.svg"], ["eval", "nowhere.json"], ["gestures", "show", "nowhere.json"],
        ] {
            let recorder = Recorder()
            #expect(await CommandLineTool.pipectl.run(words, recorder.console()) == .environment)
            #expect(recorder.messages.contains("nowhere.json is not there"))
            #expect(!recorder.messages.contains("configuration"))
        }
    }

    @Test("pipectl draw: without --out, and without data, the message says what is missing")
    func missing() async throws {
        let answer = await pipectl("draw", sample("session.jsonl"))
        #expect(answer.code == .configuration)
        #expect(answer.messages.contains("--out=sheet.png"))
        let none = await pipectl("draw", "/nowhere/at/all", "--out=/tmp/sheet.svg")
        #expect(none.code == .environment)
        #expect(none.messages.contains("/nowhere/at/all"))
    }
}
