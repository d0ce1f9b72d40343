/// One message of a channel.
public struct Message: Hashable, Sendable {
    /// The number of its channel.
    public var channelID: UInt16
    /// The sequence number of the sender.
    public var sequence: UInt32
    /// The time of recording, in nanoseconds.
    public var logTime: UInt64
    /// The time of sending, in nanoseconds.
    public var publishTime: UInt64
    /// The content. In a message that was read, it is a slice of a block of the file and keeps that block in memory.
    public var data: ArraySlice<UInt8>

    /// The size of the fields before the data, in bytes.
    static let fixedSize = 22

    public init(channelID: UInt16, sequence: UInt32, logTime: UInt64, publishTime: UInt64, data: ArraySlice<UInt8>) {
        self.channelID = channelID
        self.sequence = sequence
        self.logTime = logTime
        self.publishTime = publishTime
        self.data = data
    }

    /// Reads the content of a message record from a range of `memory`.
    ///
    /// - Parameter offset: The position of the content, for errors.
    @inline(__always)
    init(_ memory: [UInt8], _ range: Range<Int>, at offset: UInt64) throws(MCAPError) {
        (channelID, sequence, logTime, publishTime) = try Message.head(memory, range, at: offset)
        data = memory[(range.lowerBound + Message.fixedSize)..<range.upperBound]
    }

    /// Reads the fields before the data.
    ///
    /// - Parameter offset: The position of the content, for errors.
    @inline(__always)
    static func head(
        _ memory: [UInt8], _ range: Range<Int>, at offset: UInt64
    ) throws(MCAPError) -> (channelID: UInt16, sequence: UInt32, logTime: UInt64, publishTime: UInt64) {
        guard range.count >= Message.fixedSize else {
            throw MCAPError(.malformed, "a message is too short for its fields", at: offset)
        }
        return memory.withUnsafeBytes { bytes in
            (
                UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: range.lowerBound, as: UInt16.self)),
                UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: range.lowerBound + 2, as: UInt32.self)),
                UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: range.lowerBound + 6, as: UInt64.self)),
                UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: range.lowerBound + 14, as: UInt64.self))
            )
        }
    }
}

extension ByteBuffer {
    /// Writes a message record. The small fields before the data are collected first and appended at once.
    @inline(__always)
    mutating func message(
        _ channel: UInt16, _ sequence: UInt32, _ logTime: UInt64, _ publishTime: UInt64, _ data: UnsafeRawBufferPointer
    ) {
        withUnsafeTemporaryAllocation(byteCount: RecordFrame.prefix + Message.fixedSize, alignment: 1) { head in
            head[0] = Opcode.message.rawValue
            head.storeBytes(of: UInt64(Message.fixedSize + data.count).littleEndian, toByteOffset: 1, as: UInt64.self)
            head.storeBytes(of: channel.littleEndian, toByteOffset: 9, as: UInt16.self)
            head.storeBytes(of: sequence.littleEndian, toByteOffset: 11, as: UInt32.self)
            head.storeBytes(of: logTime.littleEndian, toByteOffset: 15, as: UInt64.self)
            head.storeBytes(of: publishTime.littleEndian, toByteOffset: 23, as: UInt64.self)
            append(UnsafeRawBufferPointer(head))
        }
        append(data)
    }
}
