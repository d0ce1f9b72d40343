import Foundation
import Pipeline
import PipelineTesting
import Testing

@testable import Connectors
@testable import Stages

/// Returns the bytes for hexadecimal digits; blanks are ignored.
private func bytes(_ digits: String) -> [UInt8] {
    let digits = digits.filter { $0 != " " }
    return stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(digits.dropFirst($0).prefix(2), radix: 16) }
}

/// Returns a MessagePack document as JSON text.
private func json(_ bytes: [UInt8]) throws -> String {
    let reader = MessagePackReader()
    return try bytes.withUnsafeBytes {
        try reader.begin($0)
        let text = try reader.rawValue()
        try reader.end()
        return text
    }
}

/// Returns JSON text as MessagePack.
private func packed(_ json: String) throws -> [UInt8] {
    try withPadded(json.utf8) { try MessagePackWriter().write($0) { Array($0) } }
}

@Suite("MessagePack")
struct MessagePackTests {
    /// Every format of the specification, with its bytes as in the specification.
    private static let formats: [(String, String)] = [
        ("c0", "null"), ("c2", "false"), ("c3", "true"), ("00", "0"), ("7f", "127"), ("ff", "-1"), ("e0", "-32"),
        ("cc 80", "128"), ("cd 0100", "256"), ("ce 00010000", "65536"), ("cf 0000000100000000", "4294967296"),
        ("cf ffffffffffffffff", "18446744073709551615"), ("d0 df", "-33"), ("d1 ff7f", "-129"),
        ("d2 ffff7fff", "-32769"), ("d3 ffffffff7fffffff", "-2147483649"), ("ca 3f800000", "1"),
        ("cb 3ff8000000000000", "1.5"), ("cb 8000000000000000", "-0.0"), ("a3 616263", #""abc""#),
        ("d9 01 61", #""a""#),
        ("da 0001 61", #""a""#), ("db 00000001 61", #""a""#), ("93 01 02 c0", "[1,2,null]"), ("dc 0001 05", "[5]"),
        ("dd 00000001 05", "[5]"), ("82 a1 61 01 a1 62 90", #"{"a":1,"b":[]}"#), ("de 0001 a1 61 80", #"{"a":{}}"#),
        ("df 00000001 a1 61 a0", #"{"a":""}"#), ("81 05 06", #"{"5":6}"#), ("c4 03 000102", #""AAEC""#),
        ("c5 0001 ff", #""/w==""#), ("c6 00000002 ffff", #""//8=""#), ("d4 01 10", #""ARA=""#),
        ("c7 02 05 0a0b", #""BQoL""#), ("cb 7ff8000000000000", "null"), ("a6 e6898be6898b", #""手手""#),
    ]

    @Test("MessagePack of every format is read as the specification says", arguments: formats)
    func reading(digits: String, text: String) throws { #expect(try json(bytes(digits)) == text) }

    @Test(
        "MessagePack is written in the fewest bytes",
        arguments: [
            ("null", "c0"), ("0", "00"), ("-32", "e0"), ("-33", "d0df"), ("128", "cc80"), ("65536", "ce00010000"),
            ("18446744073709551615", "cfffffffffffffffff"), ("1.5", "cb3ff8000000000000"),
            ("1e2", "cb4059000000000000"),
            ("-0.0", "cb8000000000000000"), (#""abc""#, "a3616263"), ("[]", "90"),
            (#"{"a":[true,{}]}"#, "81a16192c380"),
        ])
    func writing(text: String, digits: String) throws {
        #expect(try packed("[\(text)]") == [0x91] + bytes(digits))
    }

    @Test(
        "MessagePack lists and strings of each length have the shortest header",
        arguments: [15, 16, 31, 32, 255, 256, 65_535, 65_536])
    func heads(count: Int) throws {
        let list = try packed("[" + [String](repeating: "1", count: count).joined(separator: ",") + "]")
        let (high, low) = (UInt8(count >> 8 & 255), UInt8(count & 255))
        var listHead: [UInt8] = [0xDD, 0, 1, 0, 0]
        if count < 65_536 { listHead = [0xDC, high, low] }
        if count < 16 { listHead = [0x90 | low] }
        #expect(Array(list.prefix(listHead.count)) == listHead)
        #expect(list.count == listHead.count + count)
        #expect(list.dropFirst(listHead.count).allSatisfy { $0 == 1 })
        let text = try packed("[\"" + String(repeating: "a", count: count) + "\"]")
        var textHead: [UInt8] = [0xDB, 0, 1, 0, 0]
        if count < 65_536 { textHead = [0xDA, high, low] }
        if count < 256 { textHead = [0xD9, low] }
        if count < 32 { textHead = [0xA0 | low] }
        #expect(Array(text.dropFirst().prefix(textHead.count)) == textHead)
        #expect(text.count == 1 + textHead.count + count)
    }

    private func check<P: WirePayload & Equatable>(_ make: (inout PayloadGenerator) -> P) throws {
        var generator = PayloadGenerator(seed: 5)
        var decoder = try CanonicalDecoder<P>(.messagePack, defaultStream: "unnamed")
        for _ in 0..<200 {
            let frame = generator.frame(make(&generator))
            let message = try packed(try encode(frame))
            let read = try #require(try withPadded(message) { try decoder.decode($0) }.frame)
            #expect(read == frame)
            // Of the unknown keys, only the names are compared: escapes in their JSON values would come back as characters.
            let unknown = read.origin?.unknown ?? []
            #expect(unknown.map(\.key) == (frame.origin?.unknown ?? []).map(\.key))
            #expect(read.origin?.receivedAt == frame.origin?.receivedAt)
        }
    }

    @Test("MessagePack: a stroke comes back as it was written") func stroke() throws { try check { $0.stroke() } }
    @Test("MessagePack: a piece of a stroke comes back as it was written") func points() throws {
        try check { $0.points() }
    }
    @Test("MessagePack: landmarks come back as they were written") func landmarks() throws {
        try check { $0.landmarks() }
    }
    @Test("MessagePack: hands come back as they were written") func hands() throws { try check { $0.hands() } }
    @Test("MessagePack: a vector comes back as it was written") func vector() throws { try check { $0.vector() } }
    @Test("MessagePack: a bitmap comes back as it was written") func bitmap() throws { try check { $0.bitmap() } }
    @Test("MessagePack: a recognition comes back as it was written") func recognition() throws {
        try check { $0.recognition() }
    }
    @Test("MessagePack: ink comes back as it was written") func ink() throws { try check { $0.ink() } }

    @Test("MessagePack: messages of other programs are read the same as in JSON")
    func mapped() throws {
        for text in [SenderMessages.mediaPipeWeb, SenderMessages.mediaPipePython, SenderMessages.mediaPipeLegacy] {
            let inJSON = try decoded(Hands.self, text) { $0.preset = .mediapipe }.frame
            let inMessagePack = try decoded(Hands.self, bytes: try packed(text)) {
                $0.preset = .mediapipe
                $0.format = .msgpack
            }.frame
            #expect(inJSON == inMessagePack && inJSON?.payload.hands.isEmpty == false)
        }
        let gaze = try decoded(Landmarks.self, bytes: try packed(SenderMessages.pupil)) { $0.preset = .pupil }.frame
        #expect(gaze?.timestamp == .microseconds(1_234_567_891) && gaze?.payload.score == 0.9375)
    }

    @Test(
        "Invalid MessagePack is an error with a position",
        arguments: [
            // In this order: a map of 2^32 − 1 keys, a list of 2^32 − 1 values, a missing value, and a string of 2^32 − 1 bytes.
            ("dfffffffff", "byte 5: the message ends before the value does [decode.truncated]"),
            ("81a3707473ddffffffff", "byte 10: \"pts\": the message ends before the value does [decode.truncated]"),
            ("81a6737472656171", "byte 8: the message ends before the value does [decode.truncated]"),
            (
                "81a56c6162656cdbffffffff61",
                "byte 13: \"label\": the message ends before the value does [decode.truncated]"
            ),
            ("c1", "byte 0: not MessagePack: byte 0xc1 begins no value [decode.syntax]"),
            ("90", "byte 0: expected an object, found an array [decode.type]"),
            ("", "byte 0: expected a value, found nothing [decode.empty]"),
            ("819001", "byte 1: expected a key that is neither a list nor an object [decode.type]"),
            ("8000", "byte 1: something follows the value [decode.trailing]"),
            (
                "81a3707473 91 cb7ff8000000000000",
                "byte 6: \"pts\": expected a finite number, found nan [decode.not_finite]"
            ),
            ("81a3707473 91 ca7f800000", "byte 6: \"pts\": expected a finite number, found inf [decode.not_finite]"),
            ("81a3707473 91 a0", "byte 6: \"pts\": expected a number, found a string [decode.type] (send a number)"),
            ("81a3707473 91 d401aa", "byte 6: \"pts\": expected a number, found bytes [decode.type]"),
            (
                "81a4745f7573 cb3fb999999999999a",
                "byte 6: \"t_us\": expected a whole number that fits into 64 bits [decode.range]"
            ),
            ("81a56c6162656ca2c328", "byte 7: \"label\": not UTF-8 [decode.utf8]"),
            ("81a4745f7573 c4 01 00", "byte 6: \"t_us\": expected a whole number, found bytes [decode.type]"),
        ])
    func hostile(digits: String, words: String) throws {
        var decoder = try CanonicalDecoder<Stroke>(.messagePack, defaultStream: "pen")
        #expect { try withPadded(bytes(digits)) { try decoder.decode($0) } } throws: { error in
            #expect((error as? PipelineError)?.description == words)
            return true
        }
        // The next message is read normally.
        let good = try packed(#"{"t_us":1,"fields":"xy","pts":[1,2]}"#)
        #expect(try withPadded(good) { try decoder.decode($0) }.frame?.payload.samples == [Sample(x: 1, y: 2)])
    }

    @Test("MessagePack nested 100,000 deep is skipped where it is not kept, and refused where it would be kept")
    func deep() throws {
        let nested = [UInt8](repeating: 0x91, count: 100_000) + [0xC0]
        var decoder = try CanonicalDecoder<Hands>(.messagePack, defaultStream: "a")
        let unknown = bytes("82 a4 745f7573 01 a1 7a") + nested
        #expect { try withPadded(unknown) { try decoder.decode($0) } } throws: {
            ($0 as? PipelineError)?.code == "decode.depth"
        }
        let inside = bytes("82 a4 745f7573 01 a5 68616e6473 91 83 a6 6669656c6473 a2 7879 a3 707473 90 a1 7a") + nested
        #expect(try withPadded(inside) { try decoder.decode($0) }.frame?.payload.hands.count == 1)
    }

    @Test("MessagePack cut off anywhere, or with any byte changed, is an error or a message, never a crash")
    func damaged() throws {
        var generator = PayloadGenerator(seed: 9)
        let message = try packed(try encode(generator.frame(generator.hands())))
        var decoder = try CanonicalDecoder<Hands>(.messagePack, defaultStream: "a")
        for count in 0..<message.count {
            #expect(throws: PipelineError.self) { try withPadded(message.prefix(count)) { try decoder.decode($0) } }
        }
        for _ in 0..<3000 {
            var damaged = message
            for _ in 0..<Int.random(in: 1...4, using: &generator.random) {
                damaged[Int.random(in: 0..<damaged.count, using: &generator.random)] = UInt8.random(
                    in: 0...255, using: &generator.random)
            }
            _ = try? withPadded(damaged) { try decoder.decode($0) }
        }
    }

    @Test("MessagePack: consecutive documents of a file are separated, whatever the block size")
    func stream() async throws {
        let folder = try TemporaryFolder()
        let messages = try (0..<40).map { number in
            try packed("{\"t_us\":\(number),\"seq\":\(number),\"fields\":\"xy\",\"pts\":[\(number),0.5]}")
        }
        let path = try folder.write("a.msgpack", bytes: messages.flatMap { $0 })
        for block in [16, 17, 64, 1 << 20] {
            let reading = try await readStrokes(path, blockSize: block)
            #expect(reading.failures.isEmpty)
            #expect(reading.frames.map { Int($0.payload.samples[0].x) } == Array(0..<40))
        }
        let broken = try folder.write("b.msgpack", bytes: messages[0] + bytes("81a161c1") + messages[1])
        let reading = try await readStrokes(broken)
        #expect(reading.frames.count == 1)
        #expect(reading.failures.map(\.description).first?.hasPrefix("\(broken), message 2, byte ") == true)
        let cut = try folder.write("c.msgpack", bytes: messages[0] + messages[1].dropLast(3))
        #expect(try await readStrokes(cut).failures.map(\.code) == ["decode.truncated"])
    }

    @Test("MessagePack that arrives in many pieces is scanned once, value by value")
    func looksOnce() throws {
        let folder = try TemporaryFolder()
        let points = (0..<50_000).map { "\($0),0.5" }.joined(separator: ",")
        let messages = try [
            packed("{\"seq\":1,\"pts\":[\(points)],\"note\":\"\(String(repeating: "a", count: 70_000))\"}"),
            packed("{}"),
        ]
        let path = try folder.write("a.msgpack", bytes: messages.flatMap { $0 } + [0xC1])
        let pieces = messages[0].count / 4096
        let lines = LineReader(descriptor: try SystemCalls.openToRead(path), blockSize: 4096)
        _ = try lines.peek()
        for message in messages {
            guard case .bytes(let bytes) = try lines.nextDocument() else {
                Issue.record("a document is missing")
                return
            }
            #expect(bytes.elementsEqual(message) && !lines.isBroken)
            // An incomplete document is not searched again, no matter how often it is requested.
            for _ in 0..<3 { _ = lines.hasDocument }
        }
        // The first map has three keys and three values, one of them a list of 100,000 numbers; the second map is empty. A value
        // that is split between two pieces is read again when the second piece has arrived.
        let values = 1 + 6 + 100_000 + 1
        let examined = lines.extent.examinedValues
        #expect((values...(values + 2 * pieces)).contains(examined), "\(examined)")
        guard case .bytes(let rest) = try lines.nextDocument() else {
            Issue.record("the invalid rest is missing")
            return
        }
        #expect(rest.elementsEqual([0xC1]) && lines.isBroken)
    }

    @Test("MessagePack that is longer than allowed is one error, and the next document is read")
    func tooLong() async throws {
        let folder = try TemporaryFolder()
        func stroke(_ number: Int, _ note: Int) throws -> [UInt8] {
            let words = [String](repeating: "\"yy\"", count: note).joined(separator: ",")
            let text = String(repeating: "x", count: note)
            return try packed("{\"t_us\":\(number),\"fields\":\"xy\",\"pts\":[1,2],\"a\":\"\(text)\",\"b\":[\(words)]}")
        }
        let bytes = try stroke(1, 1) + stroke(2, 5000) + stroke(3, 1) + stroke(4, 40) + stroke(5, 1)
        let path = try folder.write("a.msgpack", bytes: bytes)
        for block in [16, 100, 1 << 20] {
            let reading = try await readStrokes(path, blockSize: block) { $0.maxLineBytes = 128 }
            #expect(reading.frames.map(\.timestamp.rawValue) == [1, 3, 5])
            #expect(reading.failures.map(\.location) == ["\(path), message 2", "\(path), message 4"])
        }
    }

    @Test(
        "MessagePack of every format ends where the specification says, and every shorter prefix is unfinished",
        arguments: formats)
    func ends(digits: String, text: String) throws {
        let document = bytes(digits)
        var extent = MessagePackExtent()
        for count in 0..<document.count {
            document.prefix(count).withUnsafeBytes { #expect(extent.end(in: $0) == .unfinished) }
        }
        (document + [0, 0]).withUnsafeBytes { #expect(extent.end(in: $0) == .bytes(document.count)) }
    }
}
