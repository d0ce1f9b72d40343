import Pipeline
import Testing

@testable import Connectors
@testable import Stages

@Suite("The packed tape of a recording")
struct TapeCodecTests {
    @Test("The packed tape is read as it was written, for any size of pieces")
    func roundTrip() {
        var dice = SplitMix64(seed: 7)
        let streams = ["", "pen/1", "a name with ünïcode", "x"].map { StreamID($0) }
        var items: [TapeItem] = [
            .frame(.max, gap: .max), .bound(nil, .max), .bound("pen/1", .beforeAll), .frame(0, gap: .min),
        ]
        for _ in 0..<2000 {
            let stream = streams[Int.random(in: 0..<4, using: &dice)]
            let time = Timestamp(rawValue: .random(in: .min ... .max, using: &dice))
            let gap = Bool.random(using: &dice) ? 0 : Int32.random(in: .min ... .max, using: &dice)
            let ordinal = UInt32.random(in: .min ... .max, using: &dice)
            items.append(
                [
                    .frame(ordinal, gap: gap),
                    .set([nil, .init(ordinal, gap: gap), .init(3, gap: 0)], gap: gap, at: time),
                    .bound(stream, time), .bound(nil, time), .end(stream), .finished,
                ][Int.random(in: 0..<6, using: &dice)])
        }
        var encoder = TapeEncoder()
        var bytes: [UInt8] = []
        for item in items {
            encoder.add(item)
            if Bool.random(using: &dice) {
                bytes += encoder.bytes
                encoder.bytes = []
            }
        }
        #expect(TapeDecoder.items(bytes + encoder.bytes) == items)
    }

    @Test("The packed tape of an earlier version is read without its receipts")
    func receipts() {
        // A receipt (5) of a new stream, number 0, with a name of one byte, at time 10; then the end (6) of that stream.
        #expect(TapeDecoder.items([5, 0, 1, 0x61, 20, 6, 0]) == [.end("a")])
    }

    @Test("The packed tape takes two bytes for a consecutive frame")
    func size() {
        var encoder = TapeEncoder()
        for number in 0..<1000 { encoder.add(.frame(UInt32(number), gap: 0)) }
        #expect(encoder.bytes.count == 2000)
    }

    @Test("A damaged tape is refused or read differently, and never traps")
    func damage() {
        var encoder = TapeEncoder()
        for number in 0..<50 {
            encoder.add(.frame(UInt32(number * 3), gap: Int32(number % 3)))
            encoder.add(.bound("pen", Timestamp(rawValue: Int64(number) * 1000)))
            encoder.add(.set([.init(1, gap: 0), nil], gap: 1, at: .zero))
        }
        let bytes = encoder.bytes
        for place in bytes.indices {
            // A prefix contains the complete items before its end, or is cut within one.
            if let items = TapeDecoder.items(Array(bytes[..<place])) { #expect(items.count <= place) }
            for value: UInt8 in [0, 0x7F, 0x80, 0xFF, bytes[place] ^ 1] {
                var damaged = bytes
                damaged[place] = value
                if let items = TapeDecoder.items(damaged) { #expect(items.count <= damaged.count) }
            }
        }
        #expect(TapeDecoder.items([2, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F]) == nil)
        #expect(TapeDecoder.items([6, 1]) == nil)
        #expect(TapeDecoder.items([99]) == nil)
    }
}
