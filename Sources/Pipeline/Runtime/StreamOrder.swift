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
        case drop

        /// It is an error, in words.
        case fail(String)
    }

    private struct Stream {
        var last: Timestamp
        /// A leap ahead that was refused: if the next frame agrees with it, the clock was changed.
        var refusedLeap: Timestamp?
        var gap: Int32 = 0
    }

    private let rules: Plan.SourceRules
    private var streams: [StreamID: Stream] = [:]
    private var currentStream: StreamID?
    private var current = Stream(last: .beforeAll)

    init(_ rules: Plan.SourceRules) { self.rules = rules }

    /// Judges a frame, and takes note of it.
    mutating func judge(_ timestamp: Timestamp, _ stream: StreamID) -> Verdict {
        enter(stream)
        guard timestamp.isValid else {
            current.gap &+= 1
            return .fail("the timestamp \(timestamp.rawValue) µs lies outside 0 … 2^53 − 1")
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
            let words = "the timestamp leaps ahead by \(step / 1_000_000) s, more than max_jump_s allows"
            return rules.onDisorder == .error ? .fail(words) : .drop
        }
        switch rules.onDisorder {
        case .error:
            current.gap &+= 1
            return .fail("the timestamp \(timestamp) does not come after the one before, \(current.last)")
        case .drop:
            current.gap &+= 1
            return .drop
        case .clamp:
            current.last = current.last.advanced(byMicroseconds: 1)
            return .clamp(current.last)
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
        streams[stream] = nil
    }

    private mutating func enter(_ stream: StreamID) {
        if currentStream == stream { return }
        if let currentStream { streams[currentStream] = current }
        current = streams[stream] ?? Stream(last: .beforeAll)
        currentStream = stream
    }
}
