import Pipeline
import PipelineTesting
import Testing

@testable import Connectors

@Suite("Kafka: the metadata stored with an offset") struct HeldMessagesTests {
    private func random(_ seed: UInt64) -> (Int64, HeldMessages) {
        var dice = SeededGenerator(seed: seed)
        let base = Int64.random(in: 0...1 << 40, using: &dice)
        let length = Int64.random(in: 1...20_000, using: &dice)
        var held = HeldMessages(next: base + length)
        for _ in 0..<Int.random(in: 0...40, using: &dice) {
            let name = StreamID("pen \(Int.random(in: 0...100_000, using: &dice))")
            held.streams[HeldMessages.hash(name)] = Int64.random(in: base..<base + length, using: &dice)
            for _ in 0..<Int.random(in: 0...2, using: &dice) where held.written.count < 10 {
                let key = OutputKey(hash: .random(in: 0...(.max), using: &dice))
                let time = Int64.random(in: 0...Timestamp.max.rawValue, using: &dice)
                held.written[HeldMessages.hash(name), default: [:]][key] = OutputNumber(
                    time: time, count: .random(in: 0...300, using: &dice))
            }
        }
        var offset = base
        while offset < base + length, held.runs.count < 40 {
            if Bool.random(using: &dice) { held.append(offset) }
            offset += Int64.random(in: 1...4, using: &dice)
        }
        return (base, held)
    }

    @Test(
        "Kafka metadata of an offset: held streams and messages are read back as they were written",
        arguments: 1...200 as ClosedRange<UInt64>)
    func roundTrip(seed: UInt64) throws {
        let (base, held) = random(seed)
        let text = try #require(held.text(at: base, limit: 4096))
        if held.streams.isEmpty && held.runs.isEmpty {
            #expect(text.isEmpty)
        } else {
            #expect(HeldMessages(text, at: base) == held)
            #expect(HeldMessages(text, at: base + 1) == nil, "the text belongs to another offset")
        }
    }

    @Test("Kafka metadata of an offset: a text with a changed or missing character is ignored")
    func damage() throws {
        let (base, held) = random(7)
        let text = try #require(held.text(at: base, limit: 4096))
        var bytes = Array(text.utf8)
        for index in bytes.indices {
            let whole = bytes[index]
            for other in [UInt8(ascii: "A"), UInt8(ascii: "z"), UInt8(ascii: " "), whole ^ 1] where other != whole {
                bytes[index] = other
                #expect(HeldMessages(String(decoding: bytes, as: UTF8.self), at: base) == nil)
            }
            bytes[index] = whole
            #expect(HeldMessages(String(decoding: bytes[..<index], as: UTF8.self), at: base) == nil)
        }
        for foreign in ["", "p2:", "p2:AAAA", "NO_METADATA", "p1:" + text.dropFirst(3), text + "A", "p2:=", "\u{e9}"] {
            #expect(HeldMessages(foreign, at: base) == nil)
        }
    }

    @Test(
        "Kafka metadata of an offset: 400 streams, or 100 with written output, fit into the 4,096 bytes that brokers allow, and a longer text is refused"
    )
    func room() throws {
        var held = HeldMessages(next: 1_000_000)
        for index in 0..<400 { held.streams[HeldMessages.hash(StreamID("pen-\(index)"))] = 999_000 - Int64(index * 7) }
        var both = held
        let text = try #require(held.text(at: held.first, limit: 4096))
        #expect(text.utf8.count <= 4096)
        both.streams = both.streams.filter { $0.value > 999_000 - 100 * 7 }
        for hash in both.streams.keys {
            both.written[hash] = [
                OutputKey(hash: hash): OutputNumber(time: 1_700_000_000_000_000 + Int64(hash % 10_000_000))
            ]
        }
        #expect(both.streams.count == 100)
        #expect((try #require(both.text(at: both.first, limit: 4096))).utf8.count <= 4096)
        #expect(held.text(at: held.first, limit: text.utf8.count) == text)
        #expect(held.text(at: held.first, limit: text.utf8.count - 1) == nil)
    }

    @Test("Kafka metadata of an offset: the hashes of streams never change")
    func hashes() {
        #expect(HeldMessages.hash("") == 573_124_531_413)
        #expect(HeldMessages.hash("pen-1") == 396_939_993_189)
    }

    @Test("Kafka metadata of an offset: base64 is that of RFC 4648, without padding")
    func base64() {
        for (plain, text) in [
            ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
            ("foobar", "Zm9vYmFy"),
        ] {
            #expect(Base64Text.encode(Array(plain.utf8)) == text)
            #expect(Base64Text.decode(text.utf8) == Array(plain.utf8))
        }
        for wrong in ["Z", "Zh", "Zm9", "Zm9v=", "Zm 9"] { #expect(Base64Text.decode(wrong.utf8) == nil) }
    }
}
