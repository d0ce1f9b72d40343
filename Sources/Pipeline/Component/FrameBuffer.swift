/// Frames one behind the other in memory that is used again.
///
/// Its type argument is the frame, not the payload: unspecialized code then has the frame's size and its ways to copy and
/// destroy at hand, and need not look them up for every frame.
// Belongs to one batch, which a source and its task fill and empty in turn.
@usableFromInline
package final class FrameBuffer<F: Sendable>: @unchecked Sendable {
    @usableFromInline
    struct Content {
        @usableFromInline var base: UnsafeMutablePointer<F>
        /// How many places at the front are empty, because their frames were taken.
        @usableFromInline var taken = 0
        @usableFromInline var count: Int
        @usableFromInline var capacity: Int

        @usableFromInline
        init(capacity: Int) {
            base = .allocate(capacity: capacity)
            count = 0
            self.capacity = capacity
        }
    }

    // Behind a pointer: stored here, it would cost an exclusivity check at every frame.
    @usableFromInline let content: UnsafeMutablePointer<Content>
    private let stride = MemoryLayout<F>.stride

    @usableFromInline
    package init() {
        content = .allocate(capacity: 1)
        content.initialize(to: Content(capacity: 64))
    }

    @usableFromInline
    package init(copying other: FrameBuffer<F>) {
        content = .allocate(capacity: 1)
        content.initialize(to: Content(capacity: other.content.pointee.capacity))
        content.pointee.base.initialize(from: other.content.pointee.base, count: other.count)
        content.pointee.count = other.count
    }

    deinit {
        removeAll()
        content.pointee.base.deallocate()
        content.deallocate()
    }

    /// How many frames there are, with those that were taken from the front.
    @inlinable
    package var count: Int { content.pointee.count }

    /// How many frames were taken from the front.
    package var taken: Int { content.pointee.taken }

    /// Moves so many frames from the front behind those of another buffer.
    package func move(_ count: Int, behind other: FrameBuffer<F>) {
        while other.content.pointee.capacity - other.count < count { other.grow() }
        (other.content.pointee.base + other.count).moveInitialize(
            from: content.pointee.base + content.pointee.taken, count: count)
        other.content.pointee.count += count
        content.pointee.taken += count
    }

    /// Takes the frame at the front.
    package func takeFirst() -> F {
        defer { content.pointee.taken += 1 }
        return (content.pointee.base + content.pointee.taken).move()
    }

    /// Changes the frames at some places.
    package func change(_ range: Range<Int>, _ body: (inout F) -> Void) {
        for index in range { body(&content.pointee.base[index]) }
    }

    /// Adds a frame. Amortised O(1).
    @inlinable
    package func append(_ value: consuming F) {
        if content.pointee.count == content.pointee.capacity { grow() }
        (content.pointee.base + content.pointee.count).initialize(to: value)
        content.pointee.count &+= 1
    }

    package subscript(index: Int) -> F { content.pointee.base[index] }

    /// Where a frame stands. The stride is kept, for to ask the type for it would be to look up the type.
    @inline(__always)
    package func address(_ index: Int) -> UnsafeMutableRawPointer {
        UnsafeMutableRawPointer(content.pointee.base) + index * stride
    }

    package func removeAll() {
        let taken = content.pointee.taken
        (content.pointee.base + taken).deinitialize(count: content.pointee.count - taken)
        forgetAll()
    }

    /// Forgets frames whose places are all empty.
    func forgetAll() { (content.pointee.count, content.pointee.taken) = (0, 0) }

    @usableFromInline
    func grow() {
        let old = content.pointee
        content.pointee = Content(capacity: 2 * old.capacity)
        content.pointee.base.moveInitialize(from: old.base, count: old.count)
        content.pointee.count = old.count
        old.base.deallocate()
    }
}
