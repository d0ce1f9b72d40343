import Pipeline
import Synchronization

/// A log of all drops of a run.
public final class DropLog: Sendable {
    private let state = Lock<[DropRecord]>([])

    /// Creates an empty log.
    public init() {}

    /// All drops, in the order in which they were reported.
    public var records: [DropRecord] { state.withLock { $0 } }

    /// Adds a drop.
    public func add(_ record: DropRecord) { state.withLock { $0.append(record) } }
}
