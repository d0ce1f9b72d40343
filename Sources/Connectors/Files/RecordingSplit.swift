import Pipeline
import Synchronization

/// How a recording is split into several files, and which those are.
package final class RecordingSplit: Sendable {
    /// How large a file grows, in bytes; `nil` for as large as it will.
    let bytes: UInt64?
    /// How long it is written to, in nanoseconds.
    let time: Int64?

    private let names = Lock<[String]>([])

    /// Splits by size, by time, or by what is reached first.
    package init(bytes: UInt64?, time: Int64?) { (self.bytes, self.time) = (bytes, time) }

    /// The files that were begun, in order.
    package var files: [String] { names.withLock { $0 } }

    /// The name of the next file: `session.mcap` becomes `session-001.mcap` and so on.
    func next(of path: String) -> String {
        names.withLock { names in
            let number = String(names.count + 1)
            let zeros = String(repeating: "0", count: max(0, 3 - number.count))
            names.append(path.inserting(zeros + number))
            return names[names.count - 1]
        }
    }

    /// Whether another file is to be begun.
    func isOver(_ size: UInt64, _ age: Int64) -> Bool {
        bytes.map { size >= $0 } ?? false || time.map { age >= $0 } ?? false
    }
}

extension String {
    /// A path with a word before its ending: `session.mcap` with `camera` is `session-camera.mcap`.
    package func inserting(_ word: String) -> String {
        guard let point = lastIndex(of: "."), !self[point...].contains("/") else { return "\(self)-\(word)" }
        return "\(self[..<point])-\(word)\(self[point...])"
    }
}
