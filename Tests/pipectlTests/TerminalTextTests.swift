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

    @Test("JSON is escaped, and what fits stands on one line")
    func json() {
        let value = JSONText.object([
            ("a", .array([.integer(1), .number(0.5), .number(2), .null, .boolean(true)])),
            ("b", .string("\"\\\n\u{1}é")), ("c", .number(.nan)),
        ])
        #expect(
            value.document
                == "{\"a\": [1, 0.5, 2, null, true], \"b\": \"\\\"\\\\\\n\\u0001é\", \"c\": null}\n")
    }

    @Test("A long object has a line for each key")
    func longJSON() {
        let text = String(repeating: "x", count: 100)
        #expect(
            JSONText.object([("a", .string(text)), ("b", .integer(1))]).document
                == "{\n  \"a\": \"\(text)\",\n  \"b\": 1\n}\n")
    }

    @Test("Nothing is coloured where no terminal is")
    func colour() {
        #expect(Style.plain.error("x") == "x")
        #expect(Style(isColoured: true).error("x") == "\u{1B}[1;31mx\u{1B}[0m")
    }
}
