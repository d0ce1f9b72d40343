import MCAP
import Testing

@Suite("MCAP files that are written")
struct WriterTests {
    @Test(
        "MCAP: reading gives back what was written", arguments: SampleFile.compressions,
        [nil, 1, 4096, 1 << 20] as [Int?])
    func roundTrip(_ compression: Compression, _ chunkSize: Int?) throws {
        let messages = SampleFile.messages(300)
        let bytes = try SampleFile.bytes(messages, compression, chunkSize: chunkSize)
        let (records, error) = SampleFile.read(bytes)
        #expect(error == nil)
        let isSame = records.messages == messages
        #expect(isSame)
        #expect(records.contains(.attachment(SampleFile.attachment)))
        #expect(records.contains(.metadata(SampleFile.metadata)))
        #expect(records.contains(.schema(SampleFile.schema)))
        let (recovered, losses) = try SampleFile.recover(bytes)
        let isRecovered = recovered.messages == messages
        #expect(isRecovered)
        #expect(losses.isEmpty)
    }

    @Test("MCAP: the example on the library's front page writes a message and reads it")
    func example() throws {
        let output = MemoryOutput()
        let writer = try Writer(output)
        try writer.add(Channel(id: 1, topic: "pen", messageEncoding: "json"))
        try writer.write(Message(channelID: 1, sequence: 0, logTime: 5, publishTime: 5, data: [0x7B, 0x7D]))
        try writer.finish()

        var messages = try IndexedReader(MemoryInput(output.bytes)).messages()
        let first = try messages.next()
        #expect(first?.logTime == 5)
        #expect(first?.data == [0x7B, 0x7D])
        #expect(try messages.next() == nil)
    }

    @Test("MCAP: the index gives messages by log time, and those with equal times in the order of writing")
    func order() throws {
        let messages = SampleFile.messages(1000)
        let reader = try IndexedReader(MemoryInput(try SampleFile.bytes(messages, .zstd, chunkSize: 2000)))
        #expect(reader.statistics?.messageCount == 1000)
        #expect(reader.chunkIndexes.count > 20)
        var cursor = try reader.messages()
        var found: [Message] = []
        while let message = try cursor.next() { found.append(message) }
        let wanted = messages.enumerated().sorted { ($0.1.logTime, $0.0) < ($1.1.logTime, $1.0) }.map(\.1)
        let isSame = found == wanted
        #expect(isSame)
    }

    @Test("MCAP: the index gives messages by log time where the times of all chunks overlap")
    func overlap() throws {
        let count = 1000
        var messages = SampleFile.messages(count)
        // 389 and 1000 have no common divisor, so every time occurs once.
        for place in messages.indices { messages[place].logTime = UInt64(place * 389 % count) }
        let reader = try IndexedReader(MemoryInput(try SampleFile.bytes(messages, .none, chunkSize: 2000)))
        #expect(reader.chunkIndexes.count > 20)
        var cursor = try reader.messages()
        var found: [Message] = []
        while let message = try cursor.next() { found.append(message) }
        #expect(found.map(\.logTime) == (0..<UInt64(count)).map { $0 })
        let isSame = found == messages.sorted { $0.logTime < $1.logTime }
        #expect(isSame)
    }

    @Test("MCAP: channels with the lowest and highest id are distinct, and ids between them are unknown")
    func numbers() throws {
        let output = MemoryOutput()
        let writer = try Writer(output)
        for id in [UInt16.max, 0] { try writer.add(Channel(id: id, topic: "\(id)", messageEncoding: "json")) }
        let messages = (UInt8(0)..<10).map { number -> Message in
            let channel: UInt16 = number % 3 == 0 ? 0 : .max
            return Message(
                channelID: channel, sequence: UInt32(number), logTime: UInt64(number), publishTime: 0, data: [number])
        }
        for message in messages { try writer.write(message) }
        #expect(throws: MCAPError.self) {
            try writer.write(Message(channelID: 7, sequence: 0, logTime: 0, publishTime: 0, data: []))
        }
        try writer.finish()
        #expect(SampleFile.read(output.bytes).records.messages == messages)
        let reader = try IndexedReader(MemoryInput(output.bytes))
        #expect(reader.statistics?.channelMessageCounts.map(\.messages) == [4, 6])
        var cursor = try reader.messages { $0.id == .max }
        var found: [Message] = []
        while let message = try cursor.next() { found.append(message) }
        #expect(found == messages.filter { $0.channelID == .max })
    }

    @Test("MCAP: the index gives exactly the messages of a time range and a channel")
    func selection() throws {
        let messages = SampleFile.messages(1000)
        let reader = try IndexedReader(MemoryInput(try SampleFile.bytes(messages, .lz4, chunkSize: 2000)))
        let times: Range<UInt64> = 100_000_000..<200_000_000
        var cursor = try reader.messages(in: times) { $0.topic == "pen" }
        var found: [Message] = []
        while let message = try cursor.next() { found.append(message) }
        let wanted = messages.filter { times.contains($0.logTime) && $0.channelID == 2 }
        #expect(found == wanted.sorted { ($0.logTime, $0.sequence) < ($1.logTime, $1.sequence) })
        #expect(!found.isEmpty)
    }

    @Test("MCAP: flushed messages can be read from a file that was never finished")
    func unfinished() throws {
        let output = MemoryOutput()
        var options = WriterOptions()
        options.selfContainedChunks = true
        let writer = try Writer(output, options)
        try writer.add(SampleFile.schema)
        for channel in SampleFile.channels { try writer.add(channel) }
        let messages = SampleFile.messages(100)
        for message in messages.prefix(60) { try writer.write(message) }
        try writer.flush()
        for message in messages.dropFirst(60) { try writer.write(message) }
        #expect(writer.pendingMessages == 40)
        let (recovered, losses) = try SampleFile.recover(output.bytes)
        #expect(recovered.messages == Array(messages.prefix(60)))
        #expect(losses.map(\.reason.code) == [.truncated])
    }

    @Test("MCAP: a chunk that the full disk refuses is reported as lost, and the file can be finished")
    func fullDisk() throws {
        let output = FullOutput(room: 6000)
        var options = WriterOptions()
        (options.compression, options.chunkSize) = (.none, 2000)
        let writer = try Writer(output, options)
        try writer.add(SampleFile.schema)
        for channel in SampleFile.channels { try writer.add(channel) }
        var refused = 0
        for message in SampleFile.messages(100) {
            do { try writer.write(message) } catch {
                #expect(error.code == .system)
                refused += 1
            }
        }
        #expect(refused > 0)
        output.room += 100_000
        try writer.finish()
        let (records, error) = SampleFile.read(output.bytes)
        #expect(error == nil)
        #expect(records.messages.count + Int(writer.lostMessages) == 100)
        #expect(records.messages.count > 10)
        #expect(try IndexedReader(MemoryInput(output.bytes)).statistics?.messageCount == UInt64(records.messages.count))
    }

    @Test("MCAP: every chunk of a self-contained file can be read without the chunks before it")
    func selfContained() throws {
        let messages = SampleFile.messages(300)
        var bytes = try SampleFile.bytes(messages, .none, chunkSize: 4000) {
            $0.selfContainedChunks = true
            $0.summary = []
        }
        let before = try SampleFile.recover(bytes).records.messages.count
        bytes[120] ^= 0xFF
        let (records, losses) = try SampleFile.recover(bytes)
        #expect(losses.count == 1)
        #expect(losses.first?.reason.code == .checksum)
        #expect(records.messages.count > before * 3 / 4)
        let isSuffix = records.messages == Array(messages.suffix(records.messages.count))
        #expect(isSuffix)
    }
}

/// An output with a limited capacity.
private final class FullOutput: ByteOutput, @unchecked Sendable {
    var room: Int
    var bytes: [UInt8] = []

    init(room: Int) { self.room = room }

    func write(_ bytes: UnsafeRawBufferPointer) throws(MCAPError) {
        guard self.bytes.count + bytes.count <= room else {
            throw MCAPError(.system, "No space left on device", systemError: 28)
        }
        self.bytes.append(contentsOf: bytes)
    }
}
