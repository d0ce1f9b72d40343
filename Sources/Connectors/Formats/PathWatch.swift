import Pipeline
import Synchronization

/// Finds out which configured paths lead to a value in no message, and warns about each of them once. Also warns once if a message
/// has more sets of landmarks than its payload.
///
/// The decoders of a source share it. Paths without which a message is an error need no warning, and neither does `end`: only the
/// last message of a stream has it.
package final class PathWatch: Sendable {
    /// The number of messages of a decoder after which a source without an end warns.
    private static let patience = 1000

    private let log: Log
    private let isLive: Bool
    /// The paths that no message has had, by the place of their field in ``FieldMessage/wasFound``.
    private let missing: Lock<[Int: (name: String, paths: FieldPaths)]>
    private let hasMessages = Lock(false)
    private let hasWarnedOfSets = Lock(false)

    /// Creates a watch on the paths that the configuration gives. Returns `nil` if messages are canonical.
    ///
    /// - Parameter isLive: Whether the source may have no end.
    init?(_ options: DecodeOptions, _ log: Log, isLive: Bool) {
        guard options.isMapped else { return nil }
        let required: Set<MessageField> = [.points, .left, .right, .leftWorld, .rightWorld, .values, .end]
        var watched: [Int: (name: String, paths: FieldPaths)] = [:]
        for (field, name, paths) in options.paths where !paths.isEmpty && !required.contains(field) {
            watched[Int(field.rawValue)] = (name, paths)
        }
        (self.log, self.isLive) = (log, isLive)
        missing = Lock(watched)
    }

    /// The places of the fields whose paths no message has had.
    var places: [Int] { missing.withLock { Array($0.keys) } }

    /// Notes that a message has a value on a path of a field.
    func found(_ place: Int) { missing.withLock { $0[place] = nil } }

    /// Notes that a decoder has read one more message, and warns if they are many.
    ///
    /// - Parameter count: The number of messages that the decoder has read.
    func read(_ count: Int) {
        if count == 1 { hasMessages.withLock { $0 = true } }
        if isLive, count == Self.patience { warn("none of the first \(count) messages has") }
    }

    /// Notes that only the first of several sets in a message was read.
    func readFirst(of sets: Int, areHands: Bool) {
        let isFirst = hasWarnedOfSets.withLock { hasWarned in
            defer { hasWarned = true }
            return !hasWarned
        }
        guard isFirst else { return }
        let words = areHands ? "hands" : "sets of landmarks"
        let remedy = areHands ? "; kind: hands reads all" : ""
        log(.warning, "a message has \(sets) \(words), but kind: landmarks reads only the first\(remedy)")
    }

    /// Warns at the end of the input.
    func finish() { if hasMessages.withLock({ $0 }) { warn("no message has") } }

    private func warn(_ words: String) {
        let rest = missing.withLock { missing in
            defer { missing = [:] }
            return missing
        }
        for (_, (name, paths)) in rest.sorted(by: { $0.key < $1.key }) {
            let list = paths.map { "\"\($0)\"" }.joined(separator: " or ")
            log(.warning, "\(words) \(list), which decode gives as \(name)")
        }
    }
}

/// One decoder's part of a ``PathWatch``.
struct WatchedPaths: Sendable {
    private let watch: PathWatch
    private var pending: [Int]
    private var count = 0
    private var hasLeftOut = false

    init(_ watch: PathWatch) { (self.watch, pending) = (watch, watch.places) }

    /// Notes the values that a message had. O(fields) until each was found once.
    mutating func note(_ message: borrowing FieldMessage) {
        if message.setsLeftOut > 0, !hasLeftOut {
            hasLeftOut = true
            let areHands = message.sets[..<message.setCount].allSatisfy { max($0.seen.count, $0.world.count) == 21 }
            watch.readFirst(of: message.setsLeftOut + 1, areHands: areHands)
        }
        guard !pending.isEmpty, !message.isEmptyList else { return }
        for index in pending.indices.reversed() where message.wasFound[pending[index]] {
            watch.found(pending[index])
            pending.remove(at: index)
        }
        count += 1
        watch.read(count)
    }
}
