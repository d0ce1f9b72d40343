/// What goes on although a lane could still bring something that belongs to it: where too much waits, and where clocks are apart.
extension AlignmentState {
    /// What can be done for a lane of which many frames wait.
    enum Room {
        /// What has waited longest on it may go on: see ``makeRoom(on:)``.
        case mayBeMade
        /// It waits for the clock of another source: more frames may wait for it.
        case mayCome
        /// It waits for what must come.
        case isNone
    }

    /// What can be done for a lane of which many frames wait. What has waited longest need not wait for lanes that have never
    /// shown its stream, or may have renamed it, or stand behind other sources and have been behind for very many frames,
    /// provided that their sources have come as far.
    mutating func room(on lane: Int, _ places: [LanePlace], time: (Int) -> Timestamp) -> Room {
        guard let (place, deadline, waits) = firstWait(on: lane) else { return .isNone }
        var room = Room.mayBeMade
        for other in waits {
            if time(other) < deadline.time { return .isNone }
            guard groups[place].lanes[other].hasShown, !places[other].isRenamed else { continue }
            guard places[lane].sources.isDisjoint(with: places[other].sources) else { return .isNone }
            if lanes.held[lane] < LanePlace.mostHeld { room = .mayCome }
        }
        return waits.isEmpty ? .isNone : room
    }

    /// Lets what has waited longest on a lane wait no longer for other lanes: what they bring of it afterwards is late.
    mutating func makeRoom(on lane: Int) {
        guard let (place, deadline, waits) = firstWait(on: lane) else { return }
        for other in waits { groups[place].assume(other, deadline) }
        settle(place)
        if close(place) { remove(place) }
    }

    /// What has waited longest on a lane: of which group it is, and which lanes must come how far before it goes on.
    private mutating func firstWait(on lane: Int) -> (place: Int, deadline: AlignmentKey, lanes: [Int])? {
        guard let place = placeWaiting(on: lane), let deadline = groups[place].deadline(rule, tolerance, of: lane)
        else {
            return nil
        }
        return (place, deadline, groups[place].awaited(upTo: deadline, rule, lanes))
    }

    /// Lets the next set of a stream wait no longer for lanes whose clocks are far behind: what they bring of it is late.
    ///
    /// - Returns: The lanes that it waited for, and those that brought what waited; `nil` when it waited for none.
    mutating func goOn(_ stream: StreamID, where isApart: (Int) -> Bool) -> (behind: [Int], ahead: [Int])? {
        guard let place = places[stream], let deadline = groups[place].deadline(rule, tolerance) else { return nil }
        let behind = groups[place].lanes.indices.filter {
            isApart($0) && groups[place].holdsBack($0, deadline, rule, lanes)
        }
        guard !behind.isEmpty else { return nil }
        let ahead = groups[place].lanes.indices.filter { groups[place].lanes[$0].held.count > 0 }
        for lane in behind { groups[place].assume(lane, deadline) }
        settle(place)
        if close(place) { remove(place) }
        return (behind, ahead)
    }

    /// Lets frames of a stream up to a time wait no longer for a first lane whose clock is far behind: no set uses them.
    ///
    /// - Returns: The first lane, and those that brought the frames; `nil` when there were none.
    mutating func letGo(of stream: StreamID, upTo time: Timestamp, where isApart: (Int) -> Bool) -> (
        behind: [Int], ahead: [Int]
    )? {
        guard let place = places[stream], isApart(0) else { return nil }
        let ahead = groups[place].letGo(upTo: time, &lanes, into: &outputs) { !isApart($0) }
        guard !ahead.isEmpty else { return nil }
        return ([0], ahead)
    }

    /// Lets what has waited longest of a stream on a lane, of which there are as many as there is room for, wait no longer for
    /// lanes that have shown nothing of the stream and need never: what they bring of it up to there is late.
    ///
    /// - Parameter mayBring: Whether it is known of a lane that it brings the stream.
    /// - Returns: Whether something went on.
    mutating func makeRoom(of stream: StreamID, on lane: Int, where mayBring: (Int) -> Bool) -> Bool {
        guard pairsStreams, let place = places[stream] else { return false }
        let deadline = groups[place].deadline(rule, tolerance, of: lane)
        // Where nothing waits the stream has ended on the lane, and what begins anew waits for its end on the others.
        let awaited =
            deadline.map { groups[place].awaited(upTo: $0, rule, lanes) }
            ?? groups[place].lanes.indices.filter { !groups[place].lanes[$0].isOver && !lanes.ended[$0] }
        guard !awaited.isEmpty,
            awaited.allSatisfy({ $0 != lane && !groups[place].lanes[$0].hasShown && !mayBring($0) })
        else { return false }
        for other in awaited {
            if let deadline { groups[place].assume(other, deadline) } else { groups[place].lanes[other].isOver = true }
        }
        settle(place)
        if close(place) { remove(place) }
        return true
    }
}
