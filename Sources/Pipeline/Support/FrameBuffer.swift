/// A contiguous buffer of frames that reuses its memory.
///
/// The type argument is the frame, not the payload. Unspecialized code therefore already has the metadata to copy and destroy a
/// frame, and does not look it up for every frame.
// A buffer belongs to one batch. The source fills the batch and the source's task empties it, never at the same time.
@usableFromInline
package final class FrameBuffer<F: Sendable>: @unchecked Sendable {
    @usableFromInline
    struct Content {
        @usableFromInline var base: UnsafeMutablePointer<F>
        /// The number of frames taken from the front. Their slots are empty.
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

    // Stored behind a pointer: a stored property would need an exclusivity check for every frame.
    @usableFromInline let content: UnsafeMutablePointer<Content>
    private let stride = MemoryLayout<F>.stride

    @usableFromInline
    package init() {
        content = .allocate(capacity: 1)
        content.initialize(to: Content(capacity: 64))
    }

    /// Creates a copy with the same indices.
    @usableFromInline
    package init(copying other: FrameBuffer<F>) {
        let rest = other.content.pointee
        content = .allocate(capacity: 1)
        content.initialize(to: Content(capacity: rest.capacity))
        (content.pointee.base + rest.taken).initialize(from: rest.base + rest.taken, count: rest.count - rest.taken)
        (content.pointee.taken, content.pointee.count) = (rest.taken, rest.count)
    }

    deinit {
        removeAll()
        content.pointee.base.deallocate()
        content.deallocate()
    }

    /// The number of frames, including those already taken from the front.
    @inlinable
    package var count: Int { content.pointee.count }

    /// The number of frames taken from the front.
    package var taken: Int { content.pointee.taken }

    /// Moves the first `count` frames to the end of another buffer.
    package func move(_ count: Int, behind other: FrameBuffer<F>) {
        while other.content.pointee.capacity - other.count < count { other.grow() }
        (other.content.pointee.base + other.count).moveInitialize(
            from: content.pointee.base + content.pointee.taken, count: count)
        other.content.pointee.count += count
        content.pointee.taken += count
    }

    /// Removes and returns the frame at the front.
    package func takeFirst() -> F {
        defer { content.pointee.taken += 1 }
        return (content.pointee.base + content.pointee.taken).move()
    }

    /// Modifies the frames in a range of indices.
    package func change(_ range: Range<Int>, _ body: (inout F) -> Void) {
        for index in range { body(&content.pointee.base[index]) }
    }

    /// Adds a frame. Amortized O(1).
    @inlinable
    package func append(_ value: consuming F) {
        if content.pointee.count == content.pointee.capacity { grow() }
        (content.pointee.base + content.pointee.count).initialize(to: value)
        content.pointee.count &+= 1
    }

    package subscript(index: Int) -> F { content.pointee.base[index] }

    /// Returns the address of a frame. It uses the stored stride, because reading the stride from the type would need a metadata
    /// lookup.
    @inline(__always)
    package func address(_ index: Int) -> UnsafeMutableRawPointer {
        UnsafeMutableRawPointer(content.pointee.base) + index * stride
    }

    package func removeAll() {
        let taken = content.pointee.taken
        (content.pointee.base + taken).deinitialize(count: content.pointee.count - taken)
        forgetAll()
    }

    /// Resets the buffer after all of its frames were moved out or destroyed.
    func forgetAll() { (content.pointee.count, content.pointee.taken) = (0, 0) }

    @usableFromInline
    func grow() {
        let old = content.pointee
        content.pointee = Content(capacity: 2 * old.capacity)
        (content.pointee.base + old.taken).moveInitialize(from: old.base + old.taken, count: old.count - old.taken)
        (content.pointee.taken, content.pointee.count) = (old.taken, old.count)
        old.base.deallocate()
    }
}
