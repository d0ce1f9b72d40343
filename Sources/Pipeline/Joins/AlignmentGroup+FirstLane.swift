/// The rules `approximate` and `latest`, which make one set for each frame of the first lane.
extension AlignmentGroup {
    /// Makes a set for each frame of the first lane for which no other lane can still deliver a better match.
    mutating func settleByFirstLane(
        _ state: inout AlignmentLanes, _ outputs: inout [AlignmentState<Element>.Output]
    ) {
        while let first = lanes[0].held.first {
            let deadline = Key(time: first.key.time.advanced(byMicroseconds: state.tolerance), rank: first.key.rank)
            if lanes.indices.contains(where: { holdsBack($0, deadline, state) }) { return prune(&state, &outputs) }
            // Prune first, so that the gap of this set counts the dropped frames in any order of arrival.
            prune(&state, &outputs)
            _ = lanes[0].held.removeFirst()
            state.held[0] -= 1
            state.used += 1
            lanes[0].gap.addSaturated(first.frame.gap)
            var frames: [Frame<Element>?] = [first.frame]
            frames.reserveCapacity(lanes.count)
            var credits = first.credits
            for lane in lanes.indices.dropFirst() {
                frames.append(choose(lane, for: first.key, deadline, &state, &credits))
            }
            emit(frames, credits, first.key, &outputs)
        }
        prune(&state, &outputs)
    }

    /// Returns the frame of another lane that becomes part of the set of a frame of the first lane.
    private mutating func choose(
        _ lane: Int, for key: Key, _ deadline: Key, _ state: inout AlignmentLanes, _ credits: inout [Credit]
    ) -> Frame<Element>? {
        let found =
            state.rule == .latest ? last(lane, before: deadline) : nearest(lane, to: key, deadline, state.tolerance)
        if let found {
            defer { lanes[lane].held.markUsed(found) }
            credits += lanes[lane].held.takeCredits(found)
            return use(lanes[lane].held[found], lane, &state)
        }
        guard state.rule == .latest, let current = lanes[lane].current else { return nil }
        defer { lanes[lane].current?.isUsed = true }
        return use(current, lane, &state)
    }

    /// Returns whether a frame is after a deadline. If the rank of the deadline is 0, every frame with a rank above 0 at the same
    /// time is after it, so the result does not depend on which frames have already arrived.
    private static func isAfter(_ key: Key, _ deadline: Key) -> Bool {
        deadline.rank == 0 ? key > deadline : key.time > deadline.time
    }

    private func last(_ lane: Int, before deadline: Key) -> Int? {
        let end = lanes[lane].held.firstIndex { Self.isAfter($0, deadline) }
        return end > 0 ? end - 1 : nil
    }

    private func nearest(_ lane: Int, to key: Key, _ deadline: Key, _ tolerance: Int64) -> Int? {
        let held = lanes[lane].held
        let later = held.firstIndex { $0.time >= key.time }
        var best: (index: Int, distance: Int64)?
        if later > 0 {
            let time = held[later - 1].key.time
            let distance = key.time.microseconds(since: time)
            if distance <= tolerance { best = (held.firstIndex { $0.time >= time }, distance) }
        }
        if later < held.count, !Self.isAfter(held[later].key, deadline) {
            let distance = held[later].key.time.microseconds(since: key.time)
            if distance < (best?.distance ?? .max) { best = (later, distance) }
        }
        return best?.index
    }

    private mutating func use(_ held: Held, _ lane: Int, _ state: inout AlignmentLanes) -> Frame<Element> {
        if !held.isUsed {
            state.used += 1
            lanes[lane].gap.addSaturated(held.frame.gap)
        }
        return held.frame
    }

    /// Drops the frames that no later frame of the first lane can use.
    private mutating func prune(_ state: inout AlignmentLanes, _ outputs: inout [AlignmentState<Element>.Output]) {
        var next = lanes[0].held.firstKey?.time ?? reach(0, state)
        let isIdle = next == .never && !lanes[0].isOver && !state.ended[0]
        if isIdle {
            // The first lane is idle. When it resumes, its frames will have about the time that the other lanes have reached.
            next = lanes.indices.dropFirst().map { shown($0, state.bounds[$0]) }.max() ?? .beforeAll
        }
        let oldest = next == .never ? next : next.advanced(byMicroseconds: -state.tolerance)
        for lane in lanes.indices.dropFirst() {
            var oldest = oldest
            // The last frame up to that time is nearer to all further frames of the first lane than those before it.
            let later = lanes[lane].held.firstIndex { $0.time > next }
            if state.rule == .approximate, !isIdle, later > 0 {
                oldest = max(oldest, lanes[lane].held[later - 1].key.time)
            }
            while let key = lanes[lane].held.firstKey, key.time < oldest {
                var held = lanes[lane].held.removeFirst()
                state.held[lane] -= 1
                if state.rule == .latest {
                    letGo(lanes[lane].current, lane, &outputs)
                    for credit in held.credits { outputs.append(.mark(.credit(credit, of: nil))) }
                    held.credits = []
                    lanes[lane].current = held
                } else {
                    letGo(held, lane, &outputs)
                }
            }
        }
    }
}
