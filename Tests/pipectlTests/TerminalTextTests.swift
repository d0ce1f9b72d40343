import Stages
import Testing

@testable import PipelineCommand

@Suite("Text on a terminal")
struct TerminalTextTests {
    @Test("Terminal text: a table is as wide as its cells, without spaces at the ends of lines")
    func table() {
        var table = Table([("node", .left), ("in", .right)])
        table.add(["resample", "12"])
        table.add(["m", "1234"])
        #expect(table.text() == "node        in\nresample    12\nm         1234\n")
    }

    @Test("Terminal text: a name in a table or above a drawing cannot end its line or control the terminal")
    func escapes() {
        var table = Table([("gesture", .left), ("in", .right)])
        table.add(["a\nb\u{1B}[31m", "1"])
        #expect(table.text() == "gesture         in\na\\nb\\u{1b}[31m   1\n")
        let gesture = GestureLibrary.Gesture(
            name: "x\u{1B}[2J", samples: [Stroke(samples: [Sample(x: 0, y: 0)], subject: "y\n")])
        let drawing = LibraryListing.drawings([gesture], .plain)
        #expect(drawing.hasPrefix("x\\u{1b}[2J\nsample 1, 1 points, by y\\n\n"))
    }

    @Test("Terminal text: nothing is colored when the output is not a terminal")
    func color() {
        #expect(Style.plain.error("x") == "x")
        #expect(Style(isColored: true).error("x") == "\u{1B}[1;31mx\u{1B}[0m")
    }
}
