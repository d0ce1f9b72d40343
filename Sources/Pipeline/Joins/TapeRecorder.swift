/// Records the input of one task on a ``Tape``.
final class TapeRecorder {
    private let node: String
    private let write: @Sendable (String, [TapeItem]) -> Void
    private var items: [TapeItem] = []
    private var hasFinished = false

    init(_ node: String, _ write: @escaping @Sendable (String, [TapeItem]) -> Void) {
        (self.node, self.write) = (node, write)
    }

    /// Records the items that one look at a join returned.
    func note(_ batch: [EdgeItem<FrameCell>], _ taken: Edge.Taken, of join: Join) {
        for item in batch {
            switch item {
            case .frame(let cell):
                let header = cell.header
                items.append(
                    join.makesSets
                        ? .set(join.parts(of: cell), gap: header.pointee.gap, at: header.pointee.timestamp)
                        : .frame(header.pointee.ordinal, gap: header.pointee.gap))
            case .mark(.bound(let stream, let time)): items.append(.bound(stream, time))
            case .mark(.end(let stream, _)): items.append(.end(stream))
            // These marks concern only this run: its edges, and its live recognizer.
            case .mark(.receipt), .mark(.credit), .mark(.inputEnd), .mark(.progress): break
            }
        }
        if taken == .finished, !hasFinished {
            hasFinished = true
            items.append(.finished)
        }
        guard !items.isEmpty else { return }
        write(node, items)
        items.removeAll(keepingCapacity: true)
    }
}
