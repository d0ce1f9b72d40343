import Foundation
import Pipeline
import PipelineTesting
import Testing

@testable import Connectors
@testable import PipelineComponents
@testable import Stages

@Suite("Values of unknown keys")
struct KeptValuesTests {
    /// Returns a stroke in JSON with one additional key that has the given text as its value.
    private static func message(_ value: String, key: String = "zz") -> String {
        "{\"t_us\":1,\"fields\":\"xy\",\"\(key)\":\(value),\"pts\":[1,2]}"
    }

    private static func kept(_ value: String) throws -> Frame<Stroke> {
        try #require(try decode(Stroke.self, message(value)).frame)
    }

    /// Returns the bytes that an output in the given format writes for a frame.
    private static func written<P: WireEncodable>(_ frame: Frame<P>, _ format: TextFormat) throws -> [UInt8] {
        var text = FrameText<P>(format)
        try text.add(frame)
        return text.buffer.bytes
    }

    @Test(
        "Values of unknown keys are written on one line, without any character that ends a line",
        arguments: [
            ("\n{\n\"a\"\r\n:\t1 ,\n\"b\": [ ]\n}\n", #"{"a":1,"b":[]}"#),
            ("1\n}\n{\"v\":1", nil), (#""a\nb\u000a""#, #""a\nb\n""#),
            ("\"a\u{85}b\u{2028}c\u{2029}d\"", #""a\u0085b\u2028c\u2029d""#),
            (#""\u009b31m\u001b""#, #""\u009b31m\u001b""#),
            ("\"\u{202E}\u{FEFF}\u{7F}\"", #""\u202e\ufeff\u007f""#), (#""\/\b\f\t\"\\""#, #""/\u0008\u000c\t\"\\""#),
            (#""\u00e9\ud83d\ude00 père 手""#, "\"é😀 père 手\""), ("[ true , false , null ]", "[true,false,null]"),
        ] as [(String, String?)])
    func lines(value: String, text: String?) throws {
        guard let text else {
            #expect(throws: PipelineError.self) { try Self.kept(value) }
            return
        }
        let frame = try Self.kept(value)
        #expect(frame.origin?.unknown == [.init(key: "zz", json: text)])
        let line = String(decoding: try Self.written(frame, .jsonl), as: UTF8.self)
        #expect(line.hasSuffix("}\n") && line.contains("\"zz\":\(text)"))
        #expect(line.dropLast().unicodeScalars.allSatisfy { !$0.isHidden })
    }

    @Test(
        "Values of unknown keys that an output cannot represent are replaced when they are read",
        arguments: [
            ("1e999", "null"), ("[-1e400,1e308]", "[null,1e308]"), (#""\ud800""#, "\"\u{FFFD}\""),
            (#""\udc00\ud83d\ud83d\ude00x\ud800\n""#, "\"\u{FFFD}\u{FFFD}😀x\u{FFFD}\\n\""),
            ("123456789012345678901234567890", "123456789012345678901234567890"), ("-0", "-0"), ("1.50e+2", "1.50e+2"),
            (String(repeating: "9", count: 400), "null"),
        ])
    func replaced(value: String, text: String) throws {
        #expect(try Self.kept(value).origin?.unknown.first?.json == text)
    }

    @Test(
        "Values of unknown keys in MessagePack are replaced where JSON cannot represent them",
        arguments: [
            ("cb7ff0000000000000", "null"), ("ca7fc00000", "null"), ("a3eda080", "\"\u{FFFD}\u{FFFD}\u{FFFD}\""),
            ("a2c328", "\"\u{FFFD}(\""), ("c403000aff", #""AAr/""#), ("d6ff00000001", #""/wAAAAE=""#),
            ("a30a0d00", #""\n\r\u0000""#),
            (
                "85c001c302cb3ff800000000000003cfffffffffffffffff04c4010a05",
                #"{"null":1,"true":2,"1.5":3,"18446744073709551615":4,"Cg==":5}"#
            ),
        ])
    func packed(digits: String, text: String) throws {
        let head = "84a4745f757301a66669656c6473a27879a3707473920102a27a7a"
        let bytes = try hexadecimal(head + digits)
        var decoder = try CanonicalDecoder<Stroke>(.messagePack, defaultStream: "pen")
        let frame = try #require(try withPadded(bytes) { try decoder.decode($0) }.frame)
        #expect(frame.origin?.unknown == [.init(key: "zz", json: text)])
        for format in TextFormat.allCases { _ = try Self.written(frame, format) }
    }

    @Test("Unknown keys of MessagePack that are no strings are kept as text, also beside keys of the format")
    func packedKeys() throws {
        let known = "a4745f757301a66669656c6473a27879a3707473920102"
        let bytes = try hexadecimal("89" + known + "c001c302cb3ff8000000000000030506c4010a07c40008")
        var decoder = try CanonicalDecoder<Stroke>(.messagePack, defaultStream: "pen")
        let frame = try #require(try withPadded(bytes) { try decoder.decode($0) }.frame)
        let kept = [("null", "1"), ("true", "2"), ("1.5", "3"), ("5", "6"), ("Cg==", "7"), ("", "8")]
        #expect(frame.origin?.unknown == kept.map { Origin.Unknown(key: $0.0, json: $0.1) })
        #expect(frame.payload.samples == [Sample(x: 1, y: 2)])
    }

    @Test("Values of unknown keys add no lines to any output, and their keys are read back from MessagePack")
    func everyOutput() throws {
        let deep = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
        let objects = String(repeating: "{\"a\":", count: 63) + "{}" + String(repeating: "}", count: 63)
        for value in [
            "1e999", #""\ud800""#, deep, objects, "123456789012345678901234567890",
            "-1" + String(repeating: "0", count: 300),
            "\"\\u0000\"", "{\"\\ud800\\n\":\"\u{2028}\"}", "1e-999", "[1.0000000000000000000001]",
        ] {
            let frame = try Self.kept(value)
            #expect(try Self.written(frame, .jsonl).filter { $0 == 0x0A }.count == 1)
            #expect(try Self.written(frame, .csv).filter { $0 == 0x0A }.count == 2)
            #expect(try Self.written(frame, .pretty).filter { $0 == 0x0A }.count == 1)
            let packed = try Self.written(frame, .msgpack)
            var decoder = try CanonicalDecoder<Stroke>(.messagePack, defaultStream: "pen")
            let read = try #require(try withPadded(packed) { try decoder.decode($0) }.frame)
            #expect(read.payload == frame.payload && read.origin?.unknown.map(\.key) == ["zz"])
        }
        #expect(throws: PipelineError.self) { try Self.kept("[\(deep)]") }
    }

    @Test("Values of unknown keys that a stage sets are escaped too")
    func fromCode() throws {
        let unknown = Origin.Unknown(
            key: "a\n", value: .object([("b\n", .string("\u{2028}\n")), ("c", .number(.nan))]))
        let frame = Frame(Stroke(samples: []), at: .zero, stream: "pen\n1", origin: Origin(unknown: [unknown]))
        let line = try encode(frame)
        #expect(line.hasSuffix(#","a\n":{"b\n":"\u2028\n","c":null}}"#))
        #expect(line.contains(#""stream":"pen\n1""#))
    }

    @Test("Values of unknown keys do not replace the fields of a failed frame")
    func failed() throws {
        let origin = try #require(try Self.kept("1").origin)
        let forged = Origin(
            clock: origin.clock,
            unknown: ["node", "code", "message", "location", "frame", "kind", "note"].map {
                .init(key: $0, value: .string("forged"))
            })
        let failed = FailedFrame(node: "work", error: .frame("a.b", "wrong"), frame: Stroke(samples: []))
        let line = try encode(Frame(failed, at: .zero, stream: "pen", origin: forged))
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(object["node"] as? String == "work" && object["note"] as? String == "forged")
        #expect(line.components(separatedBy: "forged").count == 2)
    }

    @Test("Labels and streams in a table neither end its lines nor control a terminal")
    func table() throws {
        var stroke = Stroke(samples: [Sample(x: 1, y: 2)])
        stroke.label = "\u{1B}[2J\u{9B}a\r\nb\rc\td, \"e\""
        let text = String(decoding: try Self.written(Frame(stroke, at: .zero, stream: "a\u{7}"), .csv), as: UTF8.self)
        #expect(
            text.hasSuffix(#"a\u{7},0,0,0,1,2,,,"\u{1b}[2J\u{9b}a\r\nb\rc\td, ""e""","# + "\n"), "\(text)")
    }

    @Test("Names of results are printed without control characters")
    func results() throws {
        let hand = Landmarks(topology: "hand21", points: [], handedness: "L\n\u{1B}[2J")
        let results = HandResults(hands: [
            .init(landmarks: hand, gestures: [.init(name: "a", displayName: "b\nc", index: 0, score: 1)])
        ])
        let line = try Self.written(Frame(results, at: .zero, stream: "cam"), .pretty)
        #expect(line.dropLast().allSatisfy { $0 >= 0x20 })
    }

    /// Returns the bytes for hexadecimal digits.
    private func hexadecimal(_ digits: String) throws -> [UInt8] {
        try stride(from: 0, to: digits.count, by: 2).map {
            try #require(UInt8(digits.dropFirst($0).prefix(2), radix: 16))
        }
    }
}
