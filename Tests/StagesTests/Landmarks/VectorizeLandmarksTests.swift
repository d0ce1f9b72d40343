import Pipeline
import Testing

@testable import Stages

@Suite("vectorize of landmarks")
struct VectorizeLandmarksTests {
    private func vector(
        _ hand: Landmarks, of topology: Topology = .hand21, _ change: (inout Vectorize.Options) -> Void = { _ in }
    ) throws -> FeatureVector {
        var options = Vectorize.Options()
        change(&options)
        return try apply(try Vectorize.landmarks(options, of: topology), to: hand)
    }

    @Test("vectorize of landmarks: a vector holds the coordinates in turn, at unit length or unchanged")
    func coordinates() throws {
        let triangle = landmarks([(0, 0), (3, 0), (0, -4)])
        let topology = try Topology(identifier: triangle.topology)
        for (value, wanted) in zip(try vector(triangle, of: topology).values, [0, 0, 0.6, 0, 0, -0.8]) {
            #expect(abs(value - wanted) < 1e-15)
        }
        #expect(try vector(triangle, of: topology) { $0.unitLength = false }.values == [0, 0, 3, 0, 0, -4])
        #expect(try vector(triangle, of: topology).subject == .landmarks(triangle))
    }

    @Test("vectorize of landmarks: layout distances gives 3, 4 and 5 for a right triangle, and 55 values for a hand")
    func distances() throws {
        let triangle = landmarks([(0, 0), (3, 0), (0, 4)])
        let topology = try Topology(identifier: triangle.topology)
        let lengths = try vector(triangle, of: topology) { ($0.layout, $0.unitLength) = (.distances, false) }
        #expect(lengths.values == [3, 4, 5])
        #expect(try vector(ModelHand.open.seen()) { $0.layout = .distances }.values.count == 55)
    }

    @Test(
        "vectorize of landmarks: distances do not change when a hand is turned, mirrored, moved or seen larger; coordinates do"
    )
    func invariance() throws {
        func near(_ a: FeatureVector, _ b: FeatureVector) -> Bool {
            zip(a.values, b.values).allSatisfy { abs($0 - $1) < 1e-12 }
        }
        let (hand, other) = (ModelHand.victory.seen(), ModelHand.victory.seen(turned: 123, mirrored: true, scale: 9))
        #expect(near(try vector(hand) { $0.layout = .distances }, try vector(other) { $0.layout = .distances }))
        #expect(!near(try vector(hand), try vector(other)))
    }

    @Test("vectorize of landmarks: z is included in the spaces world and unitless, and in no other")
    func depth() throws {
        for (space, count) in [("world", 63), ("unitless", 63), ("pixels", 42), ("normalized", 42)] {
            var hand = ModelHand.fist.seen()
            hand.space = space
            #expect(try vector(hand).values.count == count)
        }
    }

    @Test(
        "vectorize of landmarks: layouts that landmarks or strokes do not have are findings"
    )
    func layouts() {
        for (stages, source) in [
            ("  - vectorize: { layout: directions }", "stdin: { kind: landmarks }"),
            ("  - vectorize: { layout: distances }", "stdin: { kind: stroke }"),
            ("  - vectorize: { layout: distances }", "stdin: { kind: landmarks, topology: face478 }"),
        ] {
            let found = findings(stages, source: source)
            #expect(found.map(\.code) == ["vectorize.layout"])
            #expect(found.first?.help != nil)
        }
        #expect(
            findings("  - vectorize: { layout: distances }", source: "stdin: { kind: landmarks, topology: pose33 }")
                .isEmpty)
    }

    @Test("vectorize of landmarks: landmarks without extent are refused")
    func noExtent() {
        let point = Landmarks(points: Array(repeating: point(3, 3), count: 21))
        let error = #expect(throws: PipelineError.self) { try vector(point) { $0.layout = .distances } }
        #expect(error?.code == "vectorize.no_extent")
    }
}
