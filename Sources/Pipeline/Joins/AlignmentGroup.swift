/// The frames that can form sets with each other: the frames of one stream, or of all streams.
///
/// Each lane gives its own frames keys, and frames with matching keys form a set, so the sets do not depend on arrival times. A
/// frame after the time that its lane has reached gets its timestamp as its key. A frame at or before that time (a second frame
/// with the same timestamp, or output at the end of a stream) gets the reached time with a rank as its key. Such a frame forms a
/// set with the frames of the same rank on the other lanes, once all lanes have passed that time.
struct AlignmentGroup<Element: Payload> {
    typealias Item = EdgeItem<Frame<Element>>
    typealias Key = AlignmentKey

    struct Held {
        var frame: Frame<Element>
        let key: Key
        /// The number of items that had arrived when the frame arrived.
        var order = 0
        /// Whether the frame is part of a set.
        var isUsed = false
        /// The credits that are released when this frame leaves.
        var credits: [Credit] = []
        /// The number of `credits` that belong to frames that an upstream stage dropped.
        var strayCredits = 0
    }

    struct Lane {
        var held = HeldFrames<Element>()
        /// For `latest`: the last frame at or before the time that the first lane has reached. It does not count as waiting.
        var current: Held?
        /// The time that this lane has reached in these streams, by frames and watermarks.
        var bound = Timestamp.beforeAll
        /// The watermark: all further frames are after this time. If frames imply no watermark, it is lower than `bound` after a
        /// frame, because another frame may have the same timestamp.
        var passed = Timestamp.beforeAll
        var lastKey = Key(time: .beforeAll)
        /// Watermarks of the whole lane up to this time do not apply: they were announced before the stream began again.
        var floor = Timestamp.beforeAll
        /// Whether the stream has ended on this lane.
        var isOver = false
        /// How it has ended.
        var end = StreamEnd.over
        /// Whether the lane has delivered an item of the stream.
        var hasShown = false
        /// The key up to which the join no longer waits for the lane. Frames of the lane up to its time are late.
        var assumed = Key(time: .beforeAll)
        /// The items that arrived after the stream ended on this lane, each with the watermark that the whole lane had announced by
        /// then. They wait until the stream has ended on the other lanes too.
        var nextEpoch: [(item: Item, announced: Timestamp)] = []
        /// The number of these items that take room: not the watermarks, of which a live source sends one for each frame.
        var nextHeld = 0
        /// The number of frames missing before the next set.
        var gap: Int32 = 0
    }

    let stream: StreamID
    var lanes: [Lane]
    /// The key of the last set. Frames that would have belonged to this set or to an earlier one are late.
    private(set) var settled = Key(time: .beforeAll)
    /// The watermark that was last sent downstream.
    private(set) var announced = Timestamp.beforeAll
    /// The number of items that the join had taken when this group was last used; it selects the group to evict.
    var lastUse = 0

    init(stream: StreamID, lanes: Int, floors: [Timestamp]? = nil) {
        self.stream = stream
        self.lanes = Array(repeating: Lane(), count: lanes)
        for (lane, floor) in (floors ?? []).enumerated() { self.lanes[lane].floor = floor }
    }

    /// Whether the stream has ended on every lane.
    func isOver(_ state: AlignmentLanes) -> Bool {
        lanes.indices.allSatisfy { lanes[$0].isOver || state.ended[$0] }
    }

    // MARK: Taking

    /// The time that a lane has reached, given the watermark that it has announced for all its streams.
    func shown(_ lane: Int, _ announced: Timestamp) -> Timestamp {
        announced > lanes[lane].floor ? max(lanes[lane].bound, announced) : lanes[lane].bound
    }

    /// The time that a lane has passed, given the watermark that it has announced for all its streams.
    private func passed(_ lane: Int, _ announced: Timestamp) -> Timestamp {
        announced > lanes[lane].floor ? max(lanes[lane].passed, announced) : lanes[lane].passed
    }

    /// Applies the watermark that a lane has announced for all its streams, before a lower watermark of the lane replaces it.
    mutating func keepBound(of lane: Int, _ announced: Timestamp) {
        if !lanes[lane].isOver {
            lanes[lane].bound = shown(lane, announced)
            lanes[lane].passed = passed(lane, announced)
        }
        lanes[lane].floor = .beforeAll
    }

    /// Adds a frame of a lane.
    ///
    /// - Parameter announced: The watermark that the lane has announced for all its streams.
    /// - Returns: false if the frame is late.
    mutating func take(
        _ frame: Frame<Element>, _ lane: Int, announced: Timestamp, order: Int = 0, _ state: inout AlignmentLanes
    ) -> Bool {
        lanes[lane].hasShown = true
        let reached = shown(lane, announced)
        var key = Key(time: frame.timestamp)
        if frame.timestamp <= reached {
            let last = lanes[lane].lastKey
            key = Key(time: reached, rank: last.time == reached ? last.rank &+ 1 : 1)
        }
        lanes[lane].lastKey = key
        lanes[lane].bound = max(reached, key.time)
        lanes[lane].passed = max(
            lanes[lane].passed,
            state.watermarks == .explicit ? key.time.advanced(byMicroseconds: -1) : lanes[lane].bound)
        // Unless all timestamps must be equal, frames of lanes other than the first can still be part of later sets.
        let isBehind = (state.rule == .exact || lane == 0) && key <= settled
        if isBehind || frame.timestamp <= lanes[lane].assumed.time {
            lanes[lane].gap.addSaturated(frame.missing)
            return false
        }
        lanes[lane].held.append(Held(frame: frame, key: key, order: order))
        state.held[lane] += 1
        return true
    }

    /// Holds a credit until the last waiting frame of a lane leaves. Returns false if no frame waits.
    mutating func hold(_ credit: Credit, _ lane: Int) -> Bool {
        guard lanes[lane].held.count > 0 else { return false }
        lanes[lane].held.add(credit)
        credit.wait()
        return true
    }

    // MARK: Settling

    /// The last key that a frame of the next set can have.
    func deadline(_ state: AlignmentLanes) -> Key? {
        next(state).map { Key(time: $0.time.advanced(byMicroseconds: state.tolerance), rank: $0.rank) }
    }

    /// The key that lanes must reach before the first waiting frame of a lane can leave; `nil` if no frame of the lane waits.
    func deadline(of lane: Int, _ state: AlignmentLanes) -> Key? {
        guard let key = lanes[lane].held.firstKey else { return nil }
        // Without a frame of the first lane there is no set. Frames that the next frame of the first lane cannot use are dropped.
        return deadline(state) ?? Key(time: key.time.advanced(byMicroseconds: state.tolerance + 1))
    }

    /// The lanes for which the next set waits. Without a set, the first lane if it has not reached a key.
    func awaited(upTo key: Key, _ state: AlignmentLanes) -> [Int] {
        if state.rule != .exact, lanes[0].held.count == 0 { return covers(0, key, state) ? [] : [0] }
        return lanes.indices.filter { holdsBack($0, key, state) }
    }

    /// Whether the next set must wait for a lane.
    func holdsBack(_ lane: Int, _ deadline: Key, _ state: AlignmentLanes) -> Bool {
        need(lane, deadline, state).map { !covers(lane, $0, state) } ?? false
    }

    /// The key that a lane must reach before the next set is made; `nil` if no frame that it still delivers can be part of the set.
    private func need(_ lane: Int, _ deadline: Key, _ state: AlignmentLanes) -> Key? {
        switch state.rule {
        case .exact: return lanes[lane].held.firstKey == deadline ? nil : deadline
        case .latest: return lane == 0 ? nil : deadline
        case .approximate:
            guard lane > 0 else { return nil }
            let (time, held) = (deadline.time.advanced(byMicroseconds: -state.tolerance), lanes[lane].held)
            let later = held.firstIndex { $0.time >= time }
            // All further frames are after this one, and so farther away.
            if later < held.count { return nil }
            guard later > 0 else { return deadline }
            // Only a frame that is less far away can take the place of the last frame before that time.
            let distance = time.microseconds(since: held[later - 1].key.time)
            return distance > state.tolerance
                ? deadline : Key(time: time.advanced(byMicroseconds: distance - 1), rank: 1)
        }
    }

    /// Applies a watermark of the stream.
    mutating func pass(_ time: Timestamp, _ lane: Int) {
        lanes[lane].hasShown = true
        lanes[lane].bound = max(lanes[lane].bound, time)
        lanes[lane].passed = max(lanes[lane].passed, time)
    }

    /// Treats a lane as if it had passed a key. Frames that the lane delivers up to the time of that key are late.
    mutating func assume(_ lane: Int, _ key: Key) {
        lanes[lane].bound = max(lanes[lane].bound, key.time)
        lanes[lane].passed = max(lanes[lane].passed, key.time)
        lanes[lane].assumed = max(lanes[lane].assumed, key)
    }

    /// The time that a lane has reached; `never` if no set waits for the lane any more.
    func reach(_ lane: Int, _ state: AlignmentLanes) -> Timestamp {
        if lanes[lane].isOver || state.countsAsEnded(lane) { return .never }
        return shown(lane, state.bounds[lane])
    }

    /// Whether all further frames of a lane that are not late are after a key, or no set waits for the lane any more.
    func covers(_ lane: Int, _ key: Key, _ state: AlignmentLanes) -> Bool {
        let reach = reach(lane, state)
        return reach == .never || key <= lanes[lane].assumed || (key.rank == 0 ? reach >= key.time : reach > key.time)
    }

    /// Makes the sets that no lane can add to any more.
    mutating func settle(_ state: inout AlignmentLanes, into outputs: inout [AlignmentState<Element>.Output]) {
        if state.rule == .exact { settleExact(&state, &outputs) } else { settleByFirstLane(&state, &outputs) }
    }

    private mutating func settleExact(
        _ state: inout AlignmentLanes, _ outputs: inout [AlignmentState<Element>.Output]
    ) {
        while let key = firstKey {
            for lane in lanes.indices where lanes[lane].held.firstKey != key {
                guard covers(lane, key, state) else { return }
            }
            var frames: [Frame<Element>?] = []
            frames.reserveCapacity(lanes.count)
            var credits: [Credit] = []
            for lane in lanes.indices {
                if lanes[lane].held.firstKey == key {
                    let held = lanes[lane].held.removeFirst()
                    state.held[lane] -= 1
                    state.used += 1
                    lanes[lane].gap.addSaturated(held.frame.gap)
                    frames.append(held.frame)
                    credits += held.credits
                } else {
                    frames.append(nil)
                }
            }
            emit(frames, credits, key, &outputs)
        }
    }

    /// The key of the next set, if one of its frames has arrived.
    func next(_ state: AlignmentLanes) -> Key? { state.rule == .exact ? firstKey : lanes[0].held.firstKey }

    /// The lanes for which the next set waits, each with the time that it must pass.
    func waits(_ state: AlignmentLanes) -> [(lane: Int, time: Timestamp)] {
        guard let deadline = deadline(state) else { return [] }
        return lanes.indices.compactMap { lane in
            guard let key = need(lane, deadline, state), !covers(lane, key, state) else { return nil }
            return (lane, key.rank == 0 ? key.time : key.time.advanced(byMicroseconds: 1))
        }
    }

    /// The time of the first frame that waits until the first lane has reached the frame's time.
    func waitsForFirst(_ state: AlignmentLanes) -> Timestamp? {
        let next = lanes[0].held.firstKey?.time ?? reach(0, state)
        return lanes.dropFirst().compactMap { $0.held.firstKey?.time }.min().flatMap { $0 > next ? $0 : nil }
    }

    /// Drops the frames up to a time in all lanes but the first for which `isMeant` returns true. Returns the lanes in which
    /// frames were dropped.
    mutating func letGo(
        upTo time: Timestamp, _ state: inout AlignmentLanes, into outputs: inout [AlignmentState<Element>.Output],
        where isMeant: (Int) -> Bool
    ) -> [Int] {
        var found: [Int] = []
        for lane in lanes.indices.dropFirst() where isMeant(lane) {
            while let key = lanes[lane].held.firstKey, key.time <= time {
                let held = lanes[lane].held.removeFirst()
                state.held[lane] -= 1
                letGo(held, lane, &outputs)
                if found.last != lane { found.append(lane) }
            }
        }
        return found
    }

    private var firstKey: Key? {
        var first: Key?
        for lane in lanes {
            guard let key = lane.held.firstKey else { continue }
            if first.map({ key < $0 }) ?? true { first = key }
        }
        return first
    }

    mutating func letGo(
        _ held: Held?, _ lane: Int, _ outputs: inout [AlignmentState<Element>.Output]
    ) {
        guard let held else { return }
        for credit in held.credits { outputs.append(.mark(.credit(credit, of: nil))) }
        guard !held.isUsed else { return }
        lanes[lane].gap.addSaturated(held.frame.gap)
        outputs.append(.dropped(held.frame, .unmatched))
    }

    mutating func emit(
        _ frames: [Frame<Element>?], _ credits: [Credit], _ key: Key, _ outputs: inout [AlignmentState<Element>.Output]
    ) {
        settled = key
        var gap: Int32 = 0
        // Lanes that come from one fan-out miss the same frames, so take the largest gap instead of the sum.
        for lane in lanes.indices {
            gap = max(gap, lanes[lane].gap)
            lanes[lane].gap = 0
        }
        guard let set = Frame(setOf: frames, at: key.time, gap: gap) else { return }
        outputs.append(.set(set))
        for credit in credits { outputs.append(.mark(.credit(credit, of: set.stream))) }
    }

    // MARK: Output

    /// Returns the watermark to send downstream; `nil` if it has not advanced beyond `known`.
    ///
    /// Held frames will form sets with their own timestamps, so the watermark stays below them.
    mutating func advanceBound(beyond known: Timestamp, _ state: AlignmentLanes) -> Timestamp? {
        var free = Timestamp.never
        for lane in lanes.indices where !lanes[lane].isOver && !state.countsAsEnded(lane) {
            free = min(free, passed(lane, state.bounds[lane]))
        }
        if free == .never {
            // All remaining lanes are idle, so use their watermarks.
            for lane in lanes.indices where !lanes[lane].isOver && !state.ended[lane] {
                free = min(free, passed(lane, state.bounds[lane]))
            }
        }
        if let held = next(state) { free = min(free, held.time.advanced(byMicroseconds: -1)) }
        guard free > max(announced, known), free >= .zero, free < .never else { return nil }
        announced = free
        return free
    }

    /// Drops all held frames, and releases their credits.
    mutating func drain(
        _ reason: DropReason, _ state: inout AlignmentLanes, into outputs: inout [AlignmentState<Element>.Output]
    ) {
        for lane in lanes.indices {
            if let current = lanes[lane].current, !current.isUsed { outputs.append(.dropped(current.frame, reason)) }
            while lanes[lane].held.count > 0 {
                let held = lanes[lane].held.removeFirst()
                state.held[lane] -= 1
                if !held.isUsed { outputs.append(.dropped(held.frame, reason)) }
                for credit in held.credits { outputs.append(.mark(.credit(credit, of: nil))) }
            }
            lanes[lane].current = nil
        }
    }
}

extension Frame {
    /// Creates a set with the stream and number of its first frame; `nil` if there is no frame.
    init?<Element>(setOf frames: [Frame<Element>?], at time: Timestamp, gap: Int32) where Payload == Aligned<Element> {
        guard let first = frames.lazy.compactMap({ $0 }).first else { return nil }
        self.init(
            Aligned(frames), at: time, stream: first.stream, sequence: first.sequence, gap: gap, origin: first.origin,
            arrival: first.arrival)
    }
}
