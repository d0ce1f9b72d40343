/// The copies of a segment's stages, one for each stream, and the time of each stream.
///
/// One look-up a frame, and none in a run of frames of the same stream. Copies are bounded: the least recently seen stream
/// goes first, finished as at its end. All decisions depend on the order of the input only.
final class StreamCopies {
    /// One stream's copy.
    private final class Copy {
        let stream: StreamID
        let ordinal: Int
        let chain: Chain
        let memory: UnsafeMutableRawPointer
        /// The time of the last frame, or that which the stream has come to since.
        var last = Timestamp.beforeAll
        /// When it arrived, in a live run.
        var arrival: Int64 = 0
        /// No frame at or before this may come any more.
        var settled = Timestamp.beforeAll
        var nextWake: Timestamp?
        /// What was known of all streams when it was made: another bound of all has come since, and is one of this stream.
        let boundOfAll: Timestamp
        // Neighbours in the order in which streams were last seen.
        unowned(unsafe) var older: Copy?
        unowned(unsafe) var newer: Copy?

        init(
            stream: StreamID, ordinal: Int, chain: Chain, boundOfAll: Timestamp
        ) {
            self.boundOfAll = boundOfAll
            self.stream = stream
            self.ordinal = ordinal
            self.chain = chain
            memory = chain.make(for: stream)
        }

        deinit { chain.free(memory) }
    }

    private let chain: Chain
    private let payload: any Payload.Type
    private let context: SegmentContext
    private let maxStreams: Int

    private var copies: [StreamID: Copy] = [:]
    // Held by `copies`; a reference that counts would be counted at every frame.
    private var current: Unmanaged<Copy>?
    private var oldest: Copy?
    private var newest: Copy?
    private var nextOrdinal = 0
    private var wakes = WakeQueue()
    private var byOrdinal: [Int: Copy] = [:]
    private var boundOfAll = Timestamp.beforeAll

    /// Called when the stages of a stream were finished that has not ended by itself: they may have made something, and no bound
    /// comes behind that.
    var onFinish: ((StreamID, Timestamp) -> Void)?

    /// - Parameters:
    ///   - chain: The stages.
    ///   - payload: What the first of them takes.
    init(_ chain: Chain, taking payload: any Payload.Type, context: SegmentContext, maxStreams: Int = 10_000) {
        self.chain = chain
        self.payload = payload
        self.context = context
        self.maxStreams = max(1, maxStreams)
    }

    /// Takes a frame out of the place in memory where it stands to its stream's copy; the place is empty then. Wake-ups due
    /// before it come first.
    func receive(_ frame: UnsafeMutableRawPointer) {
        let header = frame.assumingMemoryBound(to: FrameHeader.self)
        if let current, current._withUnsafeGuaranteedRef({ $0.stream == header.pointee.stream }) {
            current._withUnsafeGuaranteedRef { receive(frame, $0) }
        } else {
            receive(frame, copy(for: header.pointee.stream))
        }
    }

    @inline(__always)
    private func receive(_ frame: UnsafeMutableRawPointer, _ copy: Copy) {
        let header = frame.assumingMemoryBound(to: FrameHeader.self)
        let time = header.pointee.timestamp
        if time < copy.last || time <= copy.settled {
            chain.first(of: copy.memory).refuse(header.pointee, .late)
            return payload._empty(frame)
        }
        copy.last = time
        copy.arrival = header.pointee.arrival
        context.beginFrame()
        payload._hand(frame, to: chain.head(of: copy.memory))
        if context.wakesChanged { updateWakes(of: copy) }
        // A stage that a frame reaches fires its own before that: what a stage before it makes may have an earlier time.
        if let wake = copy.nextWake, wake < time { fireWakes(of: copy, before: time) }
    }

    /// The time of one stream, or (with `nil`) of all, has passed up to and including `time`.
    func bound(_ stream: StreamID?, _ time: Timestamp) {
        let limit = context.isExplicit ? time.advanced(byMicroseconds: 1) : time
        if let stream {
            guard let copy = copies[stream] else { return }
            fireWakes(of: copy, before: limit)
            // Not `settled`: what the stage before puts out at the end of the stream has the time of its last bound.
            copy.last = max(copy.last, time)
        } else {
            boundOfAll = time
            while let (wake, ordinal) = wakes.first, wake < limit {
                wakes.removeFirst()
                guard let copy = byOrdinal[ordinal], copy.nextWake == wake else { continue }
                fireWakes(of: copy, before: wake.advanced(byMicroseconds: 1))
            }
        }
    }

    /// Ends a stream: its stages finish, and its copy goes.
    func end(_ stream: StreamID) {
        guard let copy = copies[stream] else { return }
        remove(copy)
    }

    /// Ends all streams, in the order in which they came.
    func endAll() {
        for copy in copies.values.sorted(by: { $0.ordinal < $1.ordinal }) {
            finish(copy)
            onFinish?(copy.stream, copy.last)
        }
        copies = [:]
        byOrdinal = [:]
        (current, oldest, newest) = (nil, nil, nil)
    }

    // MARK: Copies

    private func copy(for stream: StreamID) -> Copy {
        let copy: Copy
        if let known = copies[stream] {
            copy = known
            unlink(copy)
        } else {
            while copies.count >= maxStreams, let oldest { evict(oldest) }
            copy = Copy(stream: stream, ordinal: nextOrdinal, chain: chain, boundOfAll: boundOfAll)
            nextOrdinal += 1
            copies[stream] = copy
            byOrdinal[copy.ordinal] = copy
        }
        link(copy)
        current = .passUnretained(copy)
        return copy
    }

    private func evict(_ copy: Copy) {
        remove(copy)
        onFinish?(copy.stream, copy.last)
    }

    private func remove(_ copy: Copy) {
        finish(copy)
        unlink(copy)
        copies[copy.stream] = nil
        byOrdinal[copy.ordinal] = nil
        if current?.toOpaque() == Unmanaged.passUnretained(copy).toOpaque() { current = nil }
    }

    private func finish(_ copy: Copy) {
        let last = copy.boundOfAll == boundOfAll ? copy.last : max(copy.last, boundOfAll)
        chain.finish(copy.memory, at: last)
    }

    private func link(_ copy: Copy) {
        copy.older = newest
        copy.newer = nil
        newest?.newer = copy
        newest = copy
        if oldest == nil { oldest = copy }
    }

    private func unlink(_ copy: Copy) {
        if let older = copy.older { older.newer = copy.newer } else { oldest = copy.newer }
        if let newer = copy.newer { newer.older = copy.older } else { newest = copy.older }
        (copy.older, copy.newer) = (nil, nil)
    }

    // MARK: Wake-ups

    /// Fires a copy's wake-ups before `time`, earliest first; at equal times the earlier stage first.
    private func fireWakes(of copy: Copy, before time: Timestamp) {
        while let wake = copy.nextWake, wake < time {
            guard let (_, node) = chain.nextWake(of: copy.memory) else { break }
            copy.settled = max(copy.settled, wake)
            node.wake(at: wake)
            updateWakes(of: copy)
        }
    }

    private func updateWakes(of copy: Copy) {
        context.wakesChanged = false
        let next = chain.nextWake(of: copy.memory)?.time
        guard next != copy.nextWake else { return }
        copy.nextWake = next
        if let next { wakes.insert(next, copy.ordinal) }
        context.wakeRequests?.request(copy.stream, next, last: copy.last, arrival: copy.arrival)
    }
}
