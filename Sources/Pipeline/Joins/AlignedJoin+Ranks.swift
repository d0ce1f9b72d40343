/// The order in a batch run: items enter the state, and sets leave it, in the order of the source items from which they were made.
extension AlignedJoin {
    func fillByRank(_ batch: inout [Item], _ used: inout [FrameCell]) {
        while batch.count < 256 {
            guard let lane = ranked?.next(isClosed: { isClosed[$0] }) else {
                guard makeRoomIfStuck() else { return }
                takeOutputs(into: &batch, &used)
                continue
            }
            var items: [Item] = []
            guard let (rank, hasEnded) = ranked?.take(lane, { item, _ in items.append(item) }) else { return }
            for item in items {
                announceIfNew(item, in: &batch)
                push(item, on: lane)
            }
            if hasEnded { state.end(lane) }
            guard let complete = ranked?.completed(rank, isClosed: { isClosed[$0] }) else { continue }
            for index in lanes.indices { makeRoom(on: index) }
            takeOutputs(into: &batch, &used)
            batch.append(.mark(.progress(complete)))
        }
    }

    /// Announces a stream that this join sees for the first time, so that no join downstream proceeds without it.
    private func announceIfNew(_ item: Item, in batch: inout [Item]) {
        let stream: StreamID
        switch item {
        case .frame(let cell): stream = cell.stream
        // A join upstream has announced the stream.
        case .mark(.bound(let name?, _)): stream = name
        case .mark(.end(let stream, _)):
            known.remove(stream)
            return
        case .mark: return
        }
        if known.count >= state.maxStreams { known.removeAll() }
        if known.insert(stream).inserted { batch.append(.mark(.bound(stream, .beforeAll))) }
    }

    /// Makes room on a full lane, or closes the lane until other lanes have advanced.
    func makeRoom(on lane: Int) {
        isClosed[lane] = false
        while state.held[lane] >= lanes[lane].room {
            switch state.room(on: lane, traits, time: { ranked?.time(of: $0) ?? .beforeAll }) {
            case .isNone: isClosed[lane] = true
            case .mayCome: break
            case .mayBeMade where traits[lane].mayWait: isClosed[lane] = true
            case .mayBeMade:
                state.makeRoom(on: lane)
                continue
            }
            return
        }
    }

    /// If every lane is closed or has ended, releases the first frame that may leave. If none may, the frames of each closed lane wait
    /// for the clock of another, so the lane that is the furthest behind holds more frames. Returns whether the join can go on.
    private func makeRoomIfStuck() -> Bool {
        guard let ranked, lanes.indices.allSatisfy({ isClosed[$0] || ranked.hasEnded($0) }) else { return false }
        for lane in lanes.indices where isClosed[lane] {
            guard state.room(on: lane, traits, time: { ranked.time(of: $0) }) == .mayBeMade else { continue }
            state.makeRoom(on: lane)
            for lane in lanes.indices { makeRoom(on: lane) }
            return true
        }
        let mayHoldMore = lanes.indices.filter { isClosed[$0] && state.held[$0] < LaneTraits.mostHeld }
        guard let last = mayHoldMore.min(by: { ranked.time(of: $0) < ranked.time(of: $1) }) else { return false }
        isClosed[last] = false
        return true
    }
}
