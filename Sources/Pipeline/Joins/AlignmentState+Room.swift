/// Releases frames although a lane could still deliver a frame for their set: when too many frames wait, or when clocks are far
/// apart.
extension AlignmentState {
    /// What can be done about a lane with many waiting frames.
    enum Room {
        /// The frame that has waited longest may be released: see ``makeRoom(on:)``.
        case mayBeMade
        /// The frame that has waited longest waits for the clock of another source, so the lane may hold more frames.
        case mayCome
        /// The frame that has waited longest waits for a lane that must still deliver, so nothing can be released.
        case isNone
    }

    /// Returns what can be done about a lane with many waiting frames. The function `time` returns the time that the sources of a
    /// lane have reached.
    ///
    /// Of the lanes for which the set waits, the frame that has waited longest must wait for each whose sources have not reached
    /// the deadline of the set. Otherwise, it need not wait for a lane in three cases: the lane has never delivered the stream;
    /// the stream may have been renamed upstream of the lane; the two lanes share no source, and ``LaneTraits/mostHeld`` frames
    /// wait on this lane.
    ///
    /// If no frame waits for a set, but frames of the next epoch of a stream wait until the stream ends on other lanes, the same
    /// applies to those lanes. Their sources have passed the end, because the frames after it have arrived.
    mutating func room(on lane: Int, _ traits: [LaneTraits], time: (Int) -> Timestamp) -> Room {
        guard let (place, deadline, waits) = firstWait(on: lane) else { return roomForEpoch(on: lane, traits) }
        var room = Room.mayBeMade
        for other in waits {
            let isApart = traits[lane].sources.isDisjoint(with: traits[other].sources)
            // If the stream has ended, its source has passed the deadline, although its time may have gone back since.
            if time(other) < deadline.time, isApart || !groups[place].lanes[lane].isOver { return .isNone }
            guard groups[place].lanes[other].hasShown, !traits[other].isRenamed else { continue }
            guard isApart else { return .isNone }
            if lanes.held[lane] < LaneTraits.mostHeld { room = .mayCome }
        }
        return waits.isEmpty ? .isNone : room
    }

    private func roomForEpoch(on lane: Int, _ traits: [LaneTraits]) -> Room {
        guard let (place, waits) = firstEpoch(on: lane), !waits.isEmpty else { return .isNone }
        let mayEnd = waits.contains { groups[place].lanes[$0].hasShown && !traits[$0].isRenamed }
        return mayEnd && lanes.held[lane] < LaneTraits.mostHeld ? .mayCome : .mayBeMade
    }

    /// Releases the frame that has waited longest on a lane. Frames that other lanes deliver for its set afterwards are late.
    mutating func makeRoom(on lane: Int) {
        let place: Int
        if let (group, deadline, waits) = firstWait(on: lane) {
            for other in waits { groups[group].assume(other, deadline) }
            place = group
        } else if let (group, waits) = firstEpoch(on: lane) {
            for other in waits { groups[group].lanes[other].isOver = true }
            place = group
        } else {
            return
        }
        settle(place)
        if close(place) { remove(place) }
    }

    /// Returns the first group with items of the next epoch on a lane, and the lanes on which the stream has not ended.
    private func firstEpoch(on lane: Int) -> (place: Int, lanes: [Int])? {
        guard let place = groups.firstIndex(where: { !$0.lanes[lane].nextEpoch.isEmpty }) else { return nil }
        return (place, groups[place].lanes.indices.filter { !groups[place].lanes[$0].isOver && !lanes.ended[$0] })
    }

    /// Returns, for the frame that has waited longest on a lane, its group, the last key of the set that it waits for, and the
    /// lanes for which that set waits.
    private mutating func firstWait(on lane: Int) -> (place: Int, deadline: AlignmentKey, lanes: [Int])? {
        guard let place = placeWaiting(on: lane), let deadline = groups[place].deadline(of: lane, lanes)
        else {
            return nil
        }
        return (place, deadline, groups[place].awaited(upTo: deadline, lanes))
    }

    /// Makes the next set of a stream without waiting for lanes whose clocks are far behind. Frames that these lanes deliver for
    /// the set are late.
    ///
    /// - Returns: The lanes that the set waited for, and the lanes whose frames waited; `nil` if the set waited for no lane whose
    ///   clock is far behind.
    mutating func goOn(_ stream: StreamID, where isApart: (Int) -> Bool) -> (behind: [Int], ahead: [Int])? {
        guard let place = places[stream], let deadline = groups[place].deadline(lanes) else { return nil }
        let behind = groups[place].lanes.indices.filter {
            isApart($0) && groups[place].holdsBack($0, deadline, lanes)
        }
        guard !behind.isEmpty else { return nil }
        let ahead = groups[place].lanes.indices.filter { groups[place].lanes[$0].held.count > 0 }
        for lane in behind { groups[place].assume(lane, deadline) }
        settle(place)
        if close(place) { remove(place) }
        return (behind, ahead)
    }

    /// If the clock of the first lane is far behind, drops a stream's frames up to a time in the lanes that are not far behind.
    /// These frames wait for the first lane, and no set will use them.
    ///
    /// - Returns: The first lane, and the lanes of the dropped frames; `nil` if no frame was dropped.
    mutating func letGo(of stream: StreamID, upTo time: Timestamp, where isApart: (Int) -> Bool) -> (
        behind: [Int], ahead: [Int]
    )? {
        guard let place = places[stream], isApart(0) else { return nil }
        let ahead = groups[place].letGo(upTo: time, &lanes, into: &outputs) { !isApart($0) }
        guard !ahead.isEmpty else { return nil }
        return ([0], ahead)
    }

    /// Releases the frame of a stream that has waited longest on a full lane, without waiting for lanes that have never delivered
    /// the stream and may never do so. Frames that those lanes deliver up to the time of the released frame are late.
    ///
    /// - Parameter mayBring: Returns whether a lane is known to carry the stream of a frame with an arrival time.
    /// - Returns: Whether a frame was released.
    mutating func makeRoom(of stream: StreamID, on lane: Int, where mayBring: (Int, Int64) -> Bool) -> Bool {
        guard pairsStreams, let place = places[stream] else { return false }
        let deadline = groups[place].deadline(of: lane, lanes)
        // If no frame waits, the stream has ended on this lane, and its next epoch waits until it ends on the other lanes too.
        let awaited =
            deadline.map { groups[place].awaited(upTo: $0, lanes) }
            ?? groups[place].lanes.indices.filter { !groups[place].lanes[$0].isOver && !lanes.ended[$0] }
        let arrival = groups[place].lanes[lane].held.first?.frame.arrival ?? 0
        guard !awaited.isEmpty,
            awaited.allSatisfy({ $0 != lane && !groups[place].lanes[$0].hasShown && !mayBring($0, arrival) })
        else { return false }
        for other in awaited {
            if let deadline { groups[place].assume(other, deadline) } else { groups[place].lanes[other].isOver = true }
        }
        settle(place)
        if close(place) { remove(place) }
        return true
    }
}
