/// Tells a tape what one task takes.
final class TapeRecorder {
    private let node: String
    private let write: @Sendable (String, [TapeItem]) -> Void
    private var items: [TapeItem] = []
    private var hasFinished = false

    init(_ node: String, _ write: @escaping @Sendable (String, [TapeItem]) -> Void) {
        (self.node, self.write) = (node, write)
    }

    /// Notes what a look at the edges has brought.
    ///
    /// - Parameter aligned: What made sets of frames, where there are such.
    func note(_ batch: [EdgeItem<FrameCell>], _ taken: Edge.Taken, of aligned: AnyAlignedInput?) {
        for item in batch {
            switch item {
            case .frame(let cell):
                let (header, set) = (cell.header, aligned?.parts(of: cell))
                items.append(
                    set.map { .set($0, gap: header.pointee.gap, at: header.pointee.timestamp) }
                        ?? .frame(header.pointee.ordinal, gap: header.pointee.gap))
            case .bound(let stream, let time): items.append(.bound(stream, time))
            case .receipt(let stream, let time): items.append(.receipt(stream, time))
            case .end(let stream): items.append(.end(stream))
            // They say what edges may do, which a tape says itself.
            case .credit, .inputEnd, .progress: break
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
