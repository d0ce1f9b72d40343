/// Forgets streams that another process continues with.
extension EdgeState {
    /// Removes the waiting items of streams, and forgets the streams. The removed frames count as dropped.
    mutating func release(_ streams: Set<StreamID>) -> [Item] {
        for stream in streams { forgetDrops(of: stream) }
        guard !isEmpty else { return [] }
        let released = passed.removeAll(of: streams) + items.removeAll(of: streams)
        for item in released {
            switch item {
            case .frame:
                frames -= 1
                dropped[.released, default: 0] += 1
            case .mark(.credit): credits -= 1
            case .mark: break
            }
        }
        return released
    }
}
