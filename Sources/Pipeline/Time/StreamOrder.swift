/// Applies the rules for the timestamps of a source: in each stream they must increase strictly, without large jumps ahead. A pure
/// state machine.
///
/// It also finds streams of the source that have been idle, so that they end. Which streams end, and when, depends only on the
/// frames of the source, and the end of a stream is sent downstream in order with the frames.
struct StreamOrder {
    /// What to do with a frame.
    enum Verdict: Equatable {
        /// Pass the frame.
        case pass

        /// End its stream, then pass the frame as the first one of a new epoch of the stream.
        case passInNewEpoch

        /// Pass the frame with this timestamp instead of its own.
        case clamp(Timestamp)

        /// Drop the frame.
        case drop(Fault)

        /// Count the frame as failed, and apply `on_error`.
        case fail(Fault)
    }

    /// A violation of the rules by the timestamp of a frame.
    enum Fault: Equatable {
        /// The timestamp is outside the valid range.
        case outOfRange(Timestamp)

        /// The timestamp is not after the stream's previous timestamp.
        case notAfter(Timestamp, last: Timestamp)

        /// The timestamp is before the stream's previous timestamp by more than the largest allowed jump: the stream's clock was
        /// set back, or the previous timestamp was wrong.
        case farBefore(Timestamp, last: Timestamp)

        /// The timestamp is after the stream's previous timestamp by more than the largest allowed jump: by this number of
        /// seconds.
        case jump(Int64)

        /// A description of the fault, as part of a sentence.
        var words: String {
            switch self {
            case .outOfRange(let time): "the timestamp \(time.rawValue) µs lies outside 0 … 2^53 − 1"
            case .notAfter(let time, let last), .farBefore(let time, let last):
                "the timestamp \(time) is not after the previous one, \(last)"
            case .jump(let seconds): "the timestamp jumps ahead by \(seconds) s, more than max_jump_s allows"
            }
        }

        /// A hint for fixing the problem.
        var help: String {
            switch self {
            case .outOfRange: "a timestamp is a number of microseconds, 0 or more: is the unit right?"
            case .notAfter:
                "on_disorder: drop leaves such frames out, clamp keeps them, new_epoch restarts the stream at each of them"
            case .farBefore:
                "on_disorder: new_epoch continues after a clock was set back, or after a wrong timestamp"
            case .jump: "raise max_jump_s if the stream may pause for that long"
            }
        }
    }

    private struct Stream {
        var last: Timestamp
        /// The timestamp of a refused jump ahead. If the next frame follows it closely, the stream's clock was changed.
        var refusedJump: Timestamp?
        var gap: Int32 = 0
        /// The progress of this stream at its last frame, in microseconds: the sum of its steps from one timestamp to the next.
        var progress: Int64 = 0
        /// The progress of the source at the last frame of this stream.
        var seenAt: Int64 = 0
    }

    private let rules: SourceRules
    /// All streams, in the order of their last passed frames. The entry of the current stream, if it has one, is old.
    private var streams: RecentStreams<Stream>
    private var evicted: [StreamID] = []
    private var currentStream: StreamID?
    private var current = Stream(last: .beforeAll)
    /// Whether a frame of the current stream has passed since another stream was current.
    private var hasPassed = false
    private let idle: Int64?
    /// The progress of the source, in microseconds: the largest progress of any of its streams. The progress of a stream is
    /// measured by its own timestamps, because streams may have different clocks.
    private var progress: Int64 = 0

    /// Creates a state for at most `maxStreams` streams. If there are more, the stream whose last passed frame is the oldest is
    /// evicted; a stream without one counts as new. A stream of which no frame has passed for more than `idleMs` is also evicted.
    init(_ rules: SourceRules, maxStreams: Int = 10_000, idleMs: Double? = nil) {
        self.rules = rules
        idle = idleMs.map { Int64(min($0, 9e12) * 1000) }
        streams = RecentStreams(capacity: maxStreams)
    }

    /// The streams with state, the one whose last passed frame is the oldest first. A stream without a passed frame has the place of
    /// its first item.
    var followed: [StreamID] {
        if !hasPassed, let currentStream, streams.known(currentStream) != nil { return streams.all.map(\.key) }
        let known = streams.all.map(\.key).filter { $0 != currentStream }
        return currentStream.map { known + [$0] } ?? known
    }

    /// Whether ``takeEvicted()`` would return any stream.
    var hasEvicted: Bool { !evicted.isEmpty }

    /// Returns the streams that were evicted since the last call.
    mutating func takeEvicted() -> [StreamID] {
        defer { evicted = [] }
        return evicted
    }

    /// Checks a frame and records it.
    mutating func judge(_ timestamp: Timestamp, _ stream: StreamID) -> Verdict {
        enter(stream)
        guard timestamp.isValid else {
            current.gap.addSaturated(1)
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
            current.refusedJump = nil
            noteProgress(step, of: stream)
            return .pass
        }
        if step > rules.maxJump {
            if let jump = current.refusedJump, timestamp > jump, timestamp.microseconds(since: jump) <= rules.maxJump {
                beginEpoch(timestamp, of: stream)
                return .passInNewEpoch
            }
            current.refusedJump = timestamp
            current.gap.addSaturated(1)
            let jump = Fault.jump(step / 1_000_000)
            return rules.onDisorder == .error ? .fail(jump) : .drop(jump)
        }
        let fault: Fault =
            step < -rules.maxJump
            ? .farBefore(timestamp, last: current.last) : .notAfter(timestamp, last: current.last)
        // The frame after a jump must fit the jump, and this one does not.
        current.refusedJump = nil
        switch rules.onDisorder {
        case .error:
            current.gap.addSaturated(1)
            return .fail(fault)
        case .drop:
            current.gap.addSaturated(1)
            return .drop(fault)
        case .clamp:
            let next = current.last.advanced(byMicroseconds: 1)
            guard next.isValid else {
                // No valid timestamp follows the last one.
                current.gap.addSaturated(1)
                return .drop(fault)
            }
            current.last = next
            noteProgress(1, of: stream)
            return .clamp(next)
        case .newEpoch:
            beginEpoch(timestamp, of: stream)
            return .passInNewEpoch
        }
    }

    private mutating func beginEpoch(_ timestamp: Timestamp, of stream: StreamID) {
        current.last = timestamp
        current.refusedJump = nil
        noteProgress(0, of: stream)
    }

    /// Returns the number of frames of the current stream that are missing since the last call.
    mutating func takeGap() -> Int32 {
        defer { current.gap = 0 }
        return current.gap
    }

    /// Records that frames of a stream are missing.
    mutating func noteMissing(_ count: Int64, of stream: StreamID) {
        enter(stream)
        current.gap = Int32(clamping: Int64(current.gap).addingSaturated(count))
    }

    /// Removes a stream. Its time may restart.
    mutating func end(_ stream: StreamID) {
        if currentStream == stream { currentStream = nil }
        streams.remove(stream)
    }

    /// Records the progress that a frame makes, and evicts the streams that have been idle for too long. The frame's own stream
    /// counts as evicted too if it was idle for too long before this frame.
    @inline(__always)
    private mutating func noteProgress(_ step: Int64, of stream: StreamID) {
        if !hasPassed { begin(stream) }
        if let idle { noteProgress(step, of: stream, idle) }
    }

    /// Records the first passed frame since another stream was current. If the stream is new, another one is evicted before this
    /// frame, so that stages need not evict one of their own to make room for the frame.
    private mutating func begin(_ stream: StreamID) {
        hasPassed = true
        guard streams.known(stream) == nil, let gone = streams.update(stream, current) else { return }
        evicted.append(gone.key)
    }

    private mutating func noteProgress(_ step: Int64, of stream: StreamID, _ idle: Int64) {
        current.progress.addSaturated(step)
        progress = max(progress, current.progress)
        if step > idle { evicted.append(stream) }
        current.seenAt = progress
        var gone: [StreamID] = []
        streams.changeAll { name, known in
            guard name != stream else { return true }
            guard progress - known.seenAt > idle else { return false }
            gone.append(name)
            return true
        }
        for name in gone { streams.remove(name) }
        evicted += gone
    }

    private mutating func enter(_ stream: StreamID) {
        if currentStream == stream { return }
        if let currentStream, hasPassed || !streams.replace(currentStream, current) {
            if let gone = streams.update(currentStream, current) { evicted.append(gone.key) }
        }
        current = streams.known(stream) ?? Stream(last: .beforeAll, progress: progress, seenAt: progress)
        currentStream = stream
        hasPassed = false
    }
}
