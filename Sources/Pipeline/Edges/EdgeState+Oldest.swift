/// Makes room in an edge's queue by dropping the oldest frames.
extension EdgeState {
    /// Returns the index of the frame to drop so that a new frame has room: the oldest frame, or the oldest frame of the same
    /// stream if only `capacity_ms` leaves no room. Returns `nil` if there is room. The queue then begins with a frame.
    mutating func indexOfFrameToDrop(for frame: Element) -> Int? {
        guard frames > 0 else { return nil }
        // Each mark passes once, so that the next drop does not look at the marks of the frames dropped before it.
        while case .mark(let mark)? = items.first {
            if case .end(let stream, _) = mark { gapsAhead.take(stream) }
            passed.append(items.removeFirst())
        }
        return frames >= policy.capacity ? 0 : indexOfOutdatedFrame(for: frame)
    }

    /// Drops the oldest waiting frame of a stream.
    mutating func dropWaiting(at index: Int, _ result: inout Offer) {
        guard case .frame(let old) = items[index] else { return }
        frames -= 1
        drop(old, .edgeFull, &result)
        if index == 0 {
            items.removeFirst()
            gapsAhead.add(old.missing, of: old.stream)
        } else {
            items.remove(at: index)
            let isAdded = items.addGap(of: old, from: index)
            if !isAdded { gapsToCome.add(old.missing, of: old.stream) }
        }
    }

    /// Returns the index of the oldest frame of the new frame's stream if that frame is too old to wait together with the new one.
    func indexOfOutdatedFrame(for frame: Element) -> Int? {
        guard let capacityMs = policy.capacityMs, frames > 0 else { return nil }
        for index in items.indices {
            guard case .frame(let oldest) = items[index], oldest.stream == frame.stream else { continue }
            let time = frame.timestamp.microseconds(since: oldest.timestamp)
            return Double(time) > capacityMs * 1000 ? index : nil
        }
        return nil
    }
}
