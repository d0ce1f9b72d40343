/// Finds the frames that the joins hold at a commit point, and forgets streams that another process continues with.
extension RankedEdges {
    /// Passes the stream and the time of each frame that was read but not taken to `body`.
    func forEachHeld(_ body: (StreamID, Timestamp) -> Void) {
        for lane in lanes {
            for case .frame(let cell) in lane.items[lane.head...] { body(cell.stream, cell.timestamp) }
        }
    }

    /// Removes those items of the streams that were read but not taken, and passes each to `body` with its lane.
    mutating func release(_ streams: Set<StreamID>, _ body: (Item, Int) -> Void) {
        for index in lanes.indices {
            lanes[index].items.removeFirst(lanes[index].head)
            for item in lanes[index].items.removeAll(of: streams) { body(item, index) }
            (lanes[index].head, lanes[index].seen) = (0, 0)
            lanes[index].findMark()
        }
    }
}

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
        for stream in streams.sorted(by: { $0.name < $1.name }) {
            (receipts[stream], floors[stream]) = (nil, nil)
            guard let place = places[stream] else { continue }
            discard(place, .released)
            remove(place)
        }
    }
}
