/// What a node's task needs of its run.
struct TaskContext {
    /// The node's counters; their `id` is the node's.
    let metrics: NodeMetrics
    /// What happens to a frame that cannot be processed.
    let policy: ErrorPolicy
    let monitor: RunMonitor
    let waker: Waker
    /// Whether every watermark is a separate item.
    let isExplicit: Bool
}
