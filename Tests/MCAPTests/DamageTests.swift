import Foundation
import MCAP
import Testing

/// Whether the tests damage every byte. Otherwise, they damage only some bytes.
private let isDeep = ProcessInfo.processInfo.environment["PIPELINE_DEEP_MCAP"] != nil

@Suite("MCAP files that are damaged")
struct DamageTests {
    /// Returns a file of about 200 kB with the given compression, and its messages.
    private static func file(_ compression: Compression) throws -> (bytes: [UInt8], messages: [Message]) {
        let messages = SampleFile.messages(compression == .zstd ? 2900 : compression == .lz4 ? 1900 : 1400)
        return (try SampleFile.bytes(messages, compression), messages)
    }

    @Test(
        "Damaged MCAP files: a truncated file gives the messages of its complete chunks",
        arguments: SampleFile.compressions)
    func truncation(_ compression: Compression) throws {
        let (bytes, messages) = try Self.file(compression)
        #expect((150_000...260_000).contains(bytes.count))
        // The size of a chunk's index shows how many messages the chunk contains.
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
            // After the end of the data, only the index can be lost.
            let isWhole = length >= dataEnd
            if !isWhole { #expect(losses.count > 0, "\(length) of \(bytes.count) bytes") }
        }
    }

    @Test(
        "Damaged MCAP files: a wrong chunk length loses that chunk and no other", arguments: SampleFile.compressions,
        0..<8)
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

    /// Returns the position of each chunk of a file, and the messages that it contains.
    private static func chunks(_ bytes: [UInt8]) throws -> [(bytes: Range<Int>, messages: Range<Int>)] {
        var count = 0
        return try IndexedReader(MemoryInput(bytes)).chunkIndexes.map { chunk in
            let first = count
            count += (Int(chunk.messageIndexLength) - 15 * chunk.messageIndexOffsets.count) / 16
            return (Int(chunk.chunkStart)..<Int(chunk.chunkStart + chunk.chunkLength), first..<count)
        }
    }

    /// Recovers a file with one changed byte. Checks that either exactly the written messages are recovered, or a loss is
    /// reported and exactly the messages of the damaged chunk are missing.
    private static func recover(
        _ bytes: [UInt8], with value: UInt8, at place: Int, _ messages: [Message],
        _ chunks: [(bytes: Range<Int>, messages: Range<Int>)]
    ) throws {
        var damaged = bytes
        damaged[place] ^= value
        let (recovered, losses) = try SampleFile.recover(damaged)
        let found = recovered.messages
        if found == messages { return }
        #expect(losses.count > 0, "byte \(place) ^ \(value)")
        guard let hit = chunks.first(where: { $0.bytes.contains(place) })?.messages else {
            Issue.record("byte \(place) ^ \(value) is in no chunk: \(found.count) of \(messages.count) messages")
            return
        }
        let isRest = found == Array(messages[..<hit.lowerBound] + messages[hit.upperBound...])
        #expect(isRest, "byte \(place) ^ \(value): \(found.count) of \(messages.count) messages")
    }

    @Test("Damaged MCAP files: a changed byte gives an error or the same messages", arguments: SampleFile.compressions)
    func flips(_ compression: Compression) throws {
        let (bytes, messages) = try Self.file(compression)
        let chunks = try Self.chunks(bytes)
        var random = SystemRandomNumberGenerator()
        for place in stride(
            from: isDeep ? 0 : Int.random(in: 0..<4999, using: &random), to: bytes.count, by: isDeep ? 1 : 4999)
        {
            var damaged = bytes
            damaged[place] ^= UInt8(1 << (place % 8))
            let (read, error) = SampleFile.read(damaged)
            let isSame = read.messages == messages
            #expect(error != nil || isSame, "byte \(place)")
            try Self.recover(bytes, with: UInt8(1 << (place % 8)), at: place, messages, chunks)
        }
    }

    @Test(
        "Damaged MCAP files: damage to the kind or length of a record loses at most the record's chunk",
        arguments: SampleFile.compressions)
    func heads(_ compression: Compression) throws {
        let (bytes, messages) = try Self.file(compression)
        let chunks = try Self.chunks(bytes)
        // The records are contiguous up to the end of the data.
        let end = Int(try IndexedReader(MemoryInput(bytes)).footer.summaryStart)
        var start = 8
        var number = 0
        while start < end {
            let length = (1...8).reversed().reduce(0) { $0 << 8 | Int(bytes[start + $1]) }
            // The header of a chunk is longer than that of other records.
            let head = bytes[start] == Opcode.chunk.rawValue ? 9 + 32 + compression.rawValue.utf8.count + 8 : 9 + 6
            for place in start..<min(start + head, start + 9 + length) where isDeep || number == 1 || number % 28 == 3 {
                for bit in 0..<8 where isDeep || bit == place % 8 {
                    try Self.recover(bytes, with: 1 << UInt8(bit), at: place, messages, chunks)
                }
            }
            start += 9 + length
            number += 1
        }
        #expect(start == end)
        #expect(number > 20)
    }

    @Test("Damaged MCAP files: without chunks, damage to a record's kind or length loses at most two messages")
    func messageHeads() throws {
        let messages = SampleFile.messages(200)
        let bytes = try SampleFile.bytes(messages, .none, chunkSize: nil)
        var start = 8
        for _ in 0..<100 { start += 9 + (1...8).reversed().reduce(0) { $0 << 8 | Int(bytes[start + $1]) } }
        #expect(bytes[start] == Opcode.message.rawValue)
        for place in start..<(start + 9) {
            for bit in 0..<8 {
                var damaged = bytes
                damaged[place] ^= UInt8(1 << bit)
                let (records, losses) = try SampleFile.recover(damaged)
                #expect(losses.count > 0)
                #expect(records.messages.count >= messages.count - 2, "byte \(place), bit \(bit)")
            }
        }
        // The content of a message has no checksum of its own. Damaged content is returned as it is, and the checksum of all data
        // only shows that something is damaged.
        var damaged = bytes
        damaged[start + 9 + 40] ^= 1
        let (records, losses) = try SampleFile.recover(damaged)
        #expect(records.messages.count == messages.count)
        #expect(losses.map(\.reason.code) == [.checksum])
    }

    @Test("Damaged MCAP files: a damaged chunk without a checksum gives nothing when it cannot be read to its end")
    func withoutChecksum() throws {
        let messages = SampleFile.messages(300)
        let bytes = try SampleFile.bytes(messages, .none, chunkSize: 4000) { $0.checksums = false }
        let chunks = try Self.chunks(bytes)
        let chunk = chunks[2]
        // Damages the length of a message in the middle of the chunk. Without a checksum, damage to a message's content would not
        // be detected.
        let middle = chunk.bytes.lowerBound + chunk.bytes.count / 2
        let text = Array("{\"v\":1".utf8)
        let data = try #require((middle..<chunk.bytes.upperBound).first { bytes[$0...].starts(with: text) })
        try Self.recover(bytes, with: 0x80, at: data - 22 - 7, messages, chunks)
        var damaged = bytes
        damaged[data - 22 - 7] ^= 0x80
        #expect(try SampleFile.recover(damaged).records.messages.count == messages.count - chunk.messages.count)
    }

    @Test(
        "Damaged MCAP files: in a file without chunks, everything after the damage is found",
        arguments: [40, 3000, 9000])
    func messagesBehindDamage(_ place: Int) throws {
        let messages = SampleFile.messages(200)
        var bytes = try SampleFile.bytes(messages, .none, chunkSize: nil)
        for byte in place..<(place + 300) { bytes[byte] = UInt8(truncatingIfNeeded: byte &* 197) }
        let (records, losses) = try SampleFile.recover(bytes)
        #expect(!losses.isEmpty)
        #expect(records.messages.count >= messages.count - 10)
    }

    @Test(
        "Damaged MCAP files: messages of a channel with a contradictory definition are lost until a definition is repeated",
        arguments: [0, 2])
    func contradiction(_ chunk: Int) throws {
        let messages = SampleFile.messages(300)
        let bytes = try SampleFile.bytes(messages, .none, chunkSize: 4000) {
            ($0.checksums, $0.selfContainedChunks) = (false, true)
            $0.summary = []
        }
        // The chunks repeat the definitions. Rename a topic in one of them.
        var damaged = bytes
        let topic = Array("pen".utf8)
        let places = bytes.indices.dropLast(2).filter { bytes[$0..<($0 + 3)].elementsEqual(topic) }
        #expect(places.count > 4)
        damaged[places[chunk] + 1] = UInt8(ascii: "i")
        var reader = RecoveringReader(MemoryInput(damaged))
        var (found, renamed): ([Message], Int) = ([], 0)
        while let record = try reader.next() {
            guard case .message(let message) = record else { continue }
            found.append(message)
            if reader.channels[message.channelID]?.topic == "pin" { renamed += 1 }
        }
        #expect(reader.channels[2]?.topic == "pen")
        #expect(reader.losses.first?.reason.message == "the channel 2 is defined twice, with different contents")
        #expect(reader.losses.dropFirst().first?.reason.message.contains("belong to the channel 2") == true)
        // The lost messages belong to one channel and are those of one chunk. The first definition is believed until it is
        // contradicted.
        let lost = messages.filter { !found.contains($0) }
        #expect(!lost.isEmpty && lost.allSatisfy { $0.channelID == 2 })
        #expect(found.count + lost.count == messages.count)
        #expect(found.count > messages.count * 3 / 4)
        #expect((renamed > 0) == (chunk == 0))
    }

    @Test("Damaged MCAP files: a read error loses nothing when the reader is asked again")
    func readError() throws {
        let messages = SampleFile.messages(300)
        let input = FailingInput(try SampleFile.bytes(messages, .none, chunkSize: 4000))
        var reader = RecoveringReader(input)
        var (found, errors): ([Message], Int) = ([], 0)
        while true {
            do {
                guard let record = try reader.next() else { break }
                if case .message(let message) = record { found.append(message) }
            } catch {
                #expect(error.code == .system)
                errors += 1
            }
        }
        #expect(errors > 10)
        #expect(found == messages)
        #expect(reader.losses.isEmpty)
    }

    @Test(
        "Damaged MCAP files: a file in another format is an error that says so",
        arguments: ["", "a", "{\"v\":1}\n", "\u{89}MCAP0\r\n"])
    func otherFiles(_ text: String) throws {
        let (records, error) = SampleFile.read(Array(text.utf8))
        #expect(records.isEmpty)
        #expect(error?.code == .notMCAP)
        #expect(throws: MCAPError.self) { try IndexedReader(MemoryInput(Array(text.utf8))) }
        #expect(try SampleFile.recover(Array(text.utf8)).records.isEmpty)
    }
}

/// An input that gives few bytes at a time, and fails in every third call.
private final class FailingInput: ByteInput {
    private let bytes: MemoryInput
    private var calls = 0

    init(_ bytes: [UInt8]) { self.bytes = MemoryInput(bytes) }

    var size: UInt64? { bytes.size }

    func read(into room: UnsafeMutableRawBufferPointer) throws(MCAPError) -> Int {
        calls += 1
        guard calls % 3 != 0 else { throw MCAPError(.system, "Input/output error", systemError: 5) }
        return bytes.read(into: UnsafeMutableRawBufferPointer(rebasing: room.prefix(1000)))
    }

    func read(into room: UnsafeMutableRawBufferPointer, at offset: UInt64) -> Int { bytes.read(into: room, at: offset) }
}
