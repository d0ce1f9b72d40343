import Pipeline
import Stages

/// Which streams of a recording are replayed, and under which names.
struct StreamSelection: Sendable {
    private let patterns: [Glob]
    private let names: [(pattern: Glob, name: StreamID)]
    /// The stream asked for last, with the answer: neighbors are mostly of the same stream.
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
