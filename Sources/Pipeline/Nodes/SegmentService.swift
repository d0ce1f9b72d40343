/// The time that the nodes of a segment take in a simulation: each node for each frame that reaches it.
struct SegmentService {
    /// A node with a service time.
    private struct Part {
        /// Returns the number of frames that have reached the node.
        let frames: () -> Int64
        let metrics: NodeMetrics
        let nanoseconds: Int64
        /// The number of frames whose time has been taken.
        var counted: Int64
    }

    private var parts: [Part] = []
    /// The index of the segment's last node in the plan.
    private let node: Int

    init(node: Int) { self.node = node }

    /// Adds a node. A node that takes no time is left out.
    ///
    /// - Parameter frames: Returns the number of frames that have reached the node.
    mutating func add(_ metrics: NodeMetrics, _ nanoseconds: Int64, _ frames: @escaping () -> Int64) {
        guard nanoseconds > 0 else { return }
        parts.append(Part(frames: frames, metrics: metrics, nanoseconds: nanoseconds, counted: frames()))
    }

    /// Returns the time for the frames since the last call, and records it.
    mutating func takeWork() -> SimulatedWork {
        var work = SimulatedWork(node: node)
        for place in parts.indices {
            let part = parts[place]
            parts[place].counted = part.frames()
            for _ in part.counted..<parts[place].counted {
                part.metrics.time.record(part.nanoseconds)
                work.nanoseconds.addSaturated(part.nanoseconds)
            }
        }
        return work
    }
}
