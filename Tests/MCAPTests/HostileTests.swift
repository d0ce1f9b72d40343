import MCAP
import Testing

@Suite("MCAP files that lie about sizes")
struct HostileTests {
    private static let start = Array("\u{89}MCAP0\r\n".unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })

    /// Returns a file with a valid beginning, followed by a record that declares the given length.
    private static func file(_ opcode: UInt8, declaring length: UInt64, _ content: [UInt8]) -> [UInt8] {
        start + [1] + little(UInt64(8)) + little(UInt64(0)) + [opcode] + little(length) + content
    }

    private static func little(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }

    /// Returns a file with a chunk that claims to contain `size` bytes when decompressed.
    private static func chunk(_ compression: String, size: UInt64, _ packed: [UInt8]) -> [UInt8] {
        let content =
            little(UInt64(0)) + little(UInt64(0)) + little(size) + little(UInt32(0))
            + little(UInt32(compression.utf8.count)) + Array(compression.utf8) + little(UInt64(packed.count)) + packed
        return file(6, declaring: UInt64(content.count), content)
    }

    @Test(
        "Hostile MCAP files: a record that claims to be longer than the file is refused",
        arguments: [1, 2, 3, 4, 5, 6, 9, 12, 15, 200] as [UInt8], [UInt64(1) << 63, .max, 1 << 40, 1 << 31, 100])
    func records(_ opcode: UInt8, _ length: UInt64) throws {
        let (records, error) = SampleFile.read(Self.file(opcode, declaring: length, [1, 2, 3]))
        #expect(records.count == 1)
        #expect(error?.code == .truncated || error?.code == .tooLarge)
        #expect(try SampleFile.recover(Self.file(opcode, declaring: length, [1, 2, 3])).losses.count > 0)
    }

    @Test("Hostile MCAP files: a record length in a pipe allocates nothing before its bytes arrive")
    func pipes() throws {
        let pipe = Pipe(Self.file(3, declaring: 900 << 20, Array(repeating: 0, count: 5000)))
        var reader = StreamingReader(pipe)
        _ = try reader.next()
        let error = #expect(throws: MCAPError.self) { try reader.next() }
        #expect(error?.code == .truncated)
        #expect(pipe.largestRoom <= 1 << 20)
    }

    @Test(
        "Hostile MCAP files: a chunk that claims to hold too much is refused", arguments: ["zstd", "lz4"],
        [UInt64(1) << 63, .max, 1 << 33])
    func chunks(_ compression: String, _ size: UInt64) {
        #expect(SampleFile.read(Self.chunk(compression, size: size, [1, 2, 3])).error?.code == .tooLarge)
    }

    @Test("Hostile MCAP files: limits that allow no compression refuse every large chunk that is compressed")
    func noCompression() {
        var limits = ReadingLimits()
        (limits.chunkBytes, limits.chunkRatio) = (10, 0)
        var reader = StreamingReader(MemoryInput(Self.chunk("zstd", size: 11, [1, 2, 3])), limits: limits)
        let error = #expect(throws: MCAPError.self) { while try reader.next() != nil {} }
        #expect(error?.code == .tooLarge)
    }

    @Test(
        "Hostile MCAP files: a chunk that contains more data than it declares is refused",
        arguments: SampleFile.compressions,
        [UInt64(0), 10, 100_000])
    func bombs(_ compression: Compression, _ claimed: UInt64) throws {
        // A million zeros in a chunk, cut out of a valid file.
        let output = MemoryOutput()
        var options = WriterOptions()
        (options.compression, options.chunkSize) = (compression, 16 << 20)
        let writer = try Writer(output, options)
        try writer.add(Channel(id: 1, topic: "a", messageEncoding: "json"))
        try writer.write(
            Message(
                channelID: 1, sequence: 0, logTime: 0, publishTime: 0,
                data: ArraySlice(repeating: 0, count: 1_000_000)))
        try writer.finish()
        let index = try #require(try IndexedReader(MemoryInput(output.bytes)).chunkIndexes.first)
        let end = Int(index.chunkStart + index.chunkLength)
        let packed = Array(output.bytes[(end - Int(index.compressedSize))..<end])
        let error = SampleFile.read(Self.chunk(compression.rawValue, size: claimed, packed)).error
        #expect(error?.code == (compression == .none ? .malformed : .compression))
    }

    @Test("Hostile MCAP files: a string or list that declares more bytes than its record has is refused")
    func fields() {
        let name = Self.little(UInt32.max) + [1, 2, 3]
        #expect(SampleFile.read(Self.file(12, declaring: UInt64(name.count), name)).error?.code == .malformed)
        let list = Self.little(UInt16(1)) + Self.little(UInt16(0)) + Self.little(UInt32(0)) + Self.little(UInt32(0))
        let channel = list + Self.little(UInt32(1 << 30))
        #expect(SampleFile.read(Self.file(4, declaring: UInt64(channel.count), channel)).error?.code == .malformed)
    }
}

/// An input of unknown size, read from the front like a pipe. Used by one task.
private final class Pipe: ByteInput, @unchecked Sendable {
    private let input: MemoryInput
    /// The size of the largest buffer that the reader has allocated, in bytes.
    private(set) var largestRoom = 0
    init(_ bytes: [UInt8]) { input = MemoryInput(bytes) }
    var size: UInt64? { nil }
    func read(into room: UnsafeMutableRawBufferPointer) -> Int {
        largestRoom = max(largestRoom, room.count)
        return input.read(into: room)
    }
    func read(into room: UnsafeMutableRawBufferPointer, at offset: UInt64) -> Int { 0 }
}
