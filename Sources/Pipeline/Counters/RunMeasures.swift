/// What a run has measured beside what its ledger counts, for whoever shows it.
package struct RunMeasures: Sendable {
    /// Of one node.
    package struct Node: Sendable {
        /// The node's `id`.
        package let id: String
        /// How long it takes for a frame: measured for one in 64 (stages) or a batch at a time (sinks).
        package let service: HistogramCounts
        /// How long after its arrival the last frame of a batch was written: at sinks of live runs.
        package let age: HistogramCounts
        /// Where its sockets listen and go to, and who is there.
        package let sockets: [SocketPeers]
    }

    /// All nodes, in the order of the ledger.
    package var nodes: [Node] = []

    /// How long frames waited in each edge, in the order of the ledger.
    package var waits: [HistogramCounts] = []

    package init(nodes: [Node] = [], waits: [HistogramCounts] = []) { (self.nodes, self.waits) = (nodes, waits) }
}
