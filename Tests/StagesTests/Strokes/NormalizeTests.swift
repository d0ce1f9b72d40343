import Foundation
import Pipeline
import Stages
import Testing

@Suite("normalize")
struct NormalizeTests {
    private func box(_ stroke: Stroke) -> (width: Double, height: Double) {
        let (xs, ys) = (stroke.samples.map(\.x), stroke.samples.map(\.y))
        return ((xs.max() ?? 0) - (xs.min() ?? 0), (ys.max() ?? 0) - (ys.min() ?? 0))
    }

    private func centroid(_ stroke: Stroke) -> (x: Double, y: Double) {
        let n = Double(stroke.samples.count)
        return (stroke.samples.reduce(0) { $0 + $1.x } / n, stroke.samples.reduce(0) { $0 + $1.y } / n)
    }

    @Test("normalize: by default the box becomes a square of 250 about the centroid")
    func defaults() throws {
        let result = try apply(Normalize(), to: egg(at: (1000, -300)))
        #expect(abs(box(result).width - 250) < 1e-9 && abs(box(result).height - 250) < 1e-9)
        #expect(abs(centroid(result).x) < 1e-9 && abs(centroid(result).y) < 1e-9)
    }

    @Test("normalize: uniform keeps proportions, and so does box for a nearly straight line")
    func proportions() throws {
        let wide = stroke([(0, 0), (100, 50), (200, 100), (100, 100)])
        let uniform = try apply(Normalize(scale: .uniform, size: 1), to: wide)
        #expect(abs(box(uniform).width - 1) < 1e-12 && abs(box(uniform).height - 0.5) < 1e-12)
        let line = stroke([(0, 0), (50, 19), (100, 20)])
        #expect(try abs(box(apply(Normalize(), to: line)).height - 50) < 1e-9)
        let notLine = stroke([(0, 0), (50, 19), (100, 21)])
        #expect(try abs(box(apply(Normalize(), to: notLine)).height - 250) < 1e-9)
    }

    @Test("normalize: each translation puts its point at the origin")
    func translations() throws {
        let input = egg(at: (40, 50))
        let first = try apply(Normalize(translate: .first, scale: .none), to: input)
        #expect(abs(first.samples[0].x) < 1e-9 && abs(first.samples[0].y) < 1e-9)
        let boxed = try apply(Normalize(translate: .boxCenter), to: input)
        #expect(abs((boxed.samples.map(\.x).max() ?? 0) - 125) < 1e-9)
        #expect(abs((boxed.samples.map(\.y).min() ?? 0) + 125) < 1e-9)
        let stays = try apply(Normalize(translate: .none, scale: .none), to: input)
        #expect(largestDifference(stays.coordinates, input.coordinates) < 1e-9)
    }

    @Test("normalize: rotation keeps every length", arguments: [0.0, 30, 90, 135, 180, -77])
    func rotationKeepsLengths(degrees: Double) throws {
        let input = egg()
        let result = try apply(Normalize(scale: .none, rotate: .indicative, targetAngleDeg: degrees), to: input)
        for (i, j) in [(0, 1), (0, 25), (3, 40), (10, 49)] {
            let before = input.samples[i].distance(to: input.samples[j])
            #expect(abs(result.samples[i].distance(to: result.samples[j]) - before) < 1e-9)
        }
    }

    @Test(
        "normalize: indicative turns the direction from the center to the first point to the target angle",
        arguments: [0.0, 45, 180, -90])
    func indicative(target: Double) throws {
        let result = try apply(Normalize(scale: .none, rotate: .indicative, targetAngleDeg: target), to: egg())
        let first = result.samples[0]
        let radius = hypot(first.x, first.y)
        #expect(abs(first.x - radius * cos(target * .pi / 180)) < 1e-9)
        #expect(abs(first.y - radius * sin(target * .pi / 180)) < 1e-9)
    }

    @Test("normalize: snap8 turns the direction from the center to the first point to the nearest multiple of 45°")
    func snap8() throws {
        for degrees in stride(from: -170.0, through: 170, by: 20) {
            // The direction to the first point of this regular ring is `degrees`.
            let ring = stroke(
                (0..<36).map { i in
                    let angle = (Double(i) * 10 + degrees) * .pi / 180
                    return (100 * cos(angle), 100 * sin(angle))
                })
            let result = try apply(Normalize(scale: .none, rotate: .snap8), to: ring)
            let expected = (degrees / 45).rounded() * 45 * .pi / 180
            #expect(abs(result.samples[0].x - 100 * cos(expected)) < 1e-9, "\(degrees)")
            #expect(abs(result.samples[0].y - 100 * sin(expected)) < 1e-9, "\(degrees)")
        }
    }

    @Test("normalize: the $1 normal form agrees with that of an independent program")
    func peer() throws {
        let trace = try PeerTrace.load()
        for (gesture, expected) in zip(trace.gestures, trace.normal_forms) {
            let even = try apply(Resample(points: 8), to: gesture)
            let result = try apply(Normalize(rotate: .indicative), to: even)
            #expect(largestDifference(result.coordinates, expected.flatMap { $0 }) < 1e-6)
        }
    }

    @Test("normalize: hostile strokes give finite output or are refused", arguments: HostileStroke.allCases)
    func hostile(input: HostileStroke) throws {
        for rotate in input == .million ? [Normalize.Rotation.snap8] : Normalize.Rotation.allCases {
            for scale in input == .million ? [Normalize.Scaling.box] : Normalize.Scaling.allCases {
                let stage = Normalize(scale: scale, rotate: rotate)
                guard let result = try refusedOrValue({ try apply(stage, to: input.stroke) }) else { continue }
                #expect(result.samples.allSatisfy { $0.isFinite })
            }
        }
    }

    @Test("normalize: lines in every direction get the configured size")
    func lines() throws {
        for input in [HostileStroke.vertical, .horizontal, .twoPoints] {
            let result = box(try apply(Normalize(), to: input.stroke))
            #expect(abs(max(result.width, result.height) - 250) < 1e-9)
        }
    }

    @Test("Stages that reuse their output keep the bytes of each label, also of labels that are equal in Swift")
    func labels() throws {
        // The same letter as one scalar and as two.
        let labels = ["caf\u{E9}", "cafe\u{301}", nil, "caf\u{E9}"]
        func bytes(_ found: [String?]) -> [[UInt8]?] { found.map { $0.map { Array($0.utf8) } } }
        let (resample, normalize, vectorize) = (
            StageBench(Resample(points: 8)), StageBench(Normalize()), StageBench(Vectorize())
        )
        for (index, label) in labels.enumerated() {
            var drawn = egg(at: (40, 50))
            drawn.label = label
            drawn.subject = label
            let time = Timestamp.milliseconds(Int64(index))
            try resample.send(drawn, at: time)
            try normalize.send(drawn, at: time)
            try vectorize.send(drawn, at: time)
        }
        #expect(bytes(resample.output.map(\.payload.label)) == bytes(labels))
        #expect(bytes(resample.output.map(\.payload.subject)) == bytes(labels))
        #expect(bytes(normalize.output.map(\.payload.label)) == bytes(labels))
        #expect(bytes(normalize.output.map(\.payload.subject)) == bytes(labels))
        #expect(bytes(vectorize.output.map(\.payload.label)) == bytes(labels))
    }
}
