import Synchronization

/// A number by which a task of a run shows its progress: the task increases it once per batch. The number is odd while the task
/// works or waits for another task of the run. It is written with a relaxed load and store, which costs no locked instruction.
struct TaskPulse: ~Copyable, Sendable {
    private let number = Atomic<Int64>(0)

    /// The current number; 0 before the task has started and after it has ended.
    var value: Int64 { number.load(ordering: .relaxed) }

    /// Whether the task works or waits for another task. Otherwise, it waits for something outside the run, has not started or has
    /// ended.
    var isInside: Bool { value & 1 == 1 }

    // Only the task itself calls these functions.

    /// Records that the task makes progress.
    func beat() { number.store((value &+ 2) | 1, ordering: .relaxed) }

    /// Records that the task waits for something outside the run.
    func leave() { if isInside { number.store(value &+ 1, ordering: .relaxed) } }

    /// Records that the task has ended.
    func end() { number.store(0, ordering: .relaxed) }
}
