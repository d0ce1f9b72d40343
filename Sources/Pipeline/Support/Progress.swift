import Synchronization

/// The progress of a source that reads a long input. The source writes it, and a display reads it.
public final class Progress: Sendable {
    private let doneUnits = Atomic<Int64>(0)
    private let totalUnits = Atomic<Int64>(0)

    /// Creates a progress of 0 with an unknown total.
    public init() {}

    /// The units (bytes, files) done so far.
    public var done: Int64 { doneUnits.load(ordering: .relaxed) }

    /// The total number of units; 0 if unknown.
    public var total: Int64 { totalUnits.load(ordering: .relaxed) }

    /// Sets the progress.
    public func update(done: Int64, total: Int64) {
        doneUnits.store(done, ordering: .relaxed)
        totalUnits.store(total, ordering: .relaxed)
    }
}
