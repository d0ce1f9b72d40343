/// The clock a run waits on. Passed in, so that every timing behavior can be tested in virtual time.
public protocol RunClock: Sendable {
    /// Nanoseconds on a monotonic clock with an arbitrary beginning.
    var now: Int64 { get }

    /// Waits until `now` is at least `deadline`, or the task is canceled.
    func sleep(until deadline: Int64) async throws

    /// Stands for work that takes until `deadline`: waits as ``sleep(until:)`` does. Where time is simulated, what is done at a
    /// moment comes before what begins at it.
    func work(until deadline: Int64) async throws

    /// Where the tasks of a run on this clock must be carried out; `nil` when that does not matter.
    var executor: (any TaskExecutor)? { get }
}

extension RunClock {
    public func work(until deadline: Int64) async throws { try await sleep(until: deadline) }

    public var executor: (any TaskExecutor)? { nil }
}

/// The machine's monotonic clock.
public struct SystemClock: RunClock {
    private static let origin = ContinuousClock.now

    /// Makes one; all of a process show the same time.
    public init() {}

    public var now: Int64 {
        let (seconds, attoseconds) = Self.origin.duration(to: .now).components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    public func sleep(until deadline: Int64) async throws {
        try await Task.sleep(until: Self.origin.advanced(by: .nanoseconds(deadline)), clock: .continuous)
    }
}
