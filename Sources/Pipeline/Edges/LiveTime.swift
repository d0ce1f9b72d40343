import Synchronization

/// The time of each stream of a live source. It advances even while the stream is quiet.
///
/// The time of a stream is the timestamp of its last frame, plus the time on the run's clock since that frame arrived, minus the
/// allowed lateness. A task that waits for a stream to pass some time requests a watermark for that time. Once the stream has
/// passed it, the watermark is announced on all edges of the source. A frame that arrives afterwards with a timestamp at or before
/// the watermark is late. The watermark travels in order with the frames, so a frame that arrived in time never becomes late
/// because a stage is slow.
final class LiveTime: Sendable {
    private struct Stream {
        var last: Timestamp
        var arrival: Int64
        var announced = Timestamp.beforeAll
        /// The requested time of each waiting task, by its number.
        var wanted: [Int: Timestamp] = [:]
        var timerAt = Int64.max
    }

    private struct State {
        var streams: [StreamID: Stream] = [:]
        var edges: [Edge] = []
        /// Whether the source has taken frames and not yet offered all of them to the edges.
        var isMoving = false
        /// While the source waits for room, for each stream, the index of its last frame among the frames that the source has read,
        /// or of the frame before which the stream ends, and the index of the first of these frames that it has not taken.
        var untaken: (last: [StreamID: Int], first: Int) = ([:], 0)
        /// The streams whose timers have fired meanwhile.
        var held: [StreamID] = []
        /// The times at which the source has last ended its streams, up to a maximum number.
        var ended: [StreamID: Int64] = [:]

        /// Whether the source may have read a frame of a stream, or its end, that it has not yet offered to the edges. It has arrived
        /// in time, so no watermark may overtake it.
        func isMoving(_ stream: StreamID) -> Bool { isMoving || untaken.last[stream] ?? -1 >= untaken.first }
    }

    /// The source's number, which stays the same while the run lasts, and its name.
    let source: (number: Int, name: String)

    private let state = Lock(State())
    private let clock: any RunClock
    private let timer: RunTimer
    private let lateness: Int64

    init(of source: (number: Int, name: String) = (0, ""), clock: any RunClock, timer: RunTimer, latenessMs: Double) {
        self.source = source
        self.clock = clock
        self.timer = timer
        lateness = Int64(min(latenessMs, 9e9) * 1_000_000)
    }

    /// Sets the edges on which watermarks are announced.
    func connect(_ edges: [Edge]) { state.withLock { $0.edges = edges } }

    /// Records a frame. Returns false if the frame is late.
    func note(_ timestamp: Timestamp, of stream: StreamID, arrival: Int64) -> Bool {
        state.withLock { state in
            if let known = state.streams[stream], timestamp <= known.announced { return false }
            state.streams[stream, default: Stream(last: timestamp, arrival: arrival)].last = timestamp
            state.streams[stream]?.arrival = arrival
            state.isMoving = true
            return true
        }
    }

    /// Records that all taken frames were offered to the edges, and announces the watermarks that must follow them.
    ///
    /// - Parameters:
    ///   - untaken: For each stream, the index of its last frame among the frames that the source has read, or of the frame before
    ///     which the stream ends.
    ///   - first: The index of the first of these frames that the source has not taken.
    func offered(but untaken: [StreamID: Int] = [:], from first: Int = 0) {
        let wakers = state.withLock { state in
            state.isMoving = false
            state.untaken = (untaken, first)
            let held = state.held
            state.held = []
            return held.flatMap { announce($0, &state) }
        }
        for waker in wakers { waker.signal() }
    }

    private static var mostEnded: Int { 10_000 }

    /// Returns whether the source has produced a stream and had not ended it before `arrival`. If not, a frame of this stream with
    /// this arrival time comes from another source.
    func hasProduced(_ stream: StreamID, since arrival: Int64 = 0) -> Bool {
        state.withLock { $0.streams[stream] != nil || $0.ended[stream] ?? -1 >= arrival }
    }

    /// Removes a stream, so that its time restarts.
    func end(_ stream: StreamID) {
        state.withLock { state in
            guard state.streams.removeValue(forKey: stream) != nil else { return }
            state.held.removeAll { $0 == stream }
            for edge in state.edges { edge.forgetAnnounced(stream) }
            if state.ended.count >= Self.mostEnded { state.ended.removeAll() }
            state.ended[stream] = max(1, clock.now)
        }
    }

    /// Records that the source has ended. No more watermarks are announced.
    func end() {
        state.withLock { state in
            let now = max(1, clock.now)
            state = State(ended: state.ended.merging(state.streams.mapValues { _ in now }) { $1 })
        }
    }

    /// Requests a watermark for when the stream has passed `time`. The request replaces the previous request of the same task;
    /// `nil` only cancels the previous request. Returns false if the source has not produced the stream.
    @discardableResult
    func request(_ stream: StreamID, _ time: Timestamp?, by asker: Int) -> Bool {
        state.withLock { state in
            guard var known = state.streams[stream] else { return false }
            // If the watermark was already announced, it is on its way.
            known.wanted[asker] = time.flatMap { $0 > known.announced ? $0 : nil }
            setTimer(stream, &known)
            state.streams[stream] = known
            return true
        }
    }

    /// Returns the number of seconds until the stream will have passed `time`, not counting the allowed lateness, and whether this
    /// takes so long that `time` must come from another clock. Returns `nil` if the source has not produced the stream.
    func wait(for stream: StreamID, until time: Timestamp) -> (seconds: Int64, isApart: Bool)? {
        state.withLock { state in
            guard let known = state.streams[stream] else { return nil }
            let moment = moment(of: time, last: known.last, arrival: known.arrival)
            let wait = moment == .max ? moment : moment - lateness - clock.now
            // `moment` is 1 µs after the stream has reached `time`.
            return (wait / 1_000_000_000, wait > Self.mostApart + 1000)
        }
    }

    /// The largest difference between clocks that agree, in nanoseconds.
    private static var mostApart: Int64 { 2_000_000_000 }

    /// Returns the time on the run's clock at which a stream will have passed `time`.
    func moment(of time: Timestamp, last: Timestamp, arrival: Int64) -> Int64 {
        let ahead = time.microseconds(since: last)
        guard ahead < Int64.max / 2000 else { return .max }
        return arrival + (ahead + 1) * 1000 + lateness
    }

    private func setTimer(_ stream: StreamID, _ known: inout Stream) {
        guard let next = known.wanted.values.min() else { return }
        let moment = moment(of: next, last: known.last, arrival: known.arrival)
        guard moment < known.timerAt else { return }
        known.timerAt = moment
        timer.schedule(at: moment) { [weak self] in self?.announce(stream, moment) }
    }

    private func announce(_ stream: StreamID, _ scheduled: Int64) {
        let wakers = state.withLock { state -> [Waker] in
            guard state.streams[stream]?.timerAt == scheduled else { return [] }
            state.streams[stream]?.timerAt = .max
            return announce(stream, &state)
        }
        for waker in wakers { waker.signal() }
    }

    /// Announces the highest watermark of a stream that is due.
    private func announce(_ stream: StreamID, _ state: inout State) -> [Waker] {
        guard var known = state.streams[stream] else { return [] }
        guard !state.isMoving(stream) else {
            if !state.held.contains(stream) { state.held.append(stream) }
            return []
        }
        let now = clock.now
        var passed: Timestamp?
        for (asker, time) in known.wanted where moment(of: time, last: known.last, arrival: known.arrival) <= now {
            known.wanted[asker] = nil
            // If a later frame has arrived in the meantime, its watermark is higher.
            if time > known.last { passed = max(passed ?? time, time) }
        }
        if let passed { known.announced = max(known.announced, passed) }
        setTimer(stream, &known)
        state.streams[stream] = known
        guard let passed else { return [] }
        // Under the lock, so that the source cannot end the stream and begin it again in between.
        return state.edges.compactMap { $0.announce(stream, passed) }
    }
}

/// Requests watermarks from the sources of streams, for one task that waits for the watermarks.
struct TimeRequests: Sendable {
    /// The sources whose streams may reach the task.
    var sources: [LiveTime] = []

    /// The number that identifies the task.
    var asker = 0

    /// The number of microseconds by which stages between source and task may delay a stream's time.
    var slack: Int64 = 0

    /// Requests a watermark for when a stream has passed `time`, and cancels the previous request; `nil` only cancels it. Returns
    /// whether any source has produced the stream.
    @discardableResult
    func request(_ stream: StreamID, _ time: Timestamp?) -> Bool { request(stream) { _ in time } }

    /// Requests a watermark from each source, for the time that `time` returns for the source's number.
    @discardableResult
    func request(_ stream: StreamID, _ time: (Int) -> Timestamp?) -> Bool {
        var isKnown = false
        for source in sources {
            let time = time(source.source.number)?.advanced(byMicroseconds: slack)
            if source.request(stream, time, by: asker) { isKnown = true }
        }
        return isKnown
    }
}
