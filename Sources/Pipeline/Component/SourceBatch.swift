/// What a source has read and the engine has not yet taken.
public struct SourceBatch<Output: Payload>: Sendable {
    /// One thing that was read.
    package enum Item: Sendable {
        case frame(Frame<Output>)
        case failure(PipelineError, StreamID)
        case drop(StreamID, Timestamp, Int64, DropReason)
        case bound(Timestamp)
        case end(StreamID)
        case lost(SourceEvent.Hole)
        case epoch(StreamID)
    }

    @usableFromInline package var frames = FrameBuffer<Frame<Output>>()
    /// Shared by copies of the batch, as the frames are. Of no generic type, so that to ask whether there are copies is not
    /// to look up the type of the frames.
    @usableFromInline var owner = SourceBatchOwner()
    @usableFromInline package var events: [SourceEvent] = []

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
    public mutating func append(_ frame: consuming Frame<Output>) {
        makeFramesOwn()
        frames.append(frame)
    }

    /// Copies the frames if a copy of this batch has the same: now they may be changed.
    @inlinable
    @inline(__always)
    package mutating func makeFramesOwn() {
        if !isKnownUniquelyReferenced(&owner) { copyFrames() }
    }

    // Apart, so that code that is not specialized looks up no type in the common case.
    @usableFromInline
    @inline(never)
    mutating func copyFrames() {
        frames = FrameBuffer(copying: frames)
        owner = SourceBatchOwner()
    }

    /// Notes something received that could not be made a frame. It is counted as failed, and `on_error` decides.
    public mutating func fail(_ error: PipelineError, stream: StreamID = "") { note(.failure(error, stream)) }

    /// Notes received input that was dropped, with its reason.
    public mutating func drop(stream: StreamID, at timestamp: Timestamp, sequence: Int64, _ reason: DropReason) {
        note(.drop(stream, timestamp, sequence, reason))
    }

    /// Announces that no stream of this source will bring a frame at or before `timestamp` any more. Only a source
    /// that reads in time order can.
    public mutating func advance(to timestamp: Timestamp) { note(.bound(timestamp)) }

    /// Ends one stream; a later frame of the same name opens it again.
    public mutating func end(_ stream: StreamID) { note(.end(stream)) }

    /// Notes that `count` frames of `stream` are known to have been lost before this place (holes in a wire's numbers).
    ///
    /// - Parameters:
    ///   - count: How many frames are missing.
    ///   - stream: The stream that they belong to.
    ///   - first: The first of the missing numbers, if it is known.
    ///   - time: The timestamp of the frame behind the hole: when the lost ones happened nobody knows.
    public mutating func lost(
        _ count: Int64, of stream: StreamID, from first: Int64? = nil, before time: Timestamp = .zero
    ) {
        note(.lost(.init(stream: stream, count: count, first: first, before: time)))
    }

    /// Starts a stream's time over: what was held is finished, and timestamps may go back.
    public mutating func newEpoch(_ stream: StreamID) { note(.epoch(stream)) }

    /// How many items it has room for.
    package var room: Int { max(0, limit - frames.count - events.count) }

    /// Moves so many frames here from the front of those of another batch.
    package mutating func append(_ count: Int, movingFrom other: FrameBuffer<Frame<Output>>) {
        makeFramesOwn()
        other.move(count, behind: frames)
    }

    /// Notes what another batch has noted.
    package mutating func append(_ what: SourceEvent.What) { note(what) }

    /// Changes the errors of all failures noted, in order.
    package mutating func changeFailures(_ change: (PipelineError) -> PipelineError) {
        for (index, event) in events.enumerated() {
            guard case .failure(let error, let stream) = event.what else { continue }
            events[index] = SourceEvent(place: event.place, what: .failure(change(error), stream))
        }
    }

    private mutating func note(_ what: SourceEvent.What) {
        events.append(SourceEvent(place: frames.count, what: what))
    }

    /// Forgets everything and keeps the memory.
    package mutating func removeAll() {
        makeFramesOwn()
        frames.removeAll()
        if !events.isEmpty { events.removeAll(keepingCapacity: true) }
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
        for event in events {
            takeFrames(to: event.place)
            switch event.what {
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

/// Belongs to one batch and its copies.
// Without state.
@usableFromInline
final class SourceBatchOwner: Sendable {
    @usableFromInline
    init() {}
}

/// What a source says beside bringing frames.
@usableFromInline
package struct SourceEvent: Sendable {
    package enum What: Sendable {
        case failure(PipelineError, StreamID)
        case drop(StreamID, Timestamp, Int64, DropReason)
        case bound(Timestamp)
        case end(StreamID)
        case lost(Hole)
        case epoch(StreamID)
    }

    /// Numbers that are missing right before a frame of a stream.
    package struct Hole: Sendable {
        package let stream: StreamID
        package let count: Int64
        /// The first of the missing numbers, if it is known.
        package let first: Int64?
        /// When the frame behind the hole happened.
        package let before: Timestamp
    }

    /// How many frames came before it.
    package let place: Int

    package let what: What

    package init(place: Int, what: What) { (self.place, self.what) = (place, what) }
}
