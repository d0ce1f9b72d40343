import Pipeline
import Stages
import Synchronization

/// The messages of other kinds that the readers of a recording skip, because only the frames of one kind are wanted.
package final class OtherKinds: Sendable {
    private let names: Set<String>
    private let skipped = Lock<[String: Int]>([:])

    /// Creates counters of zero.
    ///
    /// - Parameter kinds: The kinds that messages may have. A message of another kind cannot be read.
    package init(_ kinds: [PayloadKind]) { names = Set(kinds.map(\.name)) }

    /// The kinds of the skipped messages, in the order of their names, and their numbers.
    package var counts: [(kind: String, messages: Int)] {
        skipped.withLock { counts in counts.sorted { $0.key < $1.key }.map { (kind: $0.key, messages: $0.value) } }
    }

    /// Returns whether a message is only of another kind, and counts it in this case.
    ///
    /// - Parameters:
    ///   - error: The reason why the message could not be decoded.
    ///   - kind: The kind that it declares.
    func skips(_ error: PipelineError, _ kind: String?) -> Bool {
        guard error.code == "decode.kind", let kind, names.contains(kind) else { return false }
        skipped.withLock { $0[kind, default: 0] += 1 }
        return true
    }
}
