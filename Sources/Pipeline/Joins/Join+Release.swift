/// Finds the frames that the joins hold at a commit point, and forgets streams that another process continues with.
extension AlignmentState {
    /// Passes the stream and the time of each frame that waits for a set to `body`.
    func forEachHeld(_ body: (StreamID, Timestamp) -> Void) {
        for lane in groups.lazy.flatMap(\.lanes) {
            if let current = lane.current, !current.isUsed { body(current.frame.stream, current.frame.timestamp) }
            for index in 0..<lane.held.count where !lane.held[index].isUsed {
                body(lane.held[index].frame.stream, lane.held[index].frame.timestamp)
            }
            for case .frame(let frame) in lane.nextEpoch.lazy.map(\.item) { body(frame.stream, frame.timestamp) }
        }
    }

    /// Removes streams and drops their frames. Does nothing if frames of all streams are joined with each other.
    mutating func release(_ streams: Set<StreamID>) {
        guard pairsStreams else { return }
        for stream in streams.sorted() {
            floors[stream] = nil
            guard let place = places[stream] else { continue }
            discard(place, .released)
            remove(place)
        }
    }
}
