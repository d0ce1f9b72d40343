/// The copies of a segment's stages, one for each stream, and the time of each stream.
///
/// One look-up a frame, and none in a run of frames of the same stream. Copies are bounded: the least recently seen stream
/// goes first, finished as at its end. All decisions depend on the order of the input only.
final class StreamCopies<Input: Pipeline.Payload> {
    /// One stream's copy.
    private final class Copy {
        let stream: StreamID
        let ordinal: Int
        let head: Inlet<Input>
        let nodes: [any ChainNode]
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
            stream: StreamID, ordinal: Int, head: Inlet<Input>, nodes: [any ChainNode], boundOfAll: Timestamp
        ) {
            self.boundOfAll = boundOfAll
            self.stream = stream
            self.ordinal = ordinal
            self.head = head
            self.nodes = nodes
        }
    }

    private let slots: [StageSlot]
    private let tail: AnyObject
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
    ///   - slots: The stages, first to last; at least one.
    ///   - tail: What the last one's frames go to: an `Inlet` of its output.
    init(
        slots: [StageSlot], tail: AnyObject, context: SegmentContext, maxStreams: Int = 10_000
    ) {
        self.slots = slots
        self.tail = tail
        self.context = context
        self.maxStreams = max(1, maxStreams)
    }

    /// Takes a frame to its stream's copy. Wake-ups due before it come first.
    func receive(_ frame: Frame<Input>) throws {
        if let current, current._withUnsafeGuaranteedRef({ $0.stream == frame.header.stream }) {
            current._withUnsafeGuaranteedRef { receive(frame, $0) }
        } else {
            receive(frame, try copy(for: frame.header.stream))
        }
    }

    @inline(__always)
    private func receive(_ frame: Frame<Input>, _ copy: Copy) {
        let time = frame.header.timestamp
        if time < copy.last || time <= copy.settled { return copy.head.refuse(frame, .late) }
        copy.last = time
        copy.arrival = frame.arrival
        context.beginFrame()
        copy.head.receive(frame)
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

    /// How far the stages may say that a stream (or with `nil` every stream) has come, when its time has come to `time` before
    /// them: a last stage that stamps its output earlier may still bring what happened before.
    func reached(_ stream: StreamID?, _ time: Timestamp) -> Timestamp {
        guard context.stampsEarlier > 0 else { return time }
        let earliest = max(.beforeAll, time.advanced(byMicroseconds: -context.stampsEarlier))
        return min(time, max(earliest, stream.flatMap { copies[$0]?.nodes.last?.time } ?? .beforeAll))
    }

    /// Ends a stream: its stages finish, and its copy goes.
    func end(_ stream: StreamID) {
        guard let copy = copies[stream] else { return }
        remove(copy)
        if context.stampsEarlier > 0 { onFinish?(stream, last(copy)) }
    }

    /// Ends all streams, in the order in which they came.
    func endAll() {
        for copy in copies.values.sorted(by: { $0.ordinal < $1.ordinal }) {
            finish(copy)
            onFinish?(copy.stream, last(copy))
        }
        copies = [:]
        byOrdinal = [:]
        (current, oldest, newest) = (nil, nil, nil)
    }

    // MARK: Copies

    private func copy(for stream: StreamID) throws -> Copy {
        let copy: Copy
        if let known = copies[stream] {
            copy = known
            unlink(copy)
        } else {
            while copies.count >= maxStreams, let oldest { evict(oldest) }
            copy = try makeCopy(stream)
            copies[stream] = copy
            byOrdinal[copy.ordinal] = copy
        }
        link(copy)
        current = .passUnretained(copy)
        return copy
    }

    private func makeCopy(_ stream: StreamID) throws -> Copy {
        var nodes: [any ChainNode] = []
        var next = tail
        for slot in slots.reversed() {
            let node = try slot.makeNode(stream: stream, next: next, context: context)
            nodes.append(node)
            next = node
        }
        guard let head = next as? Inlet<Input> else { throw PipelineError.mistypedEdge(slots.first?.metrics.id ?? "") }
        defer { nextOrdinal += 1 }
        return Copy(
            stream: stream, ordinal: nextOrdinal, head: head, nodes: nodes.reversed(), boundOfAll: boundOfAll)
    }

    private func evict(_ copy: Copy) {
        remove(copy)
        onFinish?(copy.stream, last(copy))
    }

    private func remove(_ copy: Copy) {
        finish(copy)
        unlink(copy)
        copies[copy.stream] = nil
        byOrdinal[copy.ordinal] = nil
        if current?.toOpaque() == Unmanaged.passUnretained(copy).toOpaque() { current = nil }
    }

    private func finish(_ copy: Copy) {
        let last = last(copy)
        for node in copy.nodes { node.finish(at: last) }
    }

    private func last(_ copy: Copy) -> Timestamp {
        copy.boundOfAll == boundOfAll ? copy.last : max(copy.last, boundOfAll)
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
            guard let node = copy.nodes.first(where: { $0.wakeTime == wake }) else { break }
            copy.settled = max(copy.settled, wake)
            node.wake(at: wake)
            updateWakes(of: copy)
        }
    }

    private func updateWakes(of copy: Copy) {
        context.wakesChanged = false
        let next = copy.nodes.compactMap(\.wakeTime).min()
        guard next != copy.nextWake else { return }
        copy.nextWake = next
        if let next { wakes.insert(next, copy.ordinal) }
        context.wakeRequests?.request(copy.stream, next, last: copy.last, arrival: copy.arrival)
    }
}
