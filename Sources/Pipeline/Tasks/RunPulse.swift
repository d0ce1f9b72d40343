/// A snapshot of the activity of a run's tasks. Two snapshots, taken some time apart, show whether the run hangs.
package struct RunPulse: Sendable {
    /// The activity of one task.
    struct Beat: Sendable {
        /// What a task is doing.
        enum Standing: Sendable {
            /// The task is working.
            case atWork
            /// The task waits for another task of the run.
            case waiting
            /// The task waits for something outside the run.
            case outside
        }

        /// The first node of the task.
        let node: String
        let standing: Standing
        /// The progress of the task: a number that changes with every frame and every batch.
        let done: Int64
    }

    /// The tasks that have started and not ended, in the order of the plan.
    let beats: [Beat]
    /// Whether a timer action is pending, for which tasks may wait.
    let isTimed: Bool

    /// Returns the nodes whose tasks hang: since an earlier snapshot, they have been working on the same frame, or all tasks have
    /// been waiting for each other. A task that waits for something outside the run, for example for messages, does not hang.
    package func stalled(since earlier: RunPulse) -> [String] {
        let before = Dictionary(earlier.beats.map { ($0.node, $0) }) { first, _ in first }
        let still = beats.filter { before[$0.node]?.standing == $0.standing && before[$0.node]?.done == $0.done }
        let atWork = still.filter { $0.standing == .atWork }
        if !atWork.isEmpty { return atWork.map(\.node) }
        let isDeadlock = !isTimed && still.count == beats.count && beats.allSatisfy { $0.standing == .waiting }
        return isDeadlock ? beats.map(\.node) : []
    }
}
