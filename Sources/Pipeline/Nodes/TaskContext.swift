/// The parts of a run that the task of a node needs.
struct TaskContext {
    /// The node's account, with the node's `id`.
    let account: NodeAccount
    let waker: Waker
    let watermarks: Watermarks
    /// The maximum number of streams to keep state of.
    let maxStreams: Int
    /// In a simulation, the time that the node takes for a frame.
    let service: SimulatedWork
}
