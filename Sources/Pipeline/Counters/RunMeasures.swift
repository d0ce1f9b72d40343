/// The measurements of a run that are not part of its ledger, for displays.
package struct RunMeasures: Sendable {
    /// The measurements of one node.
    package struct Node: Sendable {
        /// The node's `id`.
        package let id: String
        /// The service time of a frame, measured for one frame in 64 (stages) or for a whole batch (sinks).
        package let service: HistogramCounts
        /// The time from the arrival of a batch's last frame until it was written. For sinks of live runs.
        package let age: HistogramCounts
        /// The addresses of the node's sockets, with their numbers of peers.
        package let sockets: [SocketPeers]
    }

    /// The measurements of all nodes, in the order of the ledger.
    package var nodes: [Node] = []

    /// The times that frames waited in each edge, in the order of the ledger.
    package var waits: [HistogramCounts] = []

    package init(nodes: [Node] = [], waits: [HistogramCounts] = []) { (self.nodes, self.waits) = (nodes, waits) }
}
