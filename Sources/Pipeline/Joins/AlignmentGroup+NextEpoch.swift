extension AlignmentGroup.Lane {
    /// Adds an item to the next epoch. Returns how many places it takes: a live source sends a watermark for each frame, and
    /// watermarks take none.
    mutating func keep(_ item: EdgeItem<Frame<Element>>, announced: Timestamp) -> Int {
        guard case .mark(.bound(let stream, let time)) = item else {
            nextEpoch.append((item, announced))
            nextHeld += 1
            return 1
        }
        if case .mark(.bound(let last, let before))? = nextEpoch.last?.item, last == stream {
            nextEpoch[nextEpoch.count - 1] = (.mark(.bound(stream, max(before, time))), announced)
        } else {
            nextEpoch.append((item, announced))
        }
        return 0
    }
}
