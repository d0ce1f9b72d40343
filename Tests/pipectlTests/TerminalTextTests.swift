import Testing

@testable import pipectl

@Suite("Text on a terminal")
struct TerminalTextTests {
    @Test("A table is as wide as its cells, without spaces at the ends of lines")
    func table() {
        var table = Table([("node", .left), ("in", .right)])
        table.add(["resample", "12"])
        table.add(["m", "1234"])
        #expect(table.text() == "node        in\nresample    12\nm         1234\n")
    }

    @Test("Nothing is coloured where no terminal is")
    func colour() {
        #expect(Style.plain.error("x") == "x")
        #expect(Style(isColoured: true).error("x") == "\u{1B}[1;31mx\u{1B}[0m")
    }
}
