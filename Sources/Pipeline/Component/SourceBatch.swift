/// The items that a source has read and the engine has not taken yet.
public struct SourceBatch<Output: Payload>: Sendable {
    @usableFromInline package var frames = FrameBuffer<Frame<Output>>()
    /// An object that all copies of the batch share, as they share the frames. Its type is not generic, so that checking for
    /// copies does not look up the type of the frames.
    @usableFromInline var owner = SourceBatchOwner()
    @usableFromInline package var events: [SourceEvent] = []

    /// The number of items that the engine requests. A source may exceed it by a few.
    public var limit: Int

    /// Creates an empty batch.
    public init(limit: Int = 64) { self.limit = limit }

    /// Whether the batch contains as many items as the engine requested.
    @inlinable
    public var isFull: Bool { frames.count + events.count >= limit }

    /// Whether the batch contains no items.
    @inlinable
    public var isEmpty: Bool { frames.count + events.count == 0 }

    /// Adds a frame.
    @inlinable
    public mutating func append(_ frame: consuming Frame<Output>) {
        makeFramesOwn()
        frames.append(frame)
    }

    /// Copies the frames if another copy of this batch shares them, so that they may be modified.
    @inlinable
    @inline(__always)
    package mutating func makeFramesOwn() {
        if !isKnownUniquelyReferenced(&owner) { copyFrames() }
    }

    // A separate function, so that unspecialized code looks up no type in the common case.
    @usableFromInline
    @inline(never)
    mutating func copyFrames() {
        frames = FrameBuffer(copying: frames)
        owner = SourceBatchOwner()
    }

    /// Records an input that could not be turned into a frame. It is counted as failed, and `on_error` determines what happens
    /// next.
    public mutating func fail(_ error: PipelineError, stream: StreamID = "") { note(.failure(error, stream)) }

    /// Records a received input that was dropped, with the reason.
    public mutating func drop(stream: StreamID, at timestamp: Timestamp, sequence: Int64, _ reason: DropReason) {
        note(.drop(stream, timestamp, sequence, reason))
    }

    /// Announces a watermark: no stream of this source will emit a frame at or before `timestamp`. Only a source that reads in time
    /// order can do this.
    public mutating func advance(to timestamp: Timestamp) { note(.bound(timestamp)) }

    /// Ends one stream. A later frame with the same stream name opens it again.
    public mutating func end(_ stream: StreamID) { note(.end(stream)) }

    /// Records that `count` frames of `stream` are known to have been lost at this position of the batch, because sequence numbers
    /// are missing.
    ///
    /// - Parameters:
    ///   - count: The number of missing frames.
    ///   - stream: The stream that they belong to.
    ///   - first: The first of the missing numbers, if known.
    ///   - time: The timestamp of the frame after the hole, because the times of the lost frames are unknown.
    public mutating func lost(
        _ count: Int64, of stream: StreamID, from first: Int64? = nil, before time: Timestamp = .zero
    ) {
        note(.lost(.init(stream: stream, count: count, first: first, before: time)))
    }

    /// Begins a new epoch of a stream: its stages finish, and timestamps may go back.
    public mutating func newEpoch(_ stream: StreamID) { note(.end(stream, .restarts)) }

    /// The number of items that the batch has room for.
    package var room: Int { max(0, limit - frames.count - events.count) }

    /// Moves the first `count` frames of another buffer to the end of this batch.
    package mutating func append(_ count: Int, movingFrom other: FrameBuffer<Frame<Output>>) {
        makeFramesOwn()
        other.move(count, behind: frames)
    }

    /// Adds an event.
    package mutating func append(_ what: SourceEvent.What) { note(what) }

    /// Modifies the errors of all recorded failures, in order.
    package mutating func changeFailures(_ change: (PipelineError) -> PipelineError) {
        for (index, event) in events.enumerated() {
            guard case .failure(let error, let stream) = event.what else { continue }
            events[index] = SourceEvent(place: event.place, what: .failure(change(error), stream))
        }
    }

    private mutating func note(_ what: SourceEvent.What) {
        events.append(SourceEvent(place: frames.count, what: what))
    }

    /// Removes all items and keeps the memory.
    package mutating func removeAll() {
        makeFramesOwn()
        frames.removeAll()
        if !events.isEmpty { events.removeAll(keepingCapacity: true) }
    }
}

/// An object that belongs to one batch and its copies. It has no state.
@usableFromInline
final class SourceBatchOwner: Sendable {
    @usableFromInline
    init() {}
}

/// An item of a source that is not a frame.
@usableFromInline
package struct SourceEvent: Sendable {
    package enum What: Sendable {
        case failure(PipelineError, StreamID)
        case drop(StreamID, Timestamp, Int64, DropReason)
        case bound(Timestamp)
        case end(StreamID, StreamEnd = .over)
        case lost(Hole)
    }

    /// Sequence numbers that are missing right before a frame of a stream.
    package struct Hole: Sendable {
        package let stream: StreamID
        package let count: Int64
        /// The first of the missing numbers, if known.
        package let first: Int64?
        /// The timestamp of the frame after the hole.
        package let before: Timestamp
    }

    /// The number of frames before the event.
    package let place: Int

    package let what: What

    package init(place: Int, what: What) { (self.place, self.what) = (place, what) }
}
