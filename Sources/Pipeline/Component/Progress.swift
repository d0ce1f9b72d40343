import Synchronization

/// How far a long reading has come: written by one source, read by a display.
public final class Progress: Sendable {
    private let doneUnits = Atomic<Int64>(0)
    private let totalUnits = Atomic<Int64>(0)

    /// Nothing done of an unknown whole.
    public init() {}

    /// Units (bytes, files) done so far.
    public var done: Int64 { doneUnits.load(ordering: .relaxed) }

    /// Units in all; 0 when not known.
    public var total: Int64 { totalUnits.load(ordering: .relaxed) }

    /// Tells where the reading stands.
    public func update(done: Int64, total: Int64) {
        doneUnits.store(done, ordering: .relaxed)
        totalUnits.store(total, ordering: .relaxed)
    }
}
