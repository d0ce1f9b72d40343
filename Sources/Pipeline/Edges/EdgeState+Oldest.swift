/// Makes room in an edge's queue by dropping the oldest frames.
extension EdgeState {
    /// Drops the frame that has waited longest. A frame must be waiting.
    mutating func dropOldest(_ result: inout Offer) {
        // Each mark passes once, so that the next drop does not look at the marks of the frames dropped before it.
        while case .mark(let mark) = items[head] {
            if case .end(let stream) = mark { gapsAhead.take(stream) }
            passed.append(items[head])
            head += 1
        }
        guard case .frame(let old) = items[head] else { return }
        frames -= 1
        drop(old, .edgeFull, &result)
        head += 1
        gapsAhead.add(old.missing, of: old.stream)
        giveRoomBack()
    }
}
