import Foundation
import PipelineTesting
import Testing

@testable import pipectl

@Suite("draw")
struct DrawTests {
    private func sample(_ name: String) -> String { "\(Repository.root)/Samples/\(name)" }

    @Test(
        "Recordings of strokes, of points, and libraries become sheets with a cell for each",
        arguments: [("session.jsonl", 24), ("points.jsonl", 8), ("shapes.json", 30), ("signature.jsonl", 6)])
    func sheets(name: String, cells: Int) async throws {
        let folder = try TemporaryFolder()
        let answer = await pipectl("draw", sample(name), "--out", folder.path + "/sheet.svg", "-q")
        #expect(answer.code == .done)
        #expect(answer.messages == "")
        let svg = try folder.read("sheet.svg")
        #expect(svg.components(separatedBy: "rx=\"8\"").count - 1 == cells)
    }

    @Test("The end of the name decides the format")
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
        "Data without anything to draw is an error, and no picture is written", arguments: ["garbage", "1,2\n3,4", ""])
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

    @Test("One of N frames is drawn of what stands alone; pieces of strokes are not torn apart")
    func every() async throws {
        let folder = try TemporaryFolder()
        let sheet = folder.path + "/sheet.svg"
        #expect(await pipectl("draw", sample("live.jsonl"), "-o", sheet, "--every=10", "-q").code == .done)
        let cells = try folder.read("sheet.svg").components(separatedBy: "rx=\"8\"").count - 1
        #expect(cells == 10)
        let torn = await pipectl("draw", sample("points.jsonl"), "-o", sheet, "--every=10")
        #expect(torn.code == .configuration)
    }

    @Test("A path of the command line is not said to be relative to a configuration")
    func help() async throws {
        for words in [
            ["draw", "nowhere.json", "-o", "a.svg"], ["eval", "nowhere.json"], ["gestures", "show", "nowhere.json"],
        ] {
            let recorder = Recorder()
            #expect(await Pipectl.run(words, recorder.console()) == .environment)
            #expect(recorder.messages.contains("nowhere.json is not there"))
            #expect(!recorder.messages.contains("configuration"))
        }
    }

    @Test("Without --out, and without data, the message says what is missing")
    func missing() async throws {
        let answer = await pipectl("draw", sample("session.jsonl"))
        #expect(answer.code == .configuration)
        #expect(answer.messages.contains("--out=sheet.png"))
        let none = await pipectl("draw", "/nowhere/at/all", "--out=/tmp/sheet.svg")
        #expect(none.code == .environment)
        #expect(none.messages.contains("/nowhere/at/all"))
    }
}
