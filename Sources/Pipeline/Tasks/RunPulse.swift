/// Where the tasks of a run stand at a moment. Two of them, taken a while apart, tell whether it hangs.
package struct RunPulse: Sendable {
    /// Where one task stands.
    struct Beat: Sendable {
        /// What a task does.
        enum Standing: Sendable {
            /// It works.
            case atWork
            /// It waits for another task of the run.
            case waiting
            /// It waits for something outside the run.
            case outside
        }

        /// The node that it begins with.
        let node: String
        let standing: Standing
        /// What it has done so far: a number that changes with every frame and every batch.
        let done: Int64
    }

    /// The tasks that have begun and not ended, in the order of the plan.
    let beats: [Beat]
    /// Whether something is due at a time, for which tasks may wait.
    let isTimed: Bool

    /// The nodes whose tasks have not got on since an earlier moment: they are at work on the same frame still, or all wait for
    /// each other. What waits for something outside the run, for messages say, does not hang.
    package func stalled(since earlier: RunPulse) -> [String] {
        let before = Dictionary(earlier.beats.map { ($0.node, $0) }) { first, _ in first }
        let still = beats.filter { before[$0.node]?.standing == $0.standing && before[$0.node]?.done == $0.done }
        let atWork = still.filter { $0.standing == .atWork }
        if !atWork.isEmpty { return atWork.map(\.node) }
        let isDeadlock = !isTimed && still.count == beats.count && beats.allSatisfy { $0.standing == .waiting }
        return isDeadlock ? beats.map(\.node) : []
    }
}
