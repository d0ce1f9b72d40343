/// The instances of a segment's stages, one for each stream, and the time of each stream.
///
/// One look-up a frame, and none in a run of frames of the same stream. The least recently seen stream goes first, finished as at
/// its end. All decisions depend on the order of the input only.
final class StreamChains {
    private typealias Instance = ChainPool<StreamID>.Instance

    private let pool: ChainPool<StreamID>
    private let payload: any Payload.Type
    private let context: SegmentContext
    // Held by the pool; a reference that counts would be counted at every frame.
    private var current: Unmanaged<Instance>?
    private var boundOfAll = Timestamp.beforeAll

    /// Which one the next new stream is in the order of their coming, where other workers have streams, too.
    var nextOrdinal: Int?

    /// Called after all that a stream made at the time of all, or at the end of all: where other workers have streams, theirs stand
    /// between these.
    var onTurn: ((_ time: Timestamp, _ ordinal: Int) -> Void)?

    /// Called when the stages of a stream were finished that has not ended by itself: they may have made something, and no bound
    /// comes behind that.
    var onFinish: ((StreamID, Timestamp) -> Void)?

    /// - Parameters:
    ///   - chain: The stages.
    ///   - payload: What the first of them takes.
    init(_ chain: Chain, taking payload: any Payload.Type, context: SegmentContext, maxStreams: Int = 10_000) {
        pool = ChainPool(chain, capacity: maxStreams)
        self.payload = payload
        self.context = context
    }

    /// Takes a frame out of the place in memory where it stands to its stream's instance; the place is empty then. Wake-ups due
    /// before it come first.
    func receive(_ frame: UnsafeMutableRawPointer) {
        let header = frame.assumingMemoryBound(to: FrameHeader.self)
        if let current, current._withUnsafeGuaranteedRef({ $0.key == header.pointee.stream }) {
            current._withUnsafeGuaranteedRef { receive(frame, $0) }
        } else {
            receive(frame, instance(of: header.pointee.stream))
        }
    }

    @inline(__always)
    private func receive(_ frame: UnsafeMutableRawPointer, _ instance: Instance) {
        let header = frame.assumingMemoryBound(to: FrameHeader.self)
        let time = header.pointee.timestamp
        if time < instance.last || time <= instance.settled {
            pool.chain.first(of: instance.memory).refuse(header.pointee, .late)
            return payload._empty(frame)
        }
        instance.last = time
        instance.arrival = header.pointee.arrival
        context.beginFrame()
        payload._hand(frame, to: pool.chain.head(of: instance.memory))
        if context.wakesChanged { updateWakes(of: instance) }
        // A stage that a frame reaches fires its own before that: what a stage before it makes may have an earlier time.
        if let wake = instance.nextWake, wake < time { fireWakes(of: instance, before: time) }
    }

    /// The time of one stream, or (with `nil`) of all, has passed up to and including `time`.
    func bound(_ stream: StreamID?, _ time: Timestamp) {
        let limit = context.isExplicit ? time.advanced(byMicroseconds: 1) : time
        if let stream {
            guard let instance = pool.known(stream) else { return }
            fireWakes(of: instance, before: limit)
            // Not `settled`: what the stage before puts out at the end of the stream has the time of its last bound.
            instance.last = max(instance.last, time)
        } else {
            boundOfAll = time
            while let (wake, instance) = pool.nextWake, wake < limit {
                fireWakes(of: instance, before: wake.advanced(byMicroseconds: 1))
                onTurn?(wake, instance.ordinal)
            }
        }
    }

    /// How far the stages may say that a stream (or with `nil` every stream) has come, when its time has come to `time` before
    /// them: a last stage that stamps its output earlier may still bring what happened before.
    func reached(_ stream: StreamID?, _ time: Timestamp) -> Timestamp {
        guard context.stampsEarlier > 0 else { return time }
        // One more: what the stage before puts out at the end of the stream has the time of its last bound.
        let earliest = max(.beforeAll, time.advanced(byMicroseconds: -context.stampsEarlier - 1))
        let processed = stream.flatMap { pool.known($0) }.map { pool.chain.last(of: $0.memory).time }
        return min(time, max(earliest, processed ?? .beforeAll))
    }

    /// Ends a stream: its stages finish, and its instance goes.
    func end(_ stream: StreamID) {
        guard let instance = pool.known(stream) else { return }
        finish(instance)
        pool.remove(instance)
        current = nil
        if context.stampsEarlier > 0 { onFinish?(stream, last(instance)) }
    }

    /// Ends all streams, in the order in which they came.
    func endAll() {
        current = nil
        for instance in pool.removeAll() {
            finish(instance)
            onFinish?(instance.key, last(instance))
            onTurn?(.beforeAll, instance.ordinal)
        }
    }

    /// Lets a stream go that was not seen for longest.
    func evict(_ stream: StreamID) {
        guard let instance = pool.known(stream) else { return }
        current = nil
        finish(instance)
        onFinish?(stream, last(instance))
        pool.remove(instance)
    }

    private func instance(of stream: StreamID) -> Instance {
        let instance = pool.use(stream, for: stream, ordinal: nextOrdinal) { evicted in
            finish(evicted)
            onFinish?(evicted.key, last(evicted))
        }
        if instance.last == .beforeAll { instance.boundOfAll = boundOfAll }
        current = .passUnretained(instance)
        return instance
    }

    private func finish(_ instance: Instance) { pool.finish(instance, at: last(instance)) }

    /// How far the time of an instance's stream has come.
    private func last(_ instance: Instance) -> Timestamp {
        instance.boundOfAll == boundOfAll ? instance.last : max(instance.last, boundOfAll)
    }

    /// Fires the wake-ups of a stream before `time`, earliest first; at equal times the earlier stage first.
    private func fireWakes(of instance: Instance, before time: Timestamp) {
        while let wake = instance.nextWake, wake < time {
            instance.settled = max(instance.settled, wake)
            pool.wakeFirst(of: instance)
            updateWakes(of: instance)
        }
    }

    private func updateWakes(of instance: Instance) {
        context.wakesChanged = false
        guard pool.updateWake(of: instance) else { return }
        context.wakeRequests?.request(
            instance.key, instance.nextWake, last: instance.last, arrival: instance.arrival)
    }
}
