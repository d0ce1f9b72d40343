/// The order in which streams get slots: one entry for each waiting frame.
struct SlotTurns {
    private var streams = Deque<StreamID>()

    /// Adds a turn for another waiting frame of a stream.
    mutating func append(_ stream: StreamID) { streams.append(stream) }

    /// Removes the oldest turn of a stream for which `mayGo` returns true, and returns that stream.
    mutating func take(where mayGo: (StreamID) -> Bool) -> StreamID? {
        guard let place = streams.firstIndex(where: mayGo) else { return nil }
        return place == 0 ? streams.removeFirst() : streams.remove(at: place)
    }

    /// Removes turns of a stream whose frames no longer wait, the oldest first. The stream keeps the `kept` turns before them.
    ///
    /// - Complexity: O(n) per turn.
    mutating func remove(_ count: Int, of stream: StreamID, after kept: Int = 0) {
        var (place, kept, left) = (0, kept, count)
        while left > 0, let found = streams[place...].firstIndex(of: stream) {
            if kept > 0 {
                kept -= 1
                place = found + 1
            } else {
                streams.remove(at: found)
                left -= 1
                place = found
            }
        }
    }
}
