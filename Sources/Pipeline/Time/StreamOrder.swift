/// What a source's frames must keep to: strictly increasing timestamps in each stream, no leap far ahead. And which of its
/// streams are over because they are idle: that is decided here, by what the source itself has brought, and told to all behind
/// it in its place among the frames. Pure state.
struct StreamOrder {
    /// What to do with a frame.
    enum Verdict: Equatable {
        /// Let it pass.
        case pass

        /// Let it pass, in a stream that ends and begins anew before it.
        case passInNewEpoch

        /// Let it pass with this timestamp instead.
        case clamp(Timestamp)

        /// Drop it.
        case drop(Fault)

        /// It is an error.
        case fail(Fault)
    }

    /// What is wrong with the time of a frame.
    enum Fault: Equatable {
        /// It is no time that a stream can have.
        case outOfRange(Timestamp)

        /// It does not come after that of the frame before, the stream's last.
        case notAfter(Timestamp, last: Timestamp)

        /// The same, by more than a stream may leap: its clock was set back, or the last was wrong.
        case farBefore(Timestamp, last: Timestamp)

        /// It is so many seconds after that of the frame before.
        case leap(Int64)

        /// It says so.
        var words: String {
            switch self {
            case .outOfRange(let time): "the timestamp \(time.rawValue) µs lies outside 0 … 2^53 − 1"
            case .notAfter(let time, let last), .farBefore(let time, let last):
                "the timestamp \(time) does not come after the one before, \(last)"
            case .leap(let seconds): "the timestamp jumps ahead by \(seconds) s, more than max_jump_s allows"
            }
        }

        /// How to mend it.
        var help: String {
            switch self {
            case .outOfRange: "a time is a number of microseconds from 0 on: is the unit right?"
            case .notAfter:
                "on_disorder: drop leaves such frames out, clamp keeps them, new_epoch starts the stream over with each"
            case .farBefore:
                "on_disorder: new_epoch goes on where a clock was set back, or the time before was wrong"
            case .leap: "raise max_jump_s if the stream may rest for so long"
            }
        }
    }

    private struct Stream {
        var last: Timestamp
        /// A leap ahead that was refused: if the next frame agrees with it, the clock was changed.
        var refusedLeap: Timestamp?
        var gap: Int32 = 0
        /// How far the source had come by its own time, and by all streams', with the last frame.
        var progress: Int64 = 0
        var seenAt: Int64 = 0
    }

    private let rules: SourceRules
    private var streams: RecentStreams<Stream>
    private var evicted: [StreamID] = []
    private var currentStream: StreamID?
    private var current = Stream(last: .beforeAll)
    private let idle: Int64?
    /// How far the source has come, in microseconds: as far as the stream that has come farthest since it was first seen. Streams
    /// may have clocks of their own, so none is measured by another's timestamps.
    private var progress: Int64 = 0

    /// Follows at most `maxStreams` streams; of more, the least recently seen is forgotten, and so is one without a frame for more
    /// than `idleMs`.
    init(_ rules: SourceRules, maxStreams: Int = 10_000, idleMs: Double? = nil) {
        self.rules = rules
        idle = idleMs.map { Int64(min($0, 9e12) * 1000) }
        streams = RecentStreams(capacity: maxStreams)
    }

    /// Whether streams have been forgotten.
    var hasEvicted: Bool { !evicted.isEmpty }

    /// Takes the streams that have been forgotten since this was last asked.
    mutating func takeEvicted() -> [StreamID] {
        defer { evicted = [] }
        return evicted
    }

    /// Judges a frame, and takes note of it.
    mutating func judge(_ timestamp: Timestamp, _ stream: StreamID) -> Verdict {
        enter(stream)
        guard timestamp.isValid else {
            current.gap &+= 1
            return .fail(.outOfRange(timestamp))
        }
        if current.last == .beforeAll {
            current.last = timestamp
            if idle != nil { current.progress = progress }
            noteProgress(0, of: stream)
            return .pass
        }
        let step = timestamp.microseconds(since: current.last)
        if step > 0, step <= rules.maxJump {
            current.last = timestamp
            current.refusedLeap = nil
            noteProgress(step, of: stream)
            return .pass
        }
        if step > rules.maxJump {
            if let leap = current.refusedLeap, timestamp > leap, timestamp.microseconds(since: leap) <= rules.maxJump {
                current.last = timestamp
                current.refusedLeap = nil
                return .passInNewEpoch
            }
            current.refusedLeap = timestamp
            current.gap &+= 1
            let leap = Fault.leap(step / 1_000_000)
            return rules.onDisorder == .error ? .fail(leap) : .drop(leap)
        }
        let fault: Fault =
            step < -rules.maxJump
            ? .farBefore(timestamp, last: current.last) : .notAfter(timestamp, last: current.last)
        switch rules.onDisorder {
        case .error:
            current.gap &+= 1
            return .fail(fault)
        case .drop:
            current.gap &+= 1
            return .drop(fault)
        case .clamp:
            let next = current.last.advanced(byMicroseconds: 1)
            guard next.isValid else {
                // There is no time after the last one that a stream can have.
                current.gap &+= 1
                return .drop(fault)
            }
            current.last = next
            return .clamp(next)
        case .newEpoch:
            current.last = timestamp
            current.refusedLeap = nil
            return .passInNewEpoch
        }
    }

    /// The number of frames of the stream that went missing since this was last asked.
    mutating func takeGap() -> Int32 {
        defer { current.gap = 0 }
        return current.gap
    }

    /// Notes that frames of a stream went missing.
    mutating func noteMissing(_ count: Int64, of stream: StreamID) {
        enter(stream)
        current.gap = Int32(clamping: Int64(current.gap) + count)
    }

    /// Forgets a stream: its time may begin anew.
    mutating func end(_ stream: StreamID) {
        if currentStream == stream { currentStream = nil }
        streams.remove(stream)
    }

    /// Counts how far a frame brings its stream, and forgets those that were idle for so long; also this one, before it.
    @inline(__always)
    private mutating func noteProgress(_ step: Int64, of stream: StreamID) {
        if let idle { noteProgress(step, of: stream, idle) }
    }

    private mutating func noteProgress(_ step: Int64, of stream: StreamID, _ idle: Int64) {
        current.progress += step
        progress = max(progress, current.progress)
        if step > idle { evicted.append(stream) }
        current.seenAt = progress
        var gone: [StreamID] = []
        streams.changeAll { name, known in
            guard name != stream, progress - known.seenAt > idle else { return false }
            gone.append(name)
            return true
        }
        for name in gone { streams.remove(name) }
        evicted += gone
    }

    private mutating func enter(_ stream: StreamID) {
        if currentStream == stream { return }
        if let currentStream, let gone = streams.update(currentStream, current) { evicted.append(gone.stream) }
        current = streams[stream] ?? Stream(last: .beforeAll, progress: progress, seenAt: progress)
        currentStream = stream
    }
}
