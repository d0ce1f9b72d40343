/// A cell: memory that holds one frame, of any payload type.
///
/// Edges move cells instead of frames. Moving a cell needs no generic code. A frame is put into a cell once, however many queues
/// the cell passes. The code that takes a cell out of a queue must empty the cell, and then return or free it.
// A cell has one owner at a time. Ownership is transferred under an edge's lock.
struct FrameCell: EdgeElement, @unchecked Sendable {
    let memory: UnsafeMutableRawPointer

    /// The part of the frame that is the same for all payload types. It comes first in memory.
    @inline(__always)
    var header: UnsafeMutablePointer<FrameHeader> { memory.assumingMemoryBound(to: FrameHeader.self) }

    /// Returns the frame. The payload type must be the one that the cell was filled with.
    @inline(__always)
    func frame<Payload: Pipeline.Payload>(of payload: Payload.Type) -> UnsafeMutablePointer<Frame<Payload>> {
        memory.assumingMemoryBound(to: Frame<Payload>.self)
    }

    var timestamp: Timestamp { header.pointee.timestamp }
    var stream: StreamID { header.pointee.stream }
    var arrival: Int64 { header.pointee.arrival }
    var gap: Int32 {
        get { header.pointee.gap }
        set { header.pointee.gap = newValue }
    }
}

/// Creates and empties the cells for frames of one payload type.
final class FrameStore: Sendable {
    let payload: any Payload.Type
    private let size: Int
    private let alignment: Int

    init<P: Payload>(_ payload: P.Type) {
        self.payload = payload
        // The stride instead of the size, because moving a frame also copies the padding after it.
        size = MemoryLayout<Frame<P>>.stride
        alignment = max(16, MemoryLayout<Frame<P>>.alignment)
    }

    /// Returns whether the cells are for frames of the given payload type.
    func carries(_ other: any Payload.Type) -> Bool { ObjectIdentifier(payload) == ObjectIdentifier(other) }

    /// Whether the frames are failed frames.
    var isOfFailures: Bool { carries(FailedFrame.self) }

    /// Creates an empty cell.
    func allocate() -> FrameCell { FrameCell(memory: .allocate(byteCount: size, alignment: alignment)) }

    /// Destroys the frame in a cell.
    func empty(_ cell: FrameCell) { payload._empty(cell.memory) }

    /// Frees an empty cell.
    func free(_ cell: FrameCell) { cell.memory.deallocate() }

    /// Destroys the frames in items that are no longer needed, and frees their cells.
    func discard(_ items: some Sequence<EdgeItem<FrameCell>>) {
        for item in items {
            guard case .frame(let cell) = item else { continue }
            empty(cell)
            free(cell)
        }
    }
}
