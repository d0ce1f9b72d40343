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

/// Creates and empties the cells of an edge, without knowing their content.
// Stateless: each call works on a cell that has one owner at a time.
class FrameStore: @unchecked Sendable {
    /// Creates an empty cell.
    func allocate() -> FrameCell { FrameCell(memory: .allocate(byteCount: 0, alignment: 1)) }

    /// Destroys the frame in a cell.
    func empty(_ cell: FrameCell) {}

    /// Copies the frame in a cell into an empty cell.
    func copy(_ cell: FrameCell, to other: FrameCell) {}

    /// Whether the frames are failed frames.
    final var isOfFailures: Bool { self is TypedFrameStore<Frame<FailedFrame>> }

    /// Frees an empty cell.
    final func free(_ cell: FrameCell) { cell.memory.deallocate() }

    /// Destroys the frames in items that are no longer needed, and frees their cells.
    final func discard(_ items: some Sequence<EdgeItem<FrameCell>>) {
        for item in items {
            guard case .frame(let cell) = item else { continue }
            empty(cell)
            free(cell)
        }
    }
}

/// Fills and empties cells.
///
/// The type argument is the frame, not the payload. Unspecialized code then already has the size of a frame and the functions that
/// copy and destroy it, and does not look them up for every frame.
// Stateless. Not final on purpose: if the methods were called directly, the optimizer would pass the frame's type as an argument,
// and every call would look it up.
class TypedFrameStore<F: Sendable>: FrameStore, @unchecked Sendable {
    /// Creates a store.
    static func make() -> TypedFrameStore<F> { WorkingFrameStore<F>() }

    /// Copies a frame into an empty cell.
    func fill(_ cell: FrameCell, with frame: F) {}

    /// Moves the frame out of a cell.
    final func take(_ cell: FrameCell) -> F { cell.memory.assumingMemoryBound(to: F.self).move() }
}

// Stateless.
private final class WorkingFrameStore<F: Sendable>: TypedFrameStore<F>, @unchecked Sendable {
    override func allocate() -> FrameCell {
        // Allocate the stride instead of the size, because moving a frame also copies the padding after it.
        FrameCell(
            memory: .allocate(byteCount: MemoryLayout<F>.stride, alignment: max(16, MemoryLayout<F>.alignment)))
    }

    override func fill(_ cell: FrameCell, with frame: F) {
        cell.memory.assumingMemoryBound(to: F.self).initialize(to: frame)
    }

    override func copy(_ cell: FrameCell, to other: FrameCell) {
        fill(other, with: cell.memory.assumingMemoryBound(to: F.self).pointee)
    }

    override func empty(_ cell: FrameCell) {
        cell.memory.assumingMemoryBound(to: F.self).deinitialize(count: 1)
    }
}
