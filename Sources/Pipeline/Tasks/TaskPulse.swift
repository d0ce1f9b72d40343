import Synchronization

/// Tells others whether a task of a run gets on: a number that the task raises once for each batch, odd while it is inside the
/// run. A relaxed load and store, no locked instruction.
struct TaskPulse: ~Copyable, Sendable {
    private let number = Atomic<Int64>(0)

    /// How often it has beaten; 0 before it has begun and when it has ended.
    var value: Int64 { number.load(ordering: .relaxed) }

    /// Whether the task works, or waits for another task; otherwise for something outside the run.
    var isInside: Bool { value & 1 == 1 }

    // Only the task itself calls these.

    /// Notes that the task goes on.
    func beat() { number.store((value &+ 2) | 1, ordering: .relaxed) }

    /// Notes that the task waits for something outside the run.
    func leave() { if isInside { number.store(value &+ 1, ordering: .relaxed) } }

    /// Notes that the task has ended.
    func end() { number.store(0, ordering: .relaxed) }
}
