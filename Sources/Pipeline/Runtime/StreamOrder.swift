/// What a source's frames must keep to: strictly increasing timestamps in each stream, no leap far ahead. Pure state.
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
            case .leap(let seconds): "the timestamp leaps ahead by \(seconds) s, more than max_jump_s allows"
            }
        }

        /// How to mend it.
        var help: String {
            switch self {
            case .outOfRange: "a time is a number of microseconds from 0 on: is the unit right?"
            case .notAfter:
                "on_disorder: drop leaves such frames out, clamp keeps them, new_epoch begins the stream anew with each"
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
    }

    private let rules: Plan.SourceRules
    private var streams: RecentStreams<Stream>
    private var evicted: [StreamID] = []
    private var currentStream: StreamID?
    private var current = Stream(last: .beforeAll)

    /// Follows at most `maxStreams` streams; of more, the least recently seen is forgotten.
    init(_ rules: Plan.SourceRules, maxStreams: Int = 10_000) {
        self.rules = rules
        streams = RecentStreams(capacity: maxStreams)
    }

    /// Whether streams have been forgotten to make room.
    var hasEvicted: Bool { !evicted.isEmpty }

    /// Takes the streams that have been forgotten to make room since this was last asked.
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
            return .pass
        }
        let step = timestamp.microseconds(since: current.last)
        if step > 0, step <= rules.maxJump {
            current.last = timestamp
            current.refusedLeap = nil
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

    private mutating func enter(_ stream: StreamID) {
        if currentStream == stream { return }
        if let currentStream, let gone = streams.update(currentStream, current) { evicted.append(gone.stream) }
        current = streams[stream] ?? Stream(last: .beforeAll)
        currentStream = stream
    }
}
