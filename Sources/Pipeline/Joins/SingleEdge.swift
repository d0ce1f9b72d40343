/// The input of a task with one edge. Items pass unchanged.
final class SingleEdge: Join {
    private let edge: Edge

    /// Whether the stage before the edge may rename streams. If so, several streams may get the same name.
    private let isRenamed: Bool

    init(_ edge: Edge, isRenamed: Bool) {
        self.edge = edge
        self.isRenamed = isRenamed
        super.init(store: edge.store, edges: [edge])
    }

    override func look(into batch: inout [Item], used: inout [FrameCell]) -> Edge.Taken {
        edge.take(into: &batch, returning: &used)
    }

    override var waitedFor: String { "frames on " + edge.name }
    override var mayBeLate: Bool { isRenamed }
}
