/// An input that MCAP files are read from.
public protocol ByteInput: AnyObject {
    /// The size in bytes, if it is known. If it is, any position can be read.
    var size: UInt64? { get }

    /// Reads the next bytes, at most as many as fit into `room`, and returns their number. Returns 0 at the end of the input.
    func read(into room: UnsafeMutableRawBufferPointer) throws(MCAPError) -> Int

    /// Reads bytes at a position and returns their number. Fills `room` unless the input ends first.
    func read(into room: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(MCAPError) -> Int
}

/// An input whose bytes are in memory.
public final class MemoryInput: ByteInput {
    private let bytes: [UInt8]
    private var place = 0

    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    public var size: UInt64? { UInt64(bytes.count) }

    public func read(into room: UnsafeMutableRawBufferPointer) -> Int {
        let count = read(into: room, at: UInt64(place))
        place += count
        return count
    }

    public func read(into room: UnsafeMutableRawBufferPointer, at offset: UInt64) -> Int {
        guard let start = Int(exactly: offset), start < bytes.count else { return 0 }
        let count = min(room.count, bytes.count - start)
        bytes.withUnsafeBytes {
            room.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<(start + count)]))
        }
        return count
    }
}
