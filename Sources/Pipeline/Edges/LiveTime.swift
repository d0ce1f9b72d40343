import Synchronization

/// The time of a live source's streams, which goes on while they are quiet.
///
/// A stream's time is its last timestamp, plus what the run's clock has counted since that frame arrived, minus the
/// lateness allowed. Whoever waits for a time asks for it; when the stream's time has passed it, the bound is announced
/// on all edges of the source. It travels in its place among the frames, so that a slow stage never makes a frame late
/// that came in time; a frame that comes at or before it afterwards is late.
final class LiveTime: Sendable {
    private struct Stream {
        var last: Timestamp
        var arrival: Int64
        var announced = Timestamp.beforeAll
        /// What is waited for, by who waits.
        var wanted: [Int: Timestamp] = [:]
        var timerAt = Int64.max
    }

    private struct State {
        var streams: [StreamID: Stream] = [:]
        var edges: [Edge] = []
        /// The streams that the source has brought, up to a number of them.
        var brought: Set<StreamID> = []
    }

    /// The source's place in the plan, and its name.
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

    /// Where bounds are announced.
    func connect(_ edges: [Edge]) { state.withLock { $0.edges += edges } }

    /// Notes a frame. Returns false when it is late.
    func note(_ timestamp: Timestamp, of stream: StreamID, arrival: Int64) -> Bool {
        state.withLock { state in
            if let known = state.streams[stream] {
                if timestamp <= known.announced { return false }
            } else {
                if state.brought.count >= Self.mostBrought { state.brought.removeAll() }
                state.brought.insert(stream)
            }
            state.streams[stream, default: Stream(last: timestamp, arrival: arrival)].last = timestamp
            state.streams[stream]?.arrival = arrival
            return true
        }
    }

    private static var mostBrought: Int { 10_000 }

    /// Whether the source has brought a stream; also when it has ended.
    func hasBrought(_ stream: StreamID) -> Bool {
        state.withLock { $0.brought.contains(stream) || $0.streams[stream] != nil }
    }

    /// Forgets a stream: its time begins anew.
    func end(_ stream: StreamID) { state.withLock { $0.streams[stream] = nil } }

    /// The source has ended: nothing is announced any more.
    func end() { state.withLock { $0 = State(brought: $0.brought) } }

    /// Asks that the bound of a stream be announced once its time has passed `time`, instead of what the same asker
    /// asked for before; `nil` asks for nothing. Returns false when the source has not brought the stream.
    @discardableResult
    func request(_ stream: StreamID, _ time: Timestamp?, by asker: Int) -> Bool {
        state.withLock { state in
            guard var known = state.streams[stream] else { return false }
            // What was announced is on its way.
            known.wanted[asker] = time.flatMap { $0 > known.announced ? $0 : nil }
            setTimer(stream, &known)
            state.streams[stream] = known
            return true
        }
    }

    /// For how many seconds more than frames may be late a stream's time will not have passed `time`, if that is so long that the
    /// clock `time` was taken from is another one; `nil` when the source has not brought the stream.
    func isBehind(_ stream: StreamID, _ time: Timestamp) -> (seconds: Int64, isApart: Bool)? {
        state.withLock { state in
            guard let known = state.streams[stream] else { return nil }
            let moment = moment(of: time, last: known.last, arrival: known.arrival)
            let wait = moment == .max ? moment : moment - lateness - clock.now
            return (wait / 1_000_000_000, wait > Self.mostApart)
        }
    }

    /// How far clocks that agree are apart at most, in nanoseconds.
    private static var mostApart: Int64 { 2_000_000_000 }

    /// When a stream's time will have passed `time`, on the run's clock.
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
        let (time, edges) = state.withLock { state -> (Timestamp?, [Edge]) in
            guard var known = state.streams[stream], known.timerAt == scheduled else { return (nil, []) }
            let now = clock.now
            known.timerAt = .max
            var passed: Timestamp?
            for (asker, time) in known.wanted
            where moment(of: time, last: known.last, arrival: known.arrival) <= now {
                known.wanted[asker] = nil
                // The bound of a frame that has come since says more.
                if time > known.last { passed = max(passed ?? time, time) }
            }
            if let passed { known.announced = max(known.announced, passed) }
            setTimer(stream, &known)
            state.streams[stream] = known
            return (passed, state.edges)
        }
        guard let time else { return }
        for edge in edges { edge.announce(stream, time) }
    }
}

/// Asks sources for the time of their streams, for one task that waits for it.
struct TimeRequests: Sendable {
    /// The sources whose streams may come to the task.
    var sources: [LiveTime] = []

    /// The number of the task.
    var asker = 0

    /// By how many microseconds stages between may hold back a stream's time.
    var slack: Int64 = 0

    /// Asks that the time of a stream be told to the task once it has passed `time` (`nil`: no longer). Returns whether some
    /// source has brought the stream.
    @discardableResult
    func request(_ stream: StreamID, _ time: Timestamp?) -> Bool {
        var isKnown = false
        let time = time?.advanced(byMicroseconds: slack)
        for source in sources where source.request(stream, time, by: asker) { isKnown = true }
        return isKnown
    }
}

/// Bounds that a task gives itself: wake-ups of streams that no source knows, because a stage has renamed them.
final class OwnBounds: Sendable {
    private let state = Lock<[(StreamID, Timestamp)]>([])

    /// Adds one.
    func add(_ stream: StreamID, _ time: Timestamp) { state.withLock { $0.append((stream, time)) } }

    /// Moves all into a batch.
    func take<E: EdgeElement>(into batch: inout [EdgeItem<E>]) {
        let bounds = state.withLock { state in
            defer { state.removeAll() }
            return state
        }
        for (stream, time) in bounds { batch.append(.bound(stream, time)) }
    }
}
