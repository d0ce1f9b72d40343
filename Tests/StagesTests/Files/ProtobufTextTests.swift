import Pipeline
import Testing

@testable import Connectors

@Suite("Protocol Buffers' text")
struct ProtobufTextTests {
    private func read(_ text: String) throws -> [ProtobufText.Event] {
        var events: [ProtobufText.Event] = []
        var text = text
        try text.withUTF8 {
            try ProtobufText.read(UnsafeRawBufferPointer($0)) { (event) throws(PipelineError) in events.append(event) }
        }
        return events
    }

    @Test(
        "Protocol Buffers' text has the same meaning in every notation that its grammar allows",
        arguments: [
            "a { b: 1 c: \"x\" } d: RED", "a: { b: 1, c: 'x' }; d: RED", "a < b:1;c:\"x\" > d:RED",
            "# what\na{b:1# why\nc:\"\" 'x'}d:RED", "a: [{ b: [1], c: \"x\" }] d: RED",
            "\u{FEFF}a {\r\n\tb: 1\r\n\tc: \"x\"\r\n}\r\nd: RED",
        ])
    func grammar(text: String) throws {
        #expect(
            try read(text) == [
                .open("a"), .value("b", "1"), .value("c", "x"), .close, .value("d", "RED"),
            ])
    }

    @Test("Protocol Buffers' text keeps lists, numbers, escapes and extensions")
    func values() throws {
        #expect(
            try read("x: [1, -2.5e-7, inf]") == [.value("x", "1"), .value("x", "-2.5e-7"), .value("x", "inf")])
        #expect(try read("[a.b/c.D] { s: 'it\\'s' }") == [.open("[a.b/c.D]"), .value("s", "it's"), .close])
        #expect(try read("").isEmpty)
        #expect(try read("x: [] y: 1") == [.value("y", "1")])
    }

    @Test(
        "Protocol Buffers' text is refused at the line where it is wrong",
        arguments: [
            ("a {\n b: 1\n", "decode.truncated", "line 3"), ("a: \"x", "decode.truncated", "line 1"),
            ("\n}", "decode.syntax", "line 2"), ("a 1", "decode.syntax", "line 1"),
            ("a: [1 2]", "decode.syntax", "line 1"),
            ("a: \n\n&", "decode.syntax", "line 3"), ("1: 2", "decode.syntax", "line 1"),
            ("a: [[1]]", "decode.syntax", "line 1"), ("a: 'x\ny'", "decode.syntax", "line 1"),
            (String(repeating: "a{", count: 100_000), "decode.depth", "line 1"),
        ])
    func wrong(text: String, code: String, place: String) {
        let error = #expect(throws: PipelineError.self) { try read(text) }
        #expect(error?.code == code)
        #expect(error?.location == place)
    }
}
