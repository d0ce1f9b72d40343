/// The time that a task takes for a frame in a simulation.
struct SimulatedWork {
    var nanoseconds: Int64 = 0
    /// The index of the task's last node in the plan.
    var node = 0

    var isZero: Bool { nanoseconds <= 0 }
}
