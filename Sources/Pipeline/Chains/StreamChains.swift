/// The instances of a segment's stages, one for each stream, and the time of each stream.
///
/// A frame costs one lookup, or none if it belongs to the same stream as the previous frame. The least recently used stream is
/// evicted first; its stages finish as at the end of the stream. All decisions depend only on the order of the input.
final class StreamChains {
    typealias Instance = ChainPool<StreamID>.Instance

    let pool: ChainPool<StreamID>
    private let payload: any Payload.Type
    /// Whether the frames of a stream are in order. Failed frames need not be: a frame may fail because its time is wrong.
    private let isOrdered: Bool
    private let context: SegmentContext
    /// The instance of the last frame's stream.
    // Unmanaged and unchecked, because reference counting and checks would cost time for every frame. The pool retains the instance.
    @exclusivity(unchecked) private var current: Unmanaged<Instance>?
    /// The last watermark for all streams.
    var globalWatermark = Timestamp.beforeAll

    /// The position of the next new stream in the order of arrival, where several workers share the streams; otherwise `nil`.
    var nextOrdinal: Int?

    /// Called after the output of each stream when a call concerns more streams than that of its item: at a watermark for all
    /// streams, when all streams finish, and when a stream is evicted to make room. The output of each stream can then be told
    /// apart, and the output of other workers' streams be inserted in order.
    var onTurn: ((_ instance: Instance, _ time: Timestamp) -> Void)?

    /// Called after the stages of a stream have finished and may have emitted frames, if no watermark follows.
    var onFinish: ((StreamID, Timestamp) -> Void)?

    /// - Parameters:
    ///   - chain: The stages.
    ///   - payload: The payload type of the first stage's input.
    init(_ chain: Chain, taking payload: any Payload.Type, context: SegmentContext, maxStreams: Int = 10_000) {
        pool = ChainPool(chain, capacity: maxStreams)
        self.payload = payload
        isOrdered = payload != FailedFrame.self
        self.context = context
    }

    /// Moves a frame out of memory and passes it to the instance of its stream. Wake-ups that are due before the frame are fired
    /// first.
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
        if time < instance.last || time <= instance.settled, isOrdered {
            pool.chain.node(0, of: instance.memory).refuse(header.pointee, .late)
            return payload._empty(frame)
        }
        instance.last = max(instance.last, time)
        instance.arrival = header.pointee.arrival
        context.beginFrame()
        payload._hand(frame, to: pool.chain.head(of: instance.memory))
        if context.wakesChanged { updateWakes(of: instance) }
        // A stage that the frame reached has fired its own wake-ups before processing the frame. Fire the wake-ups of the other
        // stages only now, because the output of a stage upstream may have an earlier timestamp.
        if let wake = instance.nextWake, wake < time { fireWakes(of: instance, before: time) }
    }

    /// Processes a watermark: the stream (`nil`: every stream) has passed `time`.
    func bound(_ stream: StreamID?, _ time: Timestamp) {
        let limit = context.watermarks == .explicit ? time.advanced(byMicroseconds: 1) : time
        if let stream {
            guard let instance = pool.known(stream) else { return }
            fireWakes(of: instance, before: limit)
            // Do not raise `settled`: frames that the previous stage emits at the end of the stream carry the time of its last
            // watermark.
            instance.last = max(instance.last, time)
        } else {
            globalWatermark = time
            while let (wake, instance) = pool.nextWake, wake < limit {
                fireWakes(of: instance, before: wake.advanced(byMicroseconds: 1))
                onTurn?(instance, wake)
            }
        }
    }

    /// Returns the watermark to send downstream for a stream (`nil`: for all streams) when the input has reached `time`. It can be
    /// earlier than `time`, because the last stage may stamp its output earlier than its input.
    func reached(_ stream: StreamID?, _ time: Timestamp) -> Timestamp {
        guard context.stampsEarlier > 0 else { return time }
        // One microsecond more, because frames that the previous stage emits at the end of the stream carry the time of its last
        // watermark.
        let earliest = max(.beforeAll, time.advanced(byMicroseconds: -context.stampsEarlier - 1))
        let processed = stream.flatMap { pool.known($0) }.map {
            pool.chain.node(pool.chain.slots.count - 1, of: $0.memory).time
        }
        return min(time, max(earliest, processed ?? .beforeAll))
    }

    /// Ends a stream: its stages finish, and its instance is removed.
    func end(_ stream: StreamID) {
        guard let instance = pool.known(stream) else { return }
        finish(instance)
        remove(instance)
        if context.stampsEarlier > 0 { onFinish?(stream, last(instance)) }
    }

    /// Ends all streams, in the order of their first frames.
    func endAll() {
        current = nil
        for instance in pool.removeAll() {
            finish(instance)
            onFinish?(instance.key, last(instance))
            onTurn?(instance, .beforeAll)
        }
    }

    /// Finishes the stages at some positions of the chain, for all streams in order of arrival. The instances stay.
    func finish(_ stages: [Int]) {
        guard !stages.isEmpty else { return }
        for instance in pool.all.sorted(by: { $0.ordinal < $1.ordinal }) {
            for index in stages { pool.chain.node(index, of: instance.memory).finish(at: last(instance)) }
            onFinish?(instance.key, last(instance))
            onTurn?(instance, .beforeAll)
        }
    }

    /// Evicts a stream: its stages finish, and its instance is removed.
    func evict(_ stream: StreamID) {
        guard let instance = pool.known(stream) else { return }
        finish(instance)
        onFinish?(stream, last(instance))
        remove(instance)
    }

    /// Removes an instance. Its stages do not finish.
    func forget(_ instance: Instance) { remove(instance) }

    private func remove(_ instance: Instance) {
        current = nil
        cancelWake(of: instance)
        pool.remove(instance)
    }

    private func instance(of stream: StreamID) -> Instance {
        let instance = pool.use(stream, for: stream, ordinal: nextOrdinal) { evicted in
            finish(evicted)
            onFinish?(evicted.key, last(evicted))
            onTurn?(evicted, .beforeAll)
            cancelWake(of: evicted)
        }
        if instance.last == .beforeAll { instance.globalWatermark = globalWatermark }
        current = .passUnretained(instance)
        return instance
    }

    private func finish(_ instance: Instance) { pool.finish(instance, at: last(instance)) }

    /// Returns the time that an instance's stream has reached.
    private func last(_ instance: Instance) -> Timestamp {
        instance.globalWatermark == globalWatermark ? instance.last : max(instance.last, globalWatermark)
    }

    /// Fires the wake-ups of a stream before `time`, the earliest first; at equal times, the earlier stage first.
    private func fireWakes(of instance: Instance, before time: Timestamp) {
        while let wake = instance.nextWake, wake < time {
            instance.settled = max(instance.settled, wake)
            pool.wakeFirst(of: instance)
            updateWakes(of: instance)
        }
    }

    private func cancelWake(of instance: Instance) {
        guard instance.nextWake != nil else { return }
        context.wakeRequests?.request(instance.key, nil, last: instance.last, arrival: instance.arrival)
    }

    func updateWakes(of instance: Instance) {
        context.wakesChanged = false
        guard pool.updateWake(of: instance) else { return }
        context.wakeRequests?.request(
            instance.key, instance.nextWake, last: instance.last, arrival: instance.arrival)
    }
}
