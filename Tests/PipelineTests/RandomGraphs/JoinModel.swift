import Pipeline

/// The sets that a join should make, and the frames that it should drop.
struct JoinModel {
    private typealias Item = GraphModel.Item

    private let rule: Alignment.Rule
    private let tolerance: Int64
    private let pair: Alignment.Pairing
    private let inputs: [[GraphModel.Item]]
    private let place: String
    private(set) var drops: [GraphModel.Drop] = []

    init(
        _ rule: Alignment.Rule, tolerance: Int64, pair: Alignment.Pairing, _ inputs: [[GraphModel.Item]], place: String
    ) {
        (self.rule, self.tolerance, self.pair, self.inputs, self.place) = (rule, tolerance, pair, inputs, place)
    }

    /// Returns one frame for each set, with the number that the stage computes from it.
    mutating func sets() -> [GraphModel.Item] {
        if pair == .time { return sets(inputs) }
        var streams: [String] = []
        for frame in inputs.flatMap({ $0 }) where !streams.contains(frame.stream) { streams.append(frame.stream) }
        return streams.flatMap { stream in
            sets(inputs.map { $0.filter { $0.stream == stream } })
        }
    }

    private mutating func sets(_ lanes: [[Item]]) -> [Item] {
        rule == .exact ? exactSets(lanes) : setsByFirst(lanes)
    }

    /// For each timestamp, makes a set of the lanes' first frames with it, another set of their second frames, and so on.
    private func exactSets(_ lanes: [[Item]]) -> [Item] {
        struct Key: Hashable, Comparable {
            let time: Int64
            let rank: Int
            static func < (a: Key, b: Key) -> Bool { (a.time, a.rank) < (b.time, b.rank) }
        }
        var sets: [Key: [Item?]] = [:]
        for (lane, frames) in lanes.enumerated() {
            for (place, frame) in frames.enumerated() {
                let before = frames[..<place].count { $0.time == frame.time }
                let key = Key(time: frame.time, rank: frame.isBehind ? max(1, before) : before)
                sets[key, default: lanes.map { _ in nil }][lane] = frame
            }
        }
        return sets.sorted { $0.key < $1.key }.compactMap { key, frames in
            set(of: frames, at: key.time, gap: frames.map { $0?.gap ?? 0 }.max() ?? 0, isBehind: key.rank > 0)
        }
    }

    /// The frames of a lane that may match frames of the first lane.
    private struct Lane {
        var waiting: ArraySlice<(frame: Item, isUsed: Bool)>
        /// For `latest`: the most recent frame.
        var current: (frame: Item, isUsed: Bool)?
        /// The number of frames missing before the next set.
        var gap = 0
    }

    /// Returns a set for every frame of the first lane.
    private mutating func setsByFirst(_ list: [[Item]]) -> [Item] {
        var lanes = list.dropFirst().map { frames in Lane(waiting: frames.map { ($0, false) }[...]) }
        var sets: [Item] = []
        for first in list[0] {
            var frames: [Item?] = [first]
            for lane in lanes.indices {
                // Remove frames that no later frame of the first lane can use.
                let passed = lanes[lane].waiting.last { $0.frame.time <= first.time }?.frame.time ?? 0
                let oldest = rule == .latest ? first.time : max(first.time - tolerance, passed)
                while let next = lanes[lane].waiting.first, next.frame.time < oldest {
                    lanes[lane].waiting.removeFirst()
                    if rule == .latest {
                        drop(lanes[lane].current, &lanes[lane])
                        lanes[lane].current = next
                    } else {
                        drop(next, &lanes[lane])
                    }
                }
                frames.append(rule == .latest ? last(at: first.time, &lanes[lane]) : nearest(first.time, &lanes[lane]))
            }
            let gap = lanes.map(\.gap).reduce(first.gap, max)
            for lane in lanes.indices { lanes[lane].gap = 0 }
            if let set = set(of: frames, at: first.time, gap: gap) { sets.append(set) }
        }
        for lane in lanes.indices {
            drop(lanes[lane].current, &lanes[lane])
            for rest in lanes[lane].waiting { drop(rest, &lanes[lane]) }
        }
        return sets
    }

    private func last(at time: Int64, _ lane: inout Lane) -> Item? {
        if let place = lane.waiting.lastIndex(where: { $0.frame.time <= time }) { return use(place, &lane) }
        guard let current = lane.current else { return nil }
        if !current.isUsed { lane.gap += current.frame.gap }
        lane.current?.isUsed = true
        return current.frame
    }

    private func nearest(_ time: Int64, _ lane: inout Lane) -> Item? {
        let near = lane.waiting.indices.filter { abs(lane.waiting[$0].frame.time - time) <= tolerance }
        let best = near.min { abs(lane.waiting[$0].frame.time - time) < abs(lane.waiting[$1].frame.time - time) }
        return best.map { use($0, &lane) }
    }

    private func use(_ place: Int, _ lane: inout Lane) -> Item {
        if !lane.waiting[place].isUsed { lane.gap += lane.waiting[place].frame.gap }
        lane.waiting[place].isUsed = true
        return lane.waiting[place].frame
    }

    private mutating func drop(_ candidate: (frame: Item, isUsed: Bool)?, _ lane: inout Lane) {
        guard let candidate, !candidate.isUsed else { return }
        lane.gap += candidate.frame.gap
        drops.append(GraphModel.Drop(candidate.frame, at: place, "unmatched"))
    }

    private func set(of frames: [Item?], at time: Int64, gap: Int, isBehind: Bool = false) -> Item? {
        guard let first = frames.lazy.compactMap({ $0 }).first else { return nil }
        return Item(
            stream: first.stream, time: time, sequence: first.sequence, gap: gap,
            value: JoinStage.number(of: frames.map { $0?.value }), isBehind: isBehind)
    }
}
