import Pipeline
import PipelineComponents
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

    /// The paths of the files that were started, in order. No other file is changed.
    package var files: [String] { names.withLock { $0 } }

    /// Returns the path of the next file: `session.mcap` becomes `session-001.mcap`, then `session-002.mcap`. The number
    /// increases when the file is started.
    func next(of path: String) -> String { path.inserting(Self.word(names.withLock { $0.count + 1 })) }

    /// Adds a file that was started to ``files``.
    func start(_ path: String) { names.withLock { $0.append(path) } }

    /// Returns a number as it appears in the names of files.
    private static func word(_ number: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 3 - digits.count)) + digits
    }

    /// Returns the existing files whose names the parts of a recording may get.
    package static func existing(of path: String) -> [String] {
        guard let pattern = OutputPattern(path.inserting("{stream}")) else { return [] }
        let ending = path.inserting("{").split(separator: "{", omittingEmptySubsequences: false).last ?? ""
        let isPattern = OutputPattern(path) != nil
        return pattern.existing.filter { file in
            let digits = String(file.dropLast(ending.count).split(separator: "-").last ?? "")
            guard let number = Int(digits), number > 0, word(number) == digits else { return false }
            return isPattern || file == path.inserting(digits)
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
