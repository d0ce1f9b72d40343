/// A place in memory that holds a frame, of whatever payload.
///
/// Edges move cells, not frames: what moves them is then no generic code, and a frame is moved once, into its cell, however
/// many queues it passes; it is copied only where branches part. Whoever takes a cell out of a queue must give it back, emptied, or free it.
// A cell has one owner at a time, handed on under an edge's lock.
struct FrameCell: EdgeElement, @unchecked Sendable {
    let memory: UnsafeMutableRawPointer

    /// The part of the frame that is the same for all payloads. It stands first.
    @inline(__always)
    var header: UnsafeMutablePointer<FrameHeader> { memory.assumingMemoryBound(to: FrameHeader.self) }

    /// The frame. The payload must be the one that the cell was filled with.
    @inline(__always)
    func frame<Payload: Pipeline.Payload>(of payload: Payload.Type) -> UnsafeMutablePointer<Frame<Payload>> {
        memory.assumingMemoryBound(to: Frame<Payload>.self)
    }

    var timestamp: Timestamp { header.pointee.timestamp }
    var stream: StreamID { header.pointee.stream }
    var gap: Int32 {
        get { header.pointee.gap }
        set { header.pointee.gap = newValue }
    }
}

/// Makes and empties the cells of an edge, without knowing what is in them.
// Without state: what it works on is handed to it, a cell that has one owner at a time.
class FrameStore: @unchecked Sendable {
    /// Makes an empty cell.
    func allocate() -> FrameCell { FrameCell(memory: .allocate(byteCount: 0, alignment: 1)) }

    /// Destroys the frame in a cell.
    func empty(_ cell: FrameCell) {}

    /// Puts a copy of the frame in a cell into an empty one.
    func copy(_ cell: FrameCell, to other: FrameCell) {}

    /// Frees an empty cell.
    final func free(_ cell: FrameCell) { cell.memory.deallocate() }

    /// Destroys the frames of items nobody wants any more, and frees their cells.
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
/// Its type argument is the frame, not the payload: code that is not specialized then has the frame's size and its ways to
/// copy and destroy at hand, and need not look them up for every frame.
// Without state. A class that could be inherited from: were its methods called directly, the optimizer would hand them the
// frame's type as an argument, and look it up for every call.
class TypedFrameStore<F: Sendable>: FrameStore, @unchecked Sendable {
    /// Makes a store.
    static func make() -> TypedFrameStore<F> { WorkingFrameStore<F>() }

    /// Puts a copy of a frame into an empty cell.
    func fill(_ cell: FrameCell, with frame: F) {}

    /// Moves a frame into an empty cell; the memory it stood in is empty then.
    func fill(_ cell: FrameCell, movingFrom memory: UnsafeMutableRawPointer) {}

    /// Takes the frame out of a cell.
    final func take(_ cell: FrameCell) -> F { cell.memory.assumingMemoryBound(to: F.self).move() }
}

// Without state.
private final class WorkingFrameStore<F: Sendable>: TypedFrameStore<F>, @unchecked Sendable {

    override func allocate() -> FrameCell {
        // The stride: a frame that is moved is copied with the padding behind it.
        FrameCell(
            memory: .allocate(byteCount: MemoryLayout<F>.stride, alignment: max(16, MemoryLayout<F>.alignment)))
    }

    override func fill(_ cell: FrameCell, with frame: F) {
        cell.memory.assumingMemoryBound(to: F.self).initialize(to: frame)
    }

    override func fill(_ cell: FrameCell, movingFrom memory: UnsafeMutableRawPointer) {
        cell.memory.assumingMemoryBound(to: F.self).moveInitialize(
            from: memory.assumingMemoryBound(to: F.self), count: 1)
    }

    override func copy(_ cell: FrameCell, to other: FrameCell) {
        fill(other, with: cell.memory.assumingMemoryBound(to: F.self).pointee)
    }

    override func empty(_ cell: FrameCell) {
        cell.memory.assumingMemoryBound(to: F.self).deinitialize(count: 1)
    }
}
