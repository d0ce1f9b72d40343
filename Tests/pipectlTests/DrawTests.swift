import Foundation
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
