import Synchronization

/// A counter that one task at a time writes and any task can read. It uses a relaxed load and store, which costs no locked
/// instruction.
@usableFromInline
package struct Counter: ~Copyable, Sendable {
    @usableFromInline let storage = Atomic<Int64>(0)

    /// The current count.
    var value: Int64 { storage.load(ordering: .relaxed) }

    /// Sets the count. Only one task may write at a time.
    func set(_ value: Int64) { storage.store(value, ordering: .relaxed) }

    /// Adds to the count. Only one task may add at a time.
    @inlinable
    @inline(__always)
    func add(_ amount: Int64 = 1) {
        storage.store(storage.load(ordering: .relaxed) &+ amount, ordering: .relaxed)
    }
}

/// A counter for each drop reason. A lock guards the counters, which is fast enough because drops are rare.
final class ReasonCounts: Sendable {
    private let counts = Lock<[DropReason: Int64]>([:])

    /// Adds to the counter of a reason.
    func add(_ reason: DropReason, _ amount: Int64 = 1) {
        guard amount != 0 else { return }
        counts.withLock { $0[reason, default: 0] += amount }
    }

    /// The counts of all reasons.
    var values: [DropReason: Int64] { counts.withLock { $0 } }
}
