import Pipeline
import Stages

/// A filter that selects the streams of a recording to replay, and renames them.
struct StreamSelection: Sendable {
    private let patterns: [Glob]
    private let names: [(pattern: Glob, name: StreamID)]
    /// The last stream that was looked up, with the result. Consecutive frames mostly belong to the same stream.
    private var last: (stream: StreamID, name: StreamID?)?

    /// Creates a selection from names and patterns. If there are none, all streams are selected.
    init(_ patterns: [String], renamed names: StreamNames) {
        self.patterns = patterns.map { Glob($0) }
        self.names = names.pairs.map { (Glob($0.pattern), StreamID($0.name)) }
    }

    /// Whether every stream is replayed under its own name.
    var takesAll: Bool { patterns.isEmpty && names.isEmpty }

    /// Returns the name under which a stream is replayed, or `nil` if the stream is not selected.
    mutating func name(of stream: StreamID) -> StreamID? {
        if takesAll { return stream }
        if let last, last.stream == stream { return last.name }
        let isWanted = patterns.isEmpty || patterns.contains { $0.matches(stream.name) }
        let name = isWanted ? names.first { $0.pattern.matches(stream.name) }?.name ?? stream : nil
        last = (stream, name)
        return name
    }
}

/// The part of a recording that is replayed, as a time window relative to the first frame.
struct ReplayWindow: Sendable {
    private let offset: Int64
    private let duration: Int64?
    private var first: Timestamp?

    init(startOffsetMs: Double, durationMs: Double?) {
        offset = Int64((startOffsetMs * 1000).rounded())
        duration = durationMs.map { Int64(($0 * 1000).rounded()) }
    }

    /// Whether the window contains all times.
    var takesAll: Bool { offset == 0 && duration == nil }

    /// Whether a frame's time lies in the window. The time of the first call is the beginning of the recording.
    mutating func contains(_ time: Timestamp) -> Bool {
        if takesAll { return true }
        let begin = first ?? time
        first = begin
        let elapsed = time.microseconds(since: begin)
        guard elapsed >= offset else { return false }
        return duration.map { elapsed - offset <= $0 } ?? true
    }

    /// Starts a new pass over the recording.
    mutating func restart() { first = nil }
}
