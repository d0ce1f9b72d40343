/// The clock of a run. It is injected, so that tests can check all timing behavior in virtual time.
public protocol RunClock: Sendable {
    /// The current time in nanoseconds, on a monotonic clock with an arbitrary origin.
    var now: Int64 { get }

    /// Waits until `now` is at least `deadline`, or until the task is canceled.
    func sleep(until deadline: Int64) async throws

    /// Simulates work that takes until `deadline`. Waits like ``sleep(until:)``, with two differences in simulated time: if one
    /// task works and another sleeps until the same time, the working task continues first; and if several tasks work until the
    /// same time, those of the nodes behind continue first.
    ///
    /// - Parameters:
    ///   - deadline: The time at which the work ends, in nanoseconds on this clock.
    ///   - node: The index of the node in its plan. Each node comes after those that it receives frames from.
    func work(until deadline: Int64, of node: Int) async throws

    /// The executor that the tasks of a run with this clock must use; `nil` for any executor.
    var executor: (any TaskExecutor)? { get }
}

extension RunClock {
    /// The time that is a number of milliseconds from now; the last possible time if that one is too far away.
    func time(inMs milliseconds: Int64) -> Int64 {
        now.addingSaturated(milliseconds.multipliedSaturated(by: 1_000_000))
    }

    public func work(until deadline: Int64, of node: Int) async throws { try await sleep(until: deadline) }

    public var executor: (any TaskExecutor)? { nil }
}

/// The machine's monotonic clock.
public struct SystemClock: RunClock {
    private static let origin = ContinuousClock.now

    /// Creates a clock. All instances in a process show the same time.
    public init() {}

    public var now: Int64 {
        let (seconds, attoseconds) = Self.origin.duration(to: .now).components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    public func sleep(until deadline: Int64) async throws {
        try await Task.sleep(until: Self.origin.advanced(by: .nanoseconds(deadline)), clock: .continuous)
    }
}
