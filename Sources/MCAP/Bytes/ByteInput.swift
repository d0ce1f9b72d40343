/// An input that files are read from.
public protocol ByteInput: AnyObject {
    /// The size, if it is known; then any position can be read.
    var size: UInt64? { get }

    /// Reads the next bytes, at most as many as fit; 0 at the end.
    func read(into room: UnsafeMutableRawBufferPointer) throws(MCAPError) -> Int

    /// Reads from a position; fewer bytes than fit only at the end.
    func read(into room: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(MCAPError) -> Int
}

/// A file in memory.
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
