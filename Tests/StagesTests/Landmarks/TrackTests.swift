import Pipeline
import PipelineTesting
import Testing

@testable import Stages

@Suite("track")
struct TrackTests {
    /// Returns a hand of four points in a square with the given side.
    private static func hand(_ x: Double, _ y: Double = 0.5, side: Double = 0.2, name: String? = nil) -> Landmarks {
        let half = side / 2
        return Landmarks(
            topology: "test(a,b,c,d)",
            points: [
                point(x - half, y - half), point(x + half, y - half), point(x + half, y + half),
                point(x - half, y + half),
            ],
            handedness: name)
    }

    private func tracks(
        _ hands: [[Landmarks]], every ms: Int64 = 33, _ change: (inout Track.Options) -> Void = { _ in }
    ) async -> [[Int?]] {
        var options = Track.Options()
        change(&options)
        let frames = hands.enumerated().map { Frame(Hands(hands: $1), at: .milliseconds(Int64($0) * ms)) }
        return await StageHarness(Track(options)).run(frames).payloads.map { $0.hands.map(\.track) }
    }

    /// Returns the identities that `track` assigned during a run, for each of two crossing hands.
    private func identities(
        seed: Int, dropouts: Double = 0.08, noise: Double = 0.02, _ change: (inout Landmarks) -> Void = { _ in }
    ) throws -> [Set<Int?>] {
        var scene = HandScene(.init(noise: noise, dropouts: dropouts), seed: UInt64(seed))
        let bench = StageBench(Track())
        var identities: [Set<Int?>] = [[], []]
        for number in 0..<120 {
            let seen = scene.frame(at: Double(number) / 30)
            let hands = seen.map { seen in
                var hand = seen.landmarks
                hand.label = nil
                change(&hand)
                return hand
            }
            try bench.send(Hands(hands: hands), at: .microseconds(Int64(number) * 33_333))
            let tracked = try #require(bench.output.last?.payload.hands)
            for (seen, hand) in zip(seen, tracked) { identities[seen.index].insert(hand.track) }
        }
        return identities
    }

    @Test(
        "track: two hands that cross, and are sometimes missing for up to five frames, keep their identities in 200 runs"
    )
    func crossing() throws {
        for seed in 1...200 {
            let found = try identities(seed: seed)
            #expect(
                found.allSatisfy { $0.count == 1 && !$0.contains(nil) } && found[0] != found[1],
                "seed \(seed): \(found)")
        }
    }

    @Test("track: two hands that cross nearly always keep their identities without handedness")
    func crossingWithoutHandedness() throws {
        let kept = try (201...400).count { seed in
            let found = try identities(seed: seed) { $0.handedness = nil }
            return found.allSatisfy { $0.count == 1 } && found[0] != found[1]
        }
        // Two hands that are both missing where they meet, and that change their gestures meanwhile, cannot be distinguished.
        #expect(kept >= 190, "kept in \(kept) of 200")
    }

    @Test("track: an identity follows its hand to any index in the list, and a new hand gets a new identity")
    func lists() async {
        let (a, b, c) = (Self.hand(0.2), Self.hand(0.5), Self.hand(0.8))
        #expect(await tracks([[a, b], [b, a], [c, b], [a, b, c]]) == [[1, 2], [2, 1], [3, 2], [1, 2, 3]])
    }

    @Test(
        "track: a hand that is missing for up to max_lost_ms keeps its identity, and gets a new one after that")
    func losses() async {
        let hand = [Self.hand(0.5)]
        #expect(await tracks([hand, hand, [], [], hand], every: 50) { $0.maxLostMs = 150 } == [[1], [1], [], [], [1]])
        #expect(await tracks([hand, hand, [], [], hand], every: 50) { $0.maxLostMs = 149 } == [[1], [1], [], [], [2]])
    }

    @Test("track: a moving hand that was missing is expected where its movement has taken it")
    func motion() async {
        // One hand moves by half its width per frame, and another one rests where the first one was last seen.
        let moving = (0..<4).map { [Self.hand(0.1 + 0.1 * Double($0))] }
        let rest = [[], [], [Self.hand(0.4), Self.hand(0.7)]] as [[Landmarks]]
        #expect(await tracks(moving + rest).last == [2, 1])
    }

    @Test(
        "track: squares overlap by their intersection over their union",
        arguments: [
            (0.0, 0.0, 1.0, 1.0), (0.5, 0, 1, 1.0 / 3), (0.5, 0.5, 1, 1.0 / 7), (1, 0, 1, 0), (0, 0, 0.5, 0.25),
            (2, 2, 1, 0),
            (0, 0, 0, 0),
        ] as [(Double, Double, Double, Double)])
    func overlap(x: Double, y: Double, side: Double, wanted: Double) {
        let square = HandPlace(x: 0, y: 0, side: 1)
        #expect(abs(square.overlap(with: HandPlace(x: x, y: y, side: side)) - wanted) < 1e-12)
        #expect(abs(HandPlace(x: x, y: y, side: side).overlap(with: square) - wanted) < 1e-12)
    }

    @Test("track: min_tracking_confidence is the overlap that the squares must have")
    func confidence() async {
        // A hand at rest, then half as large. The squares share a quarter of their union; the change of size that track allows
        // within one frame adds a little.
        let hands = [[Self.hand(0.5)], [Self.hand(0.5)], [Self.hand(0.5, side: 0.1)]]
        #expect(await tracks(hands) { $0.minTrackingConfidence = 0.25 } == [[1], [1], [1]])
        #expect(await tracks(hands) { $0.minTrackingConfidence = 0.4 } == [[1], [1], [2]])
    }

    @Test("track: a nearly resting hand keeps its identity with min_tracking_confidence 1")
    func certain() async {
        let hands = (0..<30).map { [Self.hand(0.3 + 0.0003 * Double($0 * 7 % 5), 0.7 - 0.0007 * Double($0 * 3 % 4))] }
        #expect(await tracks(hands) { $0.minTrackingConfidence = 1 } == Array(repeating: [1], count: 30))
    }

    @Test("track: with min_tracking_confidence 0, a hand keeps its identity wherever it is")
    func anywhere() async {
        let hands = [[Self.hand(0.5)], [Self.hand(5000)], [Self.hand(5001)]]
        #expect(await tracks(hands) { $0.minTrackingConfidence = 0 } == [[1], [1], [1]])
    }

    @Test(
        "track: a resting hand keeps its identity if its first two frames are hardly apart in time",
        arguments: [1, 2000])
    func clamped(gap: Int64) throws {
        let bench = StageBench(Track())
        // The position varies by 5 % of the hand's size.
        for (time, x) in [(0, 0.5), (gap, 0.51), (33_333, 0.5), (66_667, 0.51)] {
            try bench.send(Hands(hands: [Self.hand(x)]), at: .microseconds(time))
        }
        #expect(bench.output.map { $0.payload.hands.map(\.track) } == [[1], [1], [1], [1]])
    }

    @Test("track: identities count from 1 in each stream, and replace those in the input")
    func streams() async {
        var hand = Self.hand(0.5)
        hand.track = 77
        let frames = ["a", "b"].map { Frame(Hands(hands: [hand]), at: .zero, stream: StreamID($0)) }
        let result = await StageHarness(Track()).run(frames)
        #expect(result.payloads.map { $0.hands[0].track } == [1, 1])
        let empty = await StageHarness(Track()).run([Hands(hands: [Landmarks(points: [])])])
        #expect(empty.payloads.map { $0.hands[0].track } == [nil])
    }

    @Test("track: a frame with more than 100 hands is refused, and does not affect the tracks")
    func tooMany() async {
        let result = await StageHarness(Track()).run([
            Hands(hands: [Self.hand(0.5)]), Hands(hands: Array(repeating: Self.hand(0.1), count: 101)),
            Hands(hands: [Self.hand(0.5)]),
        ])
        #expect(result.errors.map(\.error.code) == ["track.too_many"])
        #expect(result.payloads.map { $0.hands.map(\.track) } == [[1], [1]])
    }
}

@Suite("Assignment")
struct AssignmentTests {
    /// Returns the least sum over all assignments of rows to columns, by brute force. An unassigned row costs 100.
    private func least(_ costs: [[Double?]], _ row: Int = 0, _ used: Set<Int> = []) -> Double {
        guard row < costs.count else { return 0 }
        var best = 100 + least(costs, row + 1, used)
        for (column, cost) in costs[row].enumerated() where !used.contains(column) {
            guard let cost else { continue }
            best = min(best, cost + least(costs, row + 1, used.union([column])))
        }
        return best
    }

    @Test(
        "The assignment of tracks assigns as many rows as possible, at the least total cost",
        arguments: 1...60)
    func optimal(seed: Int) {
        var random = SplitMix64(seed: UInt64(seed))
        var assignment = Assignment()
        for _ in 0..<3 {
            let (rows, columns) = (random.below(5), random.below(6))
            let costs: [[Double?]] = (0..<rows).map { _ in
                (0..<columns).map { _ in random.uniform() < 0.3 ? nil : random.uniform() * 3 }
            }
            assignment.solve(rows: rows, columns: columns) { costs[$0][$1] }
            let found = assignment.columns
            #expect(found.count == rows && Set(found.compactMap { $0 }).count == found.compactMap { $0 }.count)
            let sum = found.enumerated().reduce(0.0) { sum, pair in
                sum + (pair.element.flatMap { costs[pair.offset][$0] } ?? 100)
            }
            #expect(abs(sum - least(costs)) < 1e-6, "\(costs)")
        }
    }
}
