import Pipeline
import Stages
import Synchronization

/// A filter that selects the streams of a recording to replay, and renames them.
struct StreamSelection: Sendable {
    private let patterns: [Glob]
    private let names: [(pattern: Glob, name: StreamID)]
    /// The patterns, of streams and of new names, that have not matched a stream.
    private var unmatched: [(pattern: Glob, text: String)]
    /// The last stream that was looked up, with the result. Consecutive frames mostly belong to the same stream.
    private var last: (stream: StreamID, name: StreamID?)?

    /// Creates a selection from names and patterns. If there are none, all streams are selected.
    init(_ patterns: [String], renamed names: StreamNames) {
        self.patterns = patterns.map { Glob($0) }
        self.names = names.pairs.map { (Glob($0.pattern), StreamID($0.name)) }
        unmatched = (patterns + names.pairs.map(\.pattern)).map { (Glob($0), $0) }
    }

    /// Returns the patterns that have matched none of the streams so far. Returns each pattern only once.
    mutating func takeUnmatched() -> [String] {
        defer { unmatched = [] }
        return unmatched.map(\.text)
    }

    /// Whether every stream is replayed under its own name.
    var takesAll: Bool { patterns.isEmpty && names.isEmpty }

    /// Returns the name under which a stream is replayed, or `nil` if the stream is not selected.
    mutating func name(of stream: StreamID) -> StreamID? {
        if takesAll { return stream }
        if let last, last.stream == stream { return last.name }
        if !unmatched.isEmpty { unmatched.removeAll { $0.pattern.matches(stream.name) } }
        let isWanted = patterns.isEmpty || patterns.contains { $0.matches(stream.name) }
        let name = isWanted ? names.first { $0.pattern.matches(stream.name) }?.name ?? stream : nil
        last = (stream, name)
        return name
    }
}

/// The patterns of streams that match nothing in any of several recordings which are read at the same time.
package final class UnmatchedStreams: Sendable {
    private let patterns = Lock<[String]?>(nil)

    package init() {}

    /// The patterns that match none of the recordings that have been read to their ends.
    package var all: [String] { patterns.withLock { $0 ?? [] } }

    /// Records the patterns that a recording does not match, at its end.
    func add(_ unmatched: [String]) {
        patterns.withLock { patterns in patterns = patterns?.filter(unmatched.contains) ?? unmatched }
    }
}
