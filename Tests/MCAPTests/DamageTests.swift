import Foundation
import MCAP
import Testing

/// Whether every byte is tried, and not only some.
private let isDeep = ProcessInfo.processInfo.environment["PIPELINE_DEEP_MCAP"] != nil

@Suite("MCAP files that are damaged")
struct DamageTests {
    /// About 200 kB, also where it is packed.
    private static func file(_ compression: Compression) throws -> (bytes: [UInt8], messages: [Message]) {
        let messages = SampleFile.messages(compression == .zstd ? 2900 : compression == .lz4 ? 1900 : 1400)
        return (try SampleFile.bytes(messages, compression), messages)
    }

    @Test("cut off anywhere, a file gives the messages of its whole chunks", arguments: SampleFile.compressions)
    func truncation(_ compression: Compression) throws {
        let (bytes, messages) = try Self.file(compression)
        #expect((150_000...260_000).contains(bytes.count))
        // How many messages a chunk has is told by the size of its index.
        var ends: [(end: Int, count: Int)] = []
        var count = 0
        for chunk in try IndexedReader(MemoryInput(bytes)).chunkIndexes {
            count += (Int(chunk.messageIndexLength) - 15 * chunk.messageIndexOffsets.count) / 16
            ends.append((Int(chunk.chunkStart + chunk.chunkLength), count))
        }
        #expect(count == messages.count)
        let dataEnd = Int(try IndexedReader(MemoryInput(bytes)).footer.summaryStart)
        var lengths = Set(stride(from: 0, to: bytes.count, by: isDeep ? 1 : 7499))
        for (end, _) in ends.suffix(3) { lengths.formUnion([end - 1, end, end + 1]) }
        lengths.formUnion([dataEnd - 1, dataEnd, dataEnd + 1, bytes.count - 1, bytes.count])
        for length in lengths.sorted() {
            let cut = Array(bytes[..<length])
            let (records, losses) = try SampleFile.recover(cut)
            let wanted = ends.last { $0.end <= length }?.count ?? 0
            #expect(records.messages.count == wanted, "\(length) of \(bytes.count) bytes")
            let isPrefix = records.messages == Array(messages.prefix(wanted))
            #expect(isPrefix)
            let (read, error) = SampleFile.read(cut)
            #expect(read.messages.count == wanted)
            #expect((error == nil) == (length == bytes.count))
            let indexed = try? IndexedReader(MemoryInput(cut))
            #expect((indexed == nil) == (length < bytes.count))
            // Behind the end of the data nothing is lost but the index.
            let isWhole = length >= dataEnd
            if !isWhole { #expect(losses.count > 0, "\(length) of \(bytes.count) bytes") }
        }
    }

    @Test("a chunk whose length is another costs that chunk, and no other", arguments: SampleFile.compressions, 0..<8)
    func lengths(_ compression: Compression, _ byte: Int) throws {
        let (bytes, messages) = try Self.file(compression)
        let chunks = try IndexedReader(MemoryInput(bytes)).chunkIndexes
        let chunk = chunks[chunks.count / 2]
        for bit in 0..<8 {
            var damaged = bytes
            damaged[Int(chunk.chunkStart) + 1 + byte] ^= UInt8(1 << bit)
            let (recovered, losses) = try SampleFile.recover(damaged)
            #expect(losses.count > 0)
            #expect(recovered.messages.count >= messages.count - 150)
        }
    }

    @Test("a byte that is another gives an error or the same messages", arguments: SampleFile.compressions)
    func flips(_ compression: Compression) throws {
        let (bytes, messages) = try Self.file(compression)
        var random = SystemRandomNumberGenerator()
        for place in stride(
            from: isDeep ? 0 : Int.random(in: 0..<4999, using: &random), to: bytes.count, by: isDeep ? 1 : 4999)
        {
            var damaged = bytes
            damaged[place] ^= UInt8(1 << (place % 8))
            let (read, error) = SampleFile.read(damaged)
            let isSame = read.messages == messages
            #expect(error != nil || isSame, "byte \(place)")
            let (recovered, losses) = try SampleFile.recover(damaged)
            let isRecovered = recovered.messages == messages
            #expect(losses.count > 0 || isRecovered, "byte \(place)")
            // One byte costs one chunk at most: nothing else is lost with it.
            #expect(recovered.messages.count >= messages.count - 260, "byte \(place)")
            let areTrue = recovered.messages.allSatisfy {
                Int($0.sequence) < messages.count && messages[Int($0.sequence)] == $0
            }
            #expect(areTrue, "byte \(place)")
        }
    }

    @Test("whatever follows damage in a file without chunks is found", arguments: [40, 3000, 9000])
    func messagesBehindDamage(_ place: Int) throws {
        let messages = SampleFile.messages(200)
        var bytes = try SampleFile.bytes(messages, .none, chunkSize: nil)
        for byte in place..<(place + 300) { bytes[byte] = UInt8(truncatingIfNeeded: byte &* 197) }
        let (records, losses) = try SampleFile.recover(bytes)
        #expect(!losses.isEmpty)
        #expect(records.messages.count >= messages.count - 10)
    }

    @Test("what is no MCAP file is said to be none", arguments: ["", "a", "{\"v\":1}\n", "\u{89}MCAP0\r\n"])
    func otherFiles(_ text: String) throws {
        let (records, error) = SampleFile.read(Array(text.utf8))
        #expect(records.isEmpty)
        #expect(error?.code == .notMCAP)
        #expect(throws: MCAPError.self) { try IndexedReader(MemoryInput(Array(text.utf8))) }
        #expect(try SampleFile.recover(Array(text.utf8)).records.isEmpty)
    }
}
