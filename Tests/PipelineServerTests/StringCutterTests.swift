import Connectors
import Testing

@testable import PipelineServer

@Suite("Long strings from outside")
struct StringCutterTests {
    private func cut(_ text: String) -> String { String(decoding: StringCutter.cut(Array(text.utf8)), as: UTF8.self) }

    @Test("Long strings are cut between characters and escapes, and all else stays")
    func cutting() {
        let plain = #"{"a":[1,2.5,null],"b":"short \" \\ é","c":""}"#
        #expect(cut(plain) == plain)
        let long = String(repeating: "x", count: 1000)
        #expect(cut("[\"\(long)\",1]") == "[\"\(long.prefix(200))…\",1]")
        let accents = String(repeating: "é", count: 500)
        #expect(cut("\"\(accents)\"") == "\"\(accents.prefix(100))…\"")
        let escapes = String(repeating: "\\u0041", count: 100)
        #expect(cut("\"\(escapes)\"") == "\"\(String(repeating: "\\u0041", count: 33))…\"")
        let quotes = String(repeating: "\\\"", count: 300)
        #expect(cut("\"\(quotes)\"") == "\"\(String(repeating: "\\\"", count: 100))…\"")
    }

    @Test("A long string is not cut between the two escapes of a character, so that strict clients can read it")
    func surrogates() {
        let face = #"\ud83d\ude00"#
        for before in 0..<12 {
            let plain = String(repeating: "x", count: before)
            let faces = String(repeating: face, count: (200 - before) / 12)
            #expect(cut("\"\(plain)\(String(repeating: face, count: 40))\"") == "\"\(plain)\(faces)…\"")
        }
        // Half of a pair is no character, but it is valid JSON.
        let half = String(repeating: #"\ud83d"#, count: 40)
        #expect(cut("\"\(half)\"") == "\"\(half.prefix(33 * 6))…\"")
    }

    @Test("Long strings are cut while they are written")
    func writing() {
        var json = TextBuffer()
        json.longestString = 10
        json.quoted(String(repeating: "é", count: 1000))
        json.quoted("0123456789")
        #expect(json.text == "\"ééééé…\"\"0123456789\"")
    }
}
