import Synchronization

/// A count written by one task at a time and readable from any: a relaxed load and store, no locked instruction.
@usableFromInline
package struct Counter: ~Copyable, Sendable {
    @usableFromInline let storage = Atomic<Int64>(0)

    /// The count.
    var value: Int64 { storage.load(ordering: .relaxed) }

    /// Puts another value in its place. Only one task may write at a time.
    func set(_ value: Int64) { storage.store(value, ordering: .relaxed) }

    /// Adds to the count. Only one task may add at a time.
    @inlinable
    @inline(__always)
    func add(_ amount: Int64 = 1) {
        storage.store(storage.load(ordering: .relaxed) &+ amount, ordering: .relaxed)
    }
}

/// Counts by reason. Drops are rare enough for a lock.
final class ReasonCounts: Sendable {
    private let counts = Lock<[DropReason: Int64]>([:])

    /// Adds to the count of a reason.
    func add(_ reason: DropReason, _ amount: Int64 = 1) {
        guard amount != 0 else { return }
        counts.withLock { $0[reason, default: 0] += amount }
    }

    /// All counts.
    var values: [DropReason: Int64] { counts.withLock { $0 } }
}
