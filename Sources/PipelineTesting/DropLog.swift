import Pipeline
import Synchronization

/// Keeps every drop of a run.
public final class DropLog: Sendable {
    private let state = Lock<[DropRecord]>([])

    /// Has seen none yet.
    public init() {}

    /// All drops, in the order in which they were reported.
    public var records: [DropRecord] { state.withLock { $0 } }

    /// Adds a drop.
    public func add(_ record: DropRecord) { state.withLock { $0.append(record) } }
}
