/// The parts of a run that the task of a node needs.
struct TaskContext {
    /// The node's counters, with the node's `id`.
    let metrics: NodeMetrics
    /// What happens to a frame that cannot be processed.
    let policy: ErrorPolicy
    let monitor: RunMonitor
    let waker: Waker
    let watermarks: Watermarks
    /// The maximum number of streams to keep state of.
    let maxStreams: Int
    /// In a simulation, the time that the node takes for a frame, in nanoseconds.
    let serviceTime: Int64
}
