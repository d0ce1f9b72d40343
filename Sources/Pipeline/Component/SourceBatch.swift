/// What a source has read and the engine has not yet taken.
public struct SourceBatch<Output: Payload>: Sendable {
    /// Numbers that are missing right before a frame of a stream.
    @usableFromInline
    package struct Hole: Sendable {
        package let stream: StreamID
        package let count: Int64
        /// The first of the missing numbers, if it is known.
        package let first: Int64?
        /// When the frame behind the hole happened.
        package let before: Timestamp
    }

    /// What a source says beside bringing frames.
    @usableFromInline
    package enum Event: Sendable {
        case failure(PipelineError, StreamID)
        case drop(StreamID, Timestamp, Int64, DropReason)
        case bound(Timestamp)
        case end(StreamID)
        case lost(Hole)
        case epoch(StreamID)
    }

    /// One thing that was read.
    package enum Item: Sendable {
        case frame(Frame<Output>)
        case failure(PipelineError, StreamID)
        case drop(StreamID, Timestamp, Int64, DropReason)
        case bound(Timestamp)
        case end(StreamID)
        case lost(Hole)
        case epoch(StreamID)
    }

    @usableFromInline package var frames = FrameBuffer<Frame<Output>>()
    /// Each with the number of frames that came before it.
    @usableFromInline package var events: [(place: Int, event: Event)] = []

    /// How many frames the engine would like at most; one call may add a few more.
    public var limit: Int

    /// Makes an empty batch.
    public init(limit: Int = 64) { self.limit = limit }

    /// Whether the batch holds as much as the engine asked for.
    @inlinable
    public var isFull: Bool { frames.count + events.count >= limit }

    /// Whether the batch holds nothing.
    @inlinable
    public var isEmpty: Bool { frames.count + events.count == 0 }

    /// Adds a frame.
    @inlinable
    public mutating func append(_ frame: Frame<Output>) {
        if !isKnownUniquelyReferenced(&frames) { frames = FrameBuffer(copying: frames) }
        frames.append(frame)
    }

    /// Notes something received that could not be made a frame. It is counted as failed, and `on_error` decides.
    public mutating func fail(_ error: PipelineError, stream: StreamID = "") { note(.failure(error, stream)) }

    /// Notes something received that was let go, with its reason.
    public mutating func drop(stream: StreamID, at timestamp: Timestamp, sequence: Int64, _ reason: DropReason) {
        note(.drop(stream, timestamp, sequence, reason))
    }

    /// Announces that no stream of this source will bring a frame at or before `timestamp` any more. Only a source
    /// that reads in time order can.
    public mutating func advance(to timestamp: Timestamp) { note(.bound(timestamp)) }

    /// Ends one stream; a later frame of the same name opens it anew.
    public mutating func end(_ stream: StreamID) { note(.end(stream)) }

    /// Notes that `count` frames of `stream` are known to have been lost before this place (holes in a wire's numbers).
    ///
    /// - Parameters:
    ///   - first: The first of the missing numbers, if it is known.
    ///   - time: The timestamp of the frame behind the hole: when the lost ones happened nobody knows.
    public mutating func lost(
        _ count: Int64, of stream: StreamID, from first: Int64? = nil, before time: Timestamp = .zero
    ) {
        note(.lost(Hole(stream: stream, count: count, first: first, before: time)))
    }

    /// Starts a stream's time anew: what was held is finished, and timestamps may go back.
    public mutating func newEpoch(_ stream: StreamID) { note(.epoch(stream)) }

    private mutating func note(_ event: Event) { events.append((frames.count, event)) }

    /// Forgets everything and keeps the memory.
    package mutating func removeAll() {
        if isKnownUniquelyReferenced(&frames) { frames.removeAll() } else { frames = FrameBuffer() }
        events.removeAll(keepingCapacity: true)
    }

    /// Everything that was read, in order: for tests. O(items).
    package var items: [Item] {
        var items: [Item] = []
        var place = 0
        func takeFrames(to end: Int) {
            while place < end {
                items.append(.frame(frames[place]))
                place += 1
            }
        }
        for (before, event) in events {
            takeFrames(to: before)
            switch event {
            case .failure(let error, let stream): items.append(.failure(error, stream))
            case .drop(let stream, let time, let sequence, let reason):
                items.append(.drop(stream, time, sequence, reason))
            case .bound(let time): items.append(.bound(time))
            case .end(let stream): items.append(.end(stream))
            case .lost(let hole): items.append(.lost(hole))
            case .epoch(let stream): items.append(.epoch(stream))
            }
        }
        takeFrames(to: frames.count)
        return items
    }
}

/// Frames one behind the other in memory that is used again.
///
/// Its type argument is the frame, not the payload: unspecialised code then has the frame's size and its ways to copy and
/// destroy at hand, and need not look them up for every frame.
// Belongs to one batch, which a source and its task fill and empty in turn.
@usableFromInline
package final class FrameBuffer<F: Sendable>: @unchecked Sendable {
    @usableFromInline package var base: UnsafeMutablePointer<F>
    @usableFromInline package var count = 0
    @usableFromInline var capacity: Int
    private let stride = MemoryLayout<F>.stride

    @usableFromInline
    package init() {
        capacity = 64
        base = .allocate(capacity: 64)
    }

    @usableFromInline
    package init(copying other: FrameBuffer<F>) {
        capacity = other.capacity
        base = .allocate(capacity: other.capacity)
        base.initialize(from: other.base, count: other.count)
        count = other.count
    }

    deinit {
        base.deinitialize(count: count)
        base.deallocate()
    }

    @inlinable
    package func append(_ value: F) {
        if count == capacity { grow() }
        (base + count).initialize(to: value)
        count += 1
    }

    package subscript(index: Int) -> F { base[index] }

    /// Where a value stands. The stride is kept, for to ask the type for it would be to look up the type.
    @inline(__always)
    package func address(_ index: Int) -> UnsafeMutableRawPointer { UnsafeMutableRawPointer(base) + index * stride }

    package func removeAll() {
        base.deinitialize(count: count)
        count = 0
    }

    @usableFromInline
    func grow() {
        let larger = UnsafeMutablePointer<F>.allocate(capacity: 2 * capacity)
        larger.moveInitialize(from: base, count: count)
        base.deallocate()
        base = larger
        capacity *= 2
    }
}
