import Foundation
import Pipeline
import Testing

@testable import Stages

@Suite("Synthetic hands")
struct HandSceneTests {
    private func hands(_ change: (inout SyntheticSource.Options) -> Void = { _ in }) async throws -> [Frame<Hands>] {
        var options = SyntheticSource.Options()
        (options.kind, options.count) = (.hands, 6)
        change(&options)
        return try await drain(DrawnHands<Hands>(options, cut: DrawnHands.together)).frames
    }

    /// Returns the distances between the joints of a hand along its bones, in meters.
    private func bones(_ points: [SIMD3<Double>]) -> [Double] {
        (0..<5).flatMap { digit in
            (1...3).map { joint in
                let way = points[digit * 4 + joint + 1] - points[digit * 4 + joint]
                return (way * way).sum().squareRoot()
            }
        }
    }

    @Test(
        "Synthetic hands: bones keep their published lengths in every pose",
        arguments: SyntheticGesture.allCases)
    func lengths(gesture: SyntheticGesture) {
        let published = [
            0.0462, 0.0316, 0.0217, 0.0398, 0.0224, 0.0158, 0.0446, 0.0263, 0.0174, 0.0414, 0.0257, 0.0173, 0.0327,
            0.0181, 0.0160,
        ]
        for other in SyntheticGesture.allCases {
            let points = HandModel.points(gesture.pose.mixed(with: other.pose, 0.3))
            #expect(points.count == 21)
            for (found, wanted) in zip(bones(points), published) { #expect(abs(found - wanted) < 1e-12) }
        }
    }

    @Test(
        "Synthetic hands: in each gesture, the expected fingers are extended and the thumb points in the expected direction"
    )
    func gestures() async throws {
        let straight: [SyntheticGesture: [Bool]] = [
            .openPalm: [true, true, true, true], .closedFist: [false, false, false, false],
            .pointingUp: [true, false, false, false], .victory: [true, true, false, false],
            .thumbUp: [false, false, false, false], .thumbDown: [false, false, false, false],
            .iLoveYou: [true, false, false, true],
        ]
        for gesture in SyntheticGesture.allCases {
            let frame = try await hands { ($0.gestures, $0.count, $0.noise, $0.sampleHz) = ([gesture], 1, 0, 2) }
            for hand in try #require(frame.first).payload.hands {
                #expect(hand.label == gesture.rawValue)
                let wrist = hand.world[0]
                func far(_ tip: Int, _ middle: Int) -> Bool {
                    hand.world[tip].distance(to: wrist, true) > hand.world[middle].distance(to: wrist, true)
                }
                #expect([far(8, 6), far(12, 10), far(16, 14), far(20, 18)] == straight[gesture], "\(gesture)")
                let others = hand.points.enumerated().filter { $0.offset != 4 }.map(\.element.y)
                // y increases downward.
                #expect((hand.points[4].y < (others.min() ?? 0)) == (gesture == .thumbUp), "\(gesture)")
                #expect((hand.points[4].y > (others.max() ?? 0)) == (gesture == .thumbDown), "\(gesture)")
                if gesture == .pointingUp { #expect(hand.points[8].y == hand.points.map(\.y).min()) }
            }
        }
    }

    @Test("Synthetic hands: the index finger of a right palm that faces the camera is on the right, as in MediaPipe")
    func handedness() async throws {
        for frame in try await hands({ ($0.gestures, $0.noise) = ([.openPalm, .victory], 0) }) {
            for hand in frame.payload.hands {
                let (wrist, index, little) = (hand.points[0], hand.points[5], hand.points[17])
                let turn = (index.x - wrist.x) * (little.y - wrist.y) - (index.y - wrist.y) * (little.x - wrist.x)
                #expect((turn < 0) == (hand.handedness == "Right"))
            }
        }
    }

    @Test("Synthetic hands: the image and the world show the same hand")
    func spaces() async throws {
        for frame in try await hands({ $0.count = 2 }) {
            for hand in frame.payload.hands {
                // Returns the width of the palm divided by its length. The unit of x is `width` times the unit of y.
                func ratio(_ points: [Landmarks.Point], _ width: Double) -> Double {
                    func length(_ a: Int, _ b: Int) -> Double {
                        let (dx, dy) = ((points[a].x - points[b].x) * width, points[a].y - points[b].y)
                        return (dx * dx + dy * dy).squareRoot()
                    }
                    return length(5, 17) / length(0, 9)
                }
                #expect(abs(ratio(hand.points, 4.0 / 3) - ratio(hand.world, 1)) < 0.02)
            }
        }
    }

    @Test("Synthetic hands: the same seed gives the same hands for any batch size, and another seed gives others")
    func seeds() async throws {
        var options = SyntheticSource.Options()
        (options.kind, options.count, options.dropouts) = (.hands, 2, 0.1)
        let first = try await drain(DrawnHands<Hands>(options, cut: DrawnHands.together))
        let slow = try await drain(DrawnHands<Hands>(options, cut: DrawnHands.together), limit: 1)
        #expect(first.frames.count == 60 && slow.frames == first.frames)
        options.seed = 2
        #expect(try await drain(DrawnHands<Hands>(options, cut: DrawnHands.together)).frames != first.frames)
    }

    @Test("Synthetic hands: two hands cross, and go missing for one to five frames")
    func crossing() async throws {
        let frames = try await hands { ($0.count, $0.dropouts) = (20, 0.05) }
        var (gaps, gap, sides): ([Int], Int, Set<Bool>) = ([], 0, [])
        for frame in frames {
            let names = frame.payload.hands.map(\.handedness)
            if names.count == 2 { sides.insert(names[0] == "Left") }
            if names.contains("Right") {
                if gap > 0 { gaps.append(gap) }
                gap = 0
            } else {
                gap += 1
            }
        }
        #expect(sides == [true, false])
        #expect(Set(gaps) == [1, 2, 3, 4, 5])
        #expect(frames.map(\.timestamp.rawValue).prefix(4) == [0, 33_333, 66_667, 100_000])
    }

    @Test("Synthetic hands: single hands have streams of their own")
    func apart() async throws {
        var options = SyntheticSource.Options()
        (options.kind, options.count, options.streams) = (.landmarks, 1, 2)
        let frames = try await drain(DrawnHands<Landmarks>(options, cut: DrawnHands.apart)).frames
        #expect(Set(frames.map(\.stream.name)) == ["hand/1/left", "hand/1/right", "hand/2/left", "hand/2/right"])
        #expect(frames.filter { $0.stream == "hand/1/left" }.map(\.sequence) == Array(0..<30))
    }

    @Test(
        "Synthetic hands: options that have no effect are findings",
        arguments: [
            ("kind: hands, shapes: [circle]", "leave it out"), ("kind: hands, size: 3", "leave it out"),
            ("sample_hz: 30", "add draws: signatures, or leave it out"),
            ("hands: 1", "add kind: hands, or leave it out"),
            ("draws: signatures, dropouts: 0.1", "leave it out"),
            ("draws: hands", "write kind: hands or kind: landmarks"), ("kind: hands, draws: shapes", "leave draws out"),
        ])
    func conflicts(options: String, help: String) {
        let found = findings("  - tap", source: "synthetic: { \(options) }")
        #expect(found.map(\.code) == ["option.conflict"])
        #expect(found.map(\.help) == [help])
    }
}
