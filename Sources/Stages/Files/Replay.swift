import Pipeline

/// Which streams of a recording are replayed, and under which names.
struct StreamSelection: Sendable {
    private let patterns: [Glob]
    private let names: [(pattern: Glob, name: StreamID)]
    /// The stream asked for last, with the answer: neighbours are mostly of the same stream.
    private var last: (stream: StreamID, name: StreamID?)?

    /// Streams by name or pattern; all when there are no patterns.
    init(_ patterns: [String], renamed names: StreamNames) {
        self.patterns = patterns.map { Glob($0) }
        self.names = names.pairs.map { (Glob($0.pattern), StreamID($0.name)) }
    }

    /// Whether every stream is replayed under its own name.
    var takesAll: Bool { patterns.isEmpty && names.isEmpty }

    /// The name a stream is replayed under; `nil` when it is not.
    mutating func name(of stream: StreamID) -> StreamID? {
        if takesAll { return stream }
        if let last, last.stream == stream { return last.name }
        let isWanted = patterns.isEmpty || patterns.contains { $0.matches(stream.name) }
        let name = isWanted ? names.first { $0.pattern.matches(stream.name) }?.name ?? stream : nil
        last = (stream, name)
        return name
    }
}

/// Which part of a recording is replayed, counted from its first frame.
struct ReplayWindow: Sendable {
    private let offset: Int64
    private let duration: Int64?
    private var first: Timestamp?

    init(startOffsetMs: Double, durationMs: Double?) {
        offset = Int64((startOffsetMs * 1000).rounded())
        duration = durationMs.map { Int64(($0 * 1000).rounded()) }
    }

    /// Whether all times do.
    var takesAll: Bool { offset == 0 && duration == nil }

    /// Whether a frame's time lies in the part. The first time asked for is the beginning.
    mutating func contains(_ time: Timestamp) -> Bool {
        if takesAll { return true }
        let begin = first ?? time
        first = begin
        let elapsed = time.microseconds(since: begin)
        guard elapsed >= offset else { return false }
        return duration.map { elapsed - offset <= $0 } ?? true
    }

    /// Begins again.
    mutating func restart() { first = nil }
}

/// When frames of a recording are due.
///
/// Where a recording was added to, and its clock begins anew, the next frame is due a second after the last; see ``SessionDetector``.
struct ReplayPacer: Sendable {
    private let rate: ReplayRate
    private var anchor: (time: Int64, clock: Int64)?
    private var sessions: SessionDetector?
    /// When the last frame was due.
    private var latest: Int64 = 0

    init(_ rate: ReplayRate) { self.rate = rate }

    /// When a frame is due, in nanoseconds of the run's clock; `nil` for at once. The first is due when it is asked for.
    ///
    /// - Parameter receipt: When it came, in microseconds, where that is what the replay goes by.
    mutating func due<P>(of frame: Frame<P>, came receipt: Int64? = nil, now: Int64) -> Int64? {
        guard case .times(let rate) = rate else { return nil }
        let time = receipt ?? frame.timestamp.rawValue
        if sessions == nil { sessions = SessionDetector(receipt == nil ? .timestamp : .receipt) }
        if sessions?.begins(with: frame.stream, at: time) == true {
            anchor = (time, max(now, latest.addingSaturated(Int64(Double(Recording.pause) * 1000 / rate))))
        }
        let anchor = anchor ?? (time, now)
        self.anchor = anchor
        let wait = Double(time.subtractingSaturated(anchor.time)) * 1000 / rate
        guard wait >= 0, wait < 4e18 else { return wait > 0 ? .max : nil }
        let (due, overflow) = anchor.clock.addingReportingOverflow(Int64(wait))
        guard !overflow else { return .max }
        latest = max(latest, due)
        return due
    }

    /// Begins again.
    mutating func restart() { (anchor, sessions, latest) = (nil, nil, 0) }
}
