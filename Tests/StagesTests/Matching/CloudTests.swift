import Foundation
import Pipeline
import PipelineComponents
import PipelineTesting
import Testing

@testable import Stages

@Suite("match: cloud")
struct CloudTests {
    /// Returns the distance of two gestures, one of them the only template.
    private func distance(_ query: Stroke, _ template: Stroke, tolerance: Double = 0) throws -> Double {
        try #require(try rank(query, [[template]], MatchRules(rotationToleranceDeg: tolerance)).first).distance
    }

    private func rank(
        _ query: Stroke, _ templates: [[Stroke]], _ rules: MatchRules = MatchRules(rotationToleranceDeg: 0)
    ) throws -> [Ranked] {
        var ranking: [Ranked] = []
        let templates = try templates.map { try $0.map(CloudMatcher.template(of:)) }
        try CloudMatcher(templates: templates, rules: rules).rank(query, into: &ranking)
        return ranking
    }

    private let across = stroke([(0, 0), (100, 0)])
    private let down = stroke([(0, 0), (0, 100)])

    @Test(
        "match cloud: a line has distance 0 to itself, 0.25 to its reverse, and a value worked out by hand to a perpendicular line"
    )
    func lines() throws {
        #expect(try distance(across, stroke([(7, 7), (19, 7)])) == 0)
        // The shapes are equal. The contribution of the path direction is bounded by 0.5, and the distance is half of it.
        let backwards = try distance(across, stroke([(100, 0), (0, 0)]))
        #expect(abs(backwards - 0.25) < 1e-6)
        // Each line has 32 points, at (k − 15.5)/31 from its middle. The cheapest partners of a point are the two points next to
        // the middle of the other line, at 0.5/31. All points choose the first of these two. The 31 points that were not chosen
        // add the costs of their own cheapest partners.
        let places = (0..<32).map { (Double($0) - 15.5) / 31 }
        let costs = places.map { ($0 * $0 + pow(0.5 / 31, 2) + 0.3).squareRoot() }
        let cloud = (2 * costs.reduce(0, +) - costs[15]) / 32
        // The histograms have no orientation in common. Every step along the paths costs at least 1, so the path direction adds
        // its upper bound.
        let shape = (3 * cloud / 0.4545 + 1 / 0.547) / 4
        #expect(abs(try distance(across, down) - (shape + 0.5) / 2) < 1e-5)
    }

    @Test(
        "match cloud: a gesture's distance is 0.7 of its nearest sample's and 0.3 of the next one's; its score is 1/(1 + distance)"
    )
    func nearestTwo() throws {
        let backwards = stroke([(100, 0), (0, 0)])
        let found = try rank(across, [[down], [backwards, across, down]])
        #expect(found.map(\.category) == [1, 0])
        #expect(abs(found[0].distance - 0.3 * 0.25) < 1e-6)
        #expect(found[0].score == 1 / (1 + found[0].distance))
        #expect(abs(found[1].distance - (try distance(across, down))) < 1e-12)
    }

    @Test("match cloud: distances agree with a slow reference", arguments: [1, 2, 3, 5])
    func reference(strokes: Int) throws {
        var random = SplitMix64(seed: UInt64(strokes))
        let gestures = (0..<12).map { random.gesture(strokes: $0 % 3 == 2 ? 1 : strokes) }
        let references = gestures.map(CloudReference.init)
        for (query, wanted) in zip(gestures, references) {
            for (template, other) in zip(gestures, references) {
                let found = try distance(query, template)
                #expect(abs(found - wanted.distance(to: other)) < 2e-4)
            }
        }
    }

    @Test(
        "match cloud: position, size, order and direction of strokes do not count, and the distance is symmetric",
        arguments: 1...6)
    func invariances(strokes: Int) throws {
        var random = SplitMix64(seed: UInt64(100 + strokes))
        let gesture = random.gesture(strokes: strokes)
        let other = random.gesture(strokes: strokes)
        #expect(try distance(gesture, gesture) == 0)
        #expect(try abs(distance(gesture, other) - distance(other, gesture)) < 1e-6)
        var moved = gesture
        for index in moved.samples.indices {
            moved.samples[index].x = moved.samples[index].x * 1e-3 + 4
            moved.samples[index].y = moved.samples[index].y * 1e-3 - 900
        }
        #expect(try distance(gesture, moved) < 1e-5)
        // The second half of the strokes first, each of them reversed.
        let parts = gesture.strokeRanges.map { gesture.samples[$0] }
        let turned = (parts[(strokes / 2)...] + parts[..<(strokes / 2)]).map { Array($0.reversed()) }
        var again = gesture
        again.samples = turned.flatMap { $0 }
        if strokes > 1 { again.counts = turned.map(\.count) }
        // For a single stroke, the direction counts, within its bound.
        #expect(try distance(gesture, again) < (strokes == 1 ? 0.25001 : 1e-5))
    }

    @Test(
        "match cloud: the order and direction of strokes of equal length do not count",
        arguments: [
            [[(0, 0)], [(100, 0)], [(50, 100)]],
            [[(0, 0), (100, 0)], [(0, 50), (100, 50)], [(0, 100), (100, 100)]],
            // Three strokes from the same point, and three with the same box.
            [[(0, 0), (100, 0)], [(0, 0), (60, 80)], [(0, 0), (-80, 60)]],
            [[(0, 0), (50, 90), (100, 0)], [(0, 90), (50, 0), (100, 90)], [(0, 0), (50, 90), (100, 0)]],
        ] as [[[(Double, Double)]]])
    func equalStrokes(parts: [[(Double, Double)]]) throws {
        func gesture(_ parts: [[(Double, Double)]]) -> Stroke {
            var gesture = stroke(parts.flatMap { $0 })
            gesture.counts = parts.map(\.count)
            return gesture
        }
        for order in [[0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let again = order.map { $0 == 1 ? parts[$0] : parts[$0].reversed() }
            #expect(try distance(gesture(parts), gesture(again)) < 1e-5, "\(order)")
        }
    }

    @Test("match cloud: a gesture in one stroke is near the same shape in two strokes, and dots are near dots")
    func otherStrokes() throws {
        let vee = stroke([(0, 0), (50, 100), (100, 0)])
        var twoStrokes = stroke([(50, 100), (0, 0), (50, 100), (100, 0)])
        twoStrokes.counts = [2, 2]
        #expect(try distance(vee, twoStrokes) < 0.1)
        let (dot, dots) = (
            stroke([(3, 4)]), Stroke(samples: [Sample(x: 1, y: 1), Sample(x: 9, y: 1)], counts: [1, 1])
        )
        #expect(try distance(dot, stroke([(8, 8), (8, 8)])) == 0)
        #expect(try distance(dots, dots) == 0)
        #expect(try distance(dot, across) > 0.5)
    }

    @Test(
        "match cloud: gestures with more strokes than points of the cloud are compared",
        arguments: [16, 17, 40, 64, 65, 1000])
    func manyStrokes(count: Int) throws {
        var random = SplitMix64(seed: 9)
        let dashes = random.gesture(strokes: count)
        var dotted = egg(count: count)
        dotted.counts = [Int](repeating: 1, count: count)
        #expect(try distance(dashes, dashes) == 0)
        #expect(try distance(dotted, dotted) == 0)
        #expect(try (0.01...2).contains(distance(dashes, dotted)))
    }

    @Test("match cloud: hostile strokes are compared with finite numbers or refused", arguments: HostileStroke.allCases)
    func hostile(input: HostileStroke) throws {
        for tolerance in [0.0, 30] {
            guard let itself = try refusedOrValue({ try distance(input.stroke, input.stroke, tolerance: tolerance) })
            else { continue }
            #expect(itself == 0)
            let other = try distance(input.stroke, egg(), tolerance: tolerance)
            #expect((0...3).contains(other))
            #expect((0...3).contains(try distance(egg(), input.stroke, tolerance: tolerance)))
        }
    }

    @Test(
        "match cloud: a rotation within the tolerance is undone, and one beyond it increases the distance",
        arguments: [-60.0, -30, -25, 12.5, 17, 30, 60])
    func rotation(turn: Double) throws {
        let asDrawn = try distance(egg().turned(by: turn), egg())
        let found = try distance(egg().turned(by: turn), egg(), tolerance: 30)
        #expect(abs(turn) > 30 ? found > 0.1 : found < 0.05, "\(turn): \(found), as drawn \(asDrawn)")
        #expect(found < asDrawn)
        #expect(try distance(egg().turned(by: 2 * turn + 90), egg(), tolerance: 180) < 0.05)
    }

    @Test(
        "match cloud: the nearest gestures are the same as in a comparison one by one, in small libraries and large",
        arguments: [1, 2, 12])
    func manyTemplates(perGesture: Int) throws {
        var random = SplitMix64(seed: 4)
        let shapes = (0..<25).map { random.gesture(strokes: 1 + $0 % 3) }
        let library = shapes.map { shape in (0..<perGesture).map { _ in random.variation(of: shape) } }
        for shape in shapes {
            let query = random.variation(of: shape)
            let found = try rank(query, library, MatchRules(rotationToleranceDeg: 0, maxResults: 1))
            let wanted = try library.enumerated().map { index, samples in
                var nearest = NearestTwo()
                for sample in samples { nearest.add(Float(try distance(query, sample))) }
                return (distance: Double(nearest.distance), category: index)
            }.sorted { $0.distance < $1.distance }
            #expect(found.first?.category == wanted.first?.category)
            // In a large library, the matcher does not always compare the second nearest sample of a gesture.
            for found in found.prefix(2) {
                let exact = try #require(wanted.first { $0.category == found.category }).distance
                #expect(perGesture < 12 ? abs(found.distance - exact) < 1e-6 : found.distance > exact - 1e-6)
            }
            guard perGesture < 12 else { continue }
            #expect(found.prefix(2).map(\.category) == wanted.prefix(2).map(\.category))
        }
    }

    @Test("match cloud: without a limit of results, all gestures within max_distance are ranked")
    func within() throws {
        var random = SplitMix64(seed: 6)
        let library = (0..<30).map { _ in [random.gesture(strokes: 1)] }
        let query = random.gesture(strokes: 1)
        let limit = 0.8
        let found = try rank(query, library, MatchRules(rotationToleranceDeg: 0, maxDistance: limit))
        let wanted = try library.indices.filter { try distance(query, library[$0][0]) <= limit }
        #expect(wanted.count > 2)
        #expect(found.filter { $0.distance <= limit }.map(\.category).sorted() == wanted)
    }

    @Test(
        "match cloud: by default, match uses cloud for strokes without preparation, and a stroke beyond max_distance is None"
    )
    func stage() throws {
        let library = GestureLibrary(gestures: [
            .init(name: "egg", samples: [egg(), egg(count: 30)]),
            .init(name: "vee", samples: [stroke([(0, 0), (50, 100), (100, 0)])]),
        ])
        let input = PortType(Stroke.self)
        let context = BuildContext(id: "match", upstream: PureRun(stages: [], input: input, above: "file"))
        let made = try Match.make(Match.Options(), library: library, for: input, context)
        let stage = try #require(made as? CloudStage)
        let result = try apply(stage, to: egg(radius: 7, at: (900, -20)))
        #expect(result.best.name == "egg")
        #expect(result.matcher == "cloud")
        var options = Match.Options()
        options.maxDistance = 0.1
        let strict = try Match.cloud(library, options)
        #expect(try apply(strict, to: stroke([(0, 0), (50, 90), (110, 0)])).best.name == "vee")
        #expect(try apply(strict, to: across).categories == [.none])
    }

    @Test("match cloud: a sample that cannot be compared is a finding")
    func refused() throws {
        let library = GestureLibrary(gestures: [.init(name: "empty", samples: [Stroke(samples: [])])])
        let error = try #require(throws: PipelineError.self) { try Match.cloud(library) }
        #expect(error.code == "match.sample_refused")
    }
}

extension SplitMix64 {
    /// Returns a number from −1 to 1.
    fileprivate mutating func signed() -> Double { Double(below(2_000_001)) / 1_000_000 - 1 }

    /// Returns smooth random strokes of different lengths.
    fileprivate mutating func gesture(strokes: Int) -> Stroke {
        var gesture = Stroke(samples: [])
        for number in 0..<strokes {
            var (x, y, dx, dy) = (200 * signed(), 200 * signed(), 0.0, 0.0)
            let count = 12 + 7 * number % 30
            for _ in 0..<count {
                (dx, dy) = (0.8 * dx + 5 * signed(), 0.8 * dy + 5 * signed())
                (x, y) = (x + dx, y + dy)
                gesture.samples.append(Sample(x: x, y: y))
            }
            if strokes > 1 { gesture.counts.append(count) }
        }
        return gesture
    }

    /// Returns the same gesture with small differences.
    fileprivate mutating func variation(of gesture: Stroke) -> Stroke {
        var copy = gesture
        let (a, b) = (0.1 * signed(), 0.1 * signed())
        for index in copy.samples.indices {
            let sample = copy.samples[index]
            copy.samples[index].x = sample.x * (1 + a) + sample.y * b + signed()
            copy.samples[index].y = sample.y * (1 - a) + sample.x * b + signed()
        }
        return copy
    }
}
