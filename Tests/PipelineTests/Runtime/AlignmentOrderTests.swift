import PipelineTesting
import Testing

@testable import Pipeline

/// Checks that sets depend on what the edges carry, and not on arrival times: random edges in random arrival orders are compared
/// with a reference that sees all frames at once.
@Suite struct AlignmentOrderTests {
    private typealias Item = EdgeItem<Frame<TestNumber>>

    /// The sets of each stream in their order, and the frames that no set used, without order.
    private struct Outcome: Equatable {
        var sets: [StreamID: [String]] = [:]
        var unmatched: Set<Int> = []
        var defects: [String] = []
    }

    @Test(
        "Joins: random cases give the sets of the reference, in whatever order the edges deliver",
        arguments: 0..<10 as Range<UInt64>)
    func shuffled(part: UInt64) async {
        var (sets, unmatched) = (0, 0)
        let seeds = GraphSeeds.range(part: part, of: 10, count: 2000)
        for seed in seeds {
            // Lets other tests run.
            await Task.yield()
            var random = SeededGenerator(seed: seed)
            let alignment = Alignment(
                [.exact, .approximate, .latest].randomElement(using: &random) ?? .exact,
                toleranceMs: Double(Int.random(in: 0...6, using: &random)) / 1000,
                pair: Int.random(in: 0..<5, using: &random) == 0 ? .time : .stream)
            let lanes = Self.lanes(using: &random)
            let expected = Self.reference(alignment, lanes)
            let found = Self.run(alignment, lanes, using: &random)
            guard found == expected else {
                Issue.record(
                    """
                    seed \(seed): \(alignment.rule), tolerance \(alignment.toleranceMs) ms, by \(alignment.pair)
                    \(lanes.map { $0.map(Self.text).joined(separator: " ") }.joined(separator: "\n"))
                    \(found) instead of \(expected)
                    """)
                return
            }
            sets += found.sets.values.reduce(0) { $0 + $1.count }
            unmatched += found.unmatched.count
        }
        // The comparison is not empty: most cases form sets, and some frames have no match.
        #expect(sets > seeds.count || seeds.count < 100)
        #expect(unmatched > seeds.count / 10 || seeds.count < 100)
    }

    // MARK: Random edges

    private static func lanes(using random: inout SeededGenerator) -> [[Item]] {
        var number = 0
        let streams: [StreamID] = ["s", "t", "u"].suffix(Int.random(in: 1...3, using: &random))
        return (0..<Int.random(in: 2...3, using: &random)).map { _ in
            var times: [StreamID: Int64] = [:]
            var items: [Item] = []
            var announced: Int64 = -1
            for _ in 0..<Int.random(in: 0...12, using: &random) {
                guard let stream = streams.randomElement(using: &random) else { continue }
                let last = max(times[stream] ?? -1, announced)
                switch Int.random(in: 0..<20, using: &random) {
                case 0..<12:
                    // A step of 0 gives a second frame with the same timestamp, or a frame at an announced watermark.
                    let step = Int64.random(in: 0...4, using: &random)
                    let time = max(0, last + step)
                    times[stream] = time
                    items.append(.frame(Frame(TestNumber(number), at: .microseconds(time), stream: stream)))
                    number += 1
                case 12..<16:
                    let time = last + Int64.random(in: 1...4, using: &random)
                    items.append(.bound(stream, .microseconds(time)))
                    times[stream] = time
                case 16..<18:
                    announced = max(announced, times.values.max() ?? 0) + 1
                    items.append(.bound(nil, .microseconds(announced)))
                default:
                    times[stream] = nil
                    items.append(.end(stream))
                }
            }
            return items
        }
    }

    private static func run(_ alignment: Alignment, _ lanes: [[Item]], using random: inout SeededGenerator) -> Outcome {
        var state = AlignmentState<TestNumber>(alignment, lanes: lanes.count)
        var cursors = lanes.map { _ in 0 }
        var open = Array(lanes.indices)
        var outcome = Outcome()
        var reached: [StreamID: Timestamp] = [:]
        var frames = 0
        while let lane = open.randomElement(using: &random) {
            if cursors[lane] == lanes[lane].count {
                state.end(lane)
                open.removeAll { $0 == lane }
            } else {
                let item = lanes[lane][cursors[lane]]
                if case .frame = item { frames += 1 }
                state.push(item, on: lane)
                cursors[lane] += 1
            }
            var outputs: [AlignmentState<TestNumber>.Output] = []
            state.takeOutputs(into: &outputs)
            for output in outputs {
                switch output {
                case .set(let frame):
                    let stream: StreamID = alignment.pair == .stream ? frame.stream : ""
                    outcome.sets[stream, default: []].append(text(frame.timestamp, frame.payload.values))
                    if frame.timestamp < reached[stream] ?? .beforeAll {
                        outcome.defects.append("a set behind its watermark")
                    }
                case .dropped(let frame, let reason):
                    if reason != .unmatched { outcome.defects.append("\(reason)") }
                    if !outcome.unmatched.insert(frame.payload.value).inserted {
                        outcome.defects.append("dropped twice")
                    }
                case .mark(.bound(let stream?, let time)): reached[stream] = max(reached[stream] ?? .beforeAll, time)
                case .mark(.end(let stream, _)): reached[stream] = nil
                case .mark: break
                }
            }
        }
        if state.held.contains(where: { $0 != 0 }) { outcome.defects.append("holds \(state.held) at the end") }
        if state.takeUsed() + outcome.unmatched.count != frames { outcome.defects.append("loses frames") }
        return outcome
    }

    private static func text(_ item: Item) -> String {
        switch item {
        case .frame(let frame): "\(frame.stream)\(frame.timestamp.rawValue)#\(frame.payload.value)"
        case .mark(.bound(let stream, let time)): "\(stream?.name ?? "all")<\(time.rawValue)"
        case .mark(.receipt(let stream, let time)): "\(stream)?\(time.rawValue)"
        case .mark(.end(let stream, _)): "\(stream)."
        case .mark: "mark"
        }
    }

    private static func text(_ time: Timestamp, _ values: [TestNumber?]) -> String {
        "\(time.rawValue):" + values.map { $0.map { String($0.value) } ?? "-" }.joined(separator: ",")
    }

    // MARK: The reference

    /// A frame with its position. `time` is its timestamp, or the time that its lane has reached if that is later. `rank` counts
    /// the frames of the lane at this time from 0, or from 1 if a watermark had reached this time before any of them.
    private struct Placed {
        let value: TestNumber
        let time: Int64
        let rank: Int
    }

    private static func reference(_ alignment: Alignment, _ lanes: [[Item]]) -> Outcome {
        var outcome = Outcome()
        let epochs = lanes.map { placed($0, byStream: alignment.pair == .stream) }
        let streams = Set(epochs.flatMap(\.keys))
        for stream in streams {
            let count = epochs.map { $0[stream]?.count ?? 0 }.max() ?? 0
            for epoch in 0..<count {
                let frames = epochs.map { lane in
                    let all = lane[stream] ?? []
                    return epoch < all.count ? all[epoch] : []
                }
                align(alignment, frames, stream, &outcome)
            }
        }
        return outcome
    }

    /// Returns the frames of a lane: for each stream, one list for each epoch.
    private static func placed(_ items: [Item], byStream: Bool) -> [StreamID: [[Placed]]] {
        var result: [StreamID: [[Placed]]] = [:]
        var reached: [StreamID: Int64] = [:]
        var floors: [StreamID: Int64] = [:]
        var announced: Int64 = -1
        func bound(_ key: StreamID) -> Int64 {
            announced > floors[key] ?? -1 ? max(reached[key] ?? -1, announced) : reached[key] ?? -1
        }
        for item in items {
            switch item {
            case .frame(let frame):
                let key = byStream ? frame.stream : ""
                let own = frame.timestamp.rawValue
                let place = max(own, bound(key))
                var epochs = result[key] ?? [[]]
                let before = epochs[epochs.count - 1].count { $0.time == place }
                let first = own > bound(key) || before > 0 ? 0 : 1
                let ranks = epochs[epochs.count - 1].filter { $0.time == place }.map(\.rank).max() ?? first - 1
                epochs[epochs.count - 1].append(Placed(value: frame.payload, time: place, rank: ranks + 1))
                result[key] = epochs
                reached[key] = place
            case .mark(.bound(let stream?, let time)):
                let key = byStream ? stream : ""
                reached[key] = max(reached[key] ?? -1, time.rawValue)
            case .mark(.bound(nil, let time)): announced = time.rawValue
            case .mark(.receipt), .mark(.credit), .mark(.inputEnd), .mark(.progress): break
            case .mark(.end(let stream, _)):
                guard byStream else { continue }
                result[stream, default: [[]]].append([])
                reached[stream] = nil
                floors[stream] = announced
            }
        }
        return result
    }

    private static func align(
        _ alignment: Alignment, _ lanes: [[Placed]], _ stream: StreamID, _ outcome: inout Outcome
    ) {
        let tolerance = alignment.rule == .approximate ? Int64((alignment.toleranceMs * 1000).rounded()) : 0
        var used: Set<Int> = []
        var sets: [String] = []
        func add(_ time: Int64, _ values: [TestNumber?]) {
            for value in values { if let value { used.insert(value.value) } }
            sets.append(text(.microseconds(time), values))
        }
        if alignment.rule == .exact {
            let places = Set(lanes.joined().map { [$0.time, Int64($0.rank)] })
            for place in places.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
                add(
                    place[0],
                    lanes.map { lane in lane.first { $0.time == place[0] && Int64($0.rank) == place[1] }?.value })
            }
        } else {
            for frame in lanes[0] {
                let limit = frame.time + tolerance
                let others = lanes.dropFirst().map { lane -> TestNumber? in
                    // At the limit, a frame of the first lane with rank 0 matches only frames with rank 0.
                    let candidates = lane.filter { $0.time < limit || $0.time == limit && $0.rank <= frame.rank * 1000 }
                    if alignment.rule == .latest { return candidates.last?.value }
                    return candidates.filter { $0.time >= frame.time - tolerance }
                        .min { abs($0.time - frame.time) < abs($1.time - frame.time) }?.value
                }
                add(frame.time, [frame.value] + others)
            }
        }
        if !sets.isEmpty { outcome.sets[stream, default: []] += sets }
        for frame in lanes.joined() where !used.contains(frame.value.value) {
            outcome.unmatched.insert(frame.value.value)
        }
    }
}
