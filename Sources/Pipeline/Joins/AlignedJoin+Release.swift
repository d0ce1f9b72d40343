/// Finds the frames that the join holds at a commit point, and forgets streams that another process continues with.
extension AlignedJoin {
    func forEachWaiting(_ body: (StreamID, Timestamp) -> Void) {
        for lane in lanes { lane.reader.forEachHeld(body) }
        ranked?.forEachHeld(body)
        state.forEachHeld(body)
    }

    func releaseWaiting(_ streams: Set<StreamID>) -> [Item] {
        for index in lanes.indices {
            for item in lanes[index].reader.release(streams) { drop(item, of: index) }
        }
        var released: [(Item, Int)] = []
        ranked?.release(streams) { released.append(($0, $1)) }
        for (item, index) in released { drop(item, of: index) }
        state.release(streams)
        known.subtract(streams)
        var (batch, used): ([Item], [FrameCell]) = ([], [])
        takeOutputs(into: &batch, &used)
        // `batch` contains only credits, which end here: released frames form no sets.
        return []
    }

    private func drop(_ item: Item, of index: Int) {
        guard case .frame(let cell) = item else { return }
        metrics.frames.add()
        drop(take(cell, index), .released)
    }
}
