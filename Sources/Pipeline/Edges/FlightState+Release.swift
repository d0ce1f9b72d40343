/// Forgets streams that another process continues with.
extension FlightState {
    /// Removes the waiting items of streams, and forgets the streams. The removed frames count as dropped.
    mutating func release(_ streams: Set<StreamID>) -> [Item] {
        var items = released.removeAll(of: streams)
        for stream in streams.sorted() {
            gapsToCome.take(stream)
            openInput.removeAll { $0 == stream }
            guard let queue = queues.removeValue(forKey: stream) else { continue }
            waitingFrames -= queue.frames
            turns.remove(queue.frames, of: stream)
            items += queue.items
        }
        for case .frame in items { dropped[.released, default: 0] += 1 }
        return items
    }
}
