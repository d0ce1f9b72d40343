import Pipeline
import Synchronization

/// The limits at which a recording continues in another file, and the names of its files.
package final class RecordingSplit: Sendable {
    /// The size at which a file is complete, in bytes; `nil` for no limit.
    let bytes: UInt64?
    /// The time after which a file is complete, in nanoseconds; `nil` for no limit.
    let time: Int64?

    private let names = Lock<[String]>([])

    /// Creates a split by size, by time, or by whichever limit is reached first.
    package init(bytes: UInt64?, time: Int64?) { (self.bytes, self.time) = (bytes, time) }

    /// The paths of the files that were started, in order.
    package var files: [String] { names.withLock { $0 } }

    /// Returns the path of the next file: `session.mcap` becomes `session-001.mcap`, then `session-002.mcap`.
    func next(of path: String) -> String {
        names.withLock { names in
            let number = String(names.count + 1)
            let zeros = String(repeating: "0", count: max(0, 3 - number.count))
            names.append(path.inserting(zeros + number))
            return names[names.count - 1]
        }
    }

    /// Whether a file of this size (in bytes) and age (in nanoseconds) is complete.
    func isOver(_ size: UInt64, _ age: Int64) -> Bool {
        bytes.map { size >= $0 } ?? false || time.map { age >= $0 } ?? false
    }
}

extension String {
    /// Inserts a word before the extension of a path: `session.mcap` with `camera` becomes `session-camera.mcap`.
    package func inserting(_ word: String) -> String {
        guard let point = lastIndex(of: "."), !self[point...].contains("/") else { return "\(self)-\(word)" }
        return "\(self[..<point])-\(word)\(self[point...])"
    }
}
