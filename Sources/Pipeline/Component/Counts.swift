import Synchronization

/// Named counts that a component keeps beside the ledger of its frames: connections, retries, requests. They stand in the
/// report of a run and in no equation.
public final class Counts: Sendable {
    private let counts = Lock<[String: Int64]>([:])

    /// How often frames that had left the pipeline may have been lost, of which nobody knows how many.
    public static let unknownLoss = "lost_unknown"

    /// Counts nothing yet.
    public init() {}

    /// Adds to the count of a name in `snake_case`. Not for every frame.
    public func add(_ name: String, _ amount: Int64 = 1) { counts.withLock { $0[name, default: 0] += amount } }

    /// All counts.
    public var values: [String: Int64] { counts.withLock { $0 } }
}
