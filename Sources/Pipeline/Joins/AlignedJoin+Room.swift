/// The room in the lanes of a join that takes items as they arrive.
extension AlignedJoin {
    /// Whether there is no room for the frame at the front of a lane. If frames are joined within a stream, each stream has its own
    /// room, so the waiting frames of one stream take no room from another.
    func isFull(_ lane: Int) -> Bool {
        guard case .frame(let cell)? = lanes[lane].reader.waiting.first else { return false }
        return state.held(of: cell.stream, on: lane) >= lanes[lane].room
    }

    /// Whether a full lane is read further. Where credits limit the frames in flight, streams that are queued behind the full
    /// stream must not wait for it. If all lanes are full, each may wait for frames that are queued in another. After the sources
    /// have ended, no lane may wait, and only the frames already in flight arrive.
    func mayHoldMore(_ lane: Int) -> Bool {
        guard isFull(lane) else { return false }
        return monitor.isDraining || state.held[lane] < LaneTraits.mostHeld && (traits[lane].isLimited || areAllFull)
    }

    var areAllFull: Bool { lanes.indices.allSatisfy { lanes[$0].hasEnded || isFull($0) } }

    /// If no lane can be read further because all are full, releases the frame that has waited longest on one of them. Returns
    /// whether a frame was released.
    func makeRoomIfAllFull(into batch: inout [Item], _ used: inout [FrameCell]) -> Bool {
        guard areAllFull, let lane = lanes.indices.first(where: { isFull($0) }) else { return false }
        let held = state.held[lane]
        state.makeRoom(on: lane)
        takeOutputs(into: &batch, &used)
        return state.held[lane] < held
    }

    /// Releases the first frame of a stream that fills a lane, without waiting for lanes that are not known to carry the stream.
    /// Returns whether a frame was released.
    func makeRoomOfStream(into batch: inout [Item], _ used: inout [FrameCell]) -> Bool {
        for lane in lanes.indices where isFull(lane) {
            guard case .frame(let cell)? = lanes[lane].reader.waiting.first, makeRoom(of: cell.stream, on: lane)
            else { continue }
            takeOutputs(into: &batch, &used)
            return true
        }
        return false
    }

    func makeRoom(of stream: StreamID, on lane: Int) -> Bool {
        guard let brings = clocks.brings else { return false }
        return state.makeRoom(of: stream, on: lane) { [traits] other, arrival in
            !traits[other].isRenamed && traits[other].sources.contains { brings($0, stream, arrival) }
        }
    }
}
