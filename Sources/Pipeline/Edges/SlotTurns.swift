/// The order in which streams get slots: one entry for each waiting frame.
struct SlotTurns {
    private var streams: [StreamID] = []
    private var next = 0

    /// Adds a turn for another waiting frame of a stream.
    mutating func append(_ stream: StreamID) { streams.append(stream) }

    /// Removes the oldest turn of a stream for which `mayGo` returns true, and returns that stream.
    mutating func take(where mayGo: (StreamID) -> Bool) -> StreamID? {
        guard let place = streams[next...].firstIndex(where: mayGo) else { return nil }
        let stream = streams[place]
        if place == next { next += 1 } else { streams.remove(at: place) }
        // Release the unused space at the front once it is larger than the used space.
        if next > 64, next > streams.count / 2 {
            streams.removeFirst(next)
            next = 0
        }
        return stream
    }

    /// Removes the oldest turn of a stream, because one of its frames no longer waits.
    mutating func remove(of stream: StreamID) {
        guard let place = streams[next...].firstIndex(of: stream) else { return }
        streams.remove(at: place)
    }
}
