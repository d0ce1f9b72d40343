import Pipeline
import PipelineComponents
import PipelineTesting
import Testing

@testable import Connectors
@testable import Stages

@Suite("calibration of a library")
struct LibraryCalibrationTests {
    private let library = GestureLibrary(gestures: [
        .init(name: "across", samples: (0..<4).map { stroke([(0, 0), (50, Double($0)), (100, 0)]) }),
        .init(name: "vee", samples: (0..<4).map { stroke([(0, 0), (50 + Double($0), 100), (100, 0)]) }),
        .init(
            name: "cross",
            samples: (0..<4).map { number in
                var cross = stroke([(0, 0), (100, 100), (100, 0), (Double(number), 100)])
                cross.counts = [2, 2]
                return cross
            }),
    ])

    /// Returns the learned limits.
    private func learned() throws -> [String: Double] {
        var rules = MatchRules()
        rules.limitFactor = 1
        let templates = try library.gestures.map { try $0.samples.map(GestureCloud.init) }
        let matcher = try CloudMatcher(templates: templates, rules: rules)
        return Dictionary(
            uniqueKeysWithValues: library.gestures.enumerated().map { ($1.name, matcher.limit(of: $0, rules)) })
    }

    @Test(
        "Library calibration: without unknown gestures, limits are the learned ones times a factor measured on recorded people",
        arguments: [(0.001, 0.85, 0.94), (0.01, 0.85, 0.94), (0.035, 1.08, 1.06), (0.05, 1.18, 1.09), (0.5, 1.4, 1.2)])
    func usual(share: Double, one: Double, several: Double) throws {
        let found = try LibraryCalibration(library, falseAccept: share)
        for (name, limit) in try learned() {
            let wanted = limit * (name == "cross" ? several : one)
            #expect(abs(try #require(found.limits.distances[name]) - wanted) < 1e-9, "\(name)")
        }
        #expect(found.limits.falseAccept == share)
        #expect(!found.oneStroke.isMeasured)
    }

    @Test("Library calibration: every sample is tested once against the library without it")
    func leftOut() throws {
        let found = try LibraryCalibration(library, falseAccept: 0.05)
        #expect((found.oneStroke.gestures, found.oneStroke.tests, found.oneStroke.accepted) == (2, 8, 8))
        #expect((found.severalStrokes.gestures, found.severalStrokes.tests, found.severalStrokes.accepted) == (1, 4, 4))
    }

    @Test(
        "Library calibration: with enough unknown gestures, limits accept at most the given share, and the factor is bounded"
    )
    func unknown() throws {
        // Lines that are bent more and more, starting from nearly straight.
        let unknown = (0..<50).map { stroke([(0, 0), (50, 8 + Double($0)), (100, 0)]) }
        let strict = try LibraryCalibration(library, falseAccept: 0.1, unknownStrokes: unknown)
        #expect(strict.oneStroke.isMeasured)
        #expect(strict.oneStroke.unknownCount == 50)
        #expect(strict.oneStroke.unknownAccepted == 5)
        #expect(strict.oneStroke.factor < 1.3)
        #expect(!strict.oneStroke.isBounded)
        // Without unknown gestures, or with too few, a factor does not count as measured.
        #expect(!strict.severalStrokes.isMeasured)
        #expect(!(try LibraryCalibration(library, falseAccept: 0.01, unknownStrokes: unknown).oneStroke.isMeasured))
        let far = try LibraryCalibration(library, falseAccept: 0.1, unknownStrokes: (0..<50).map { _ in egg() })
        #expect(far.oneStroke.factor <= 1.3 * 1.4)
        #expect(far.oneStroke.unknownAccepted == 0)
    }

    @Test(
        "Library calibration: strokes of the none class are never accepted, neither unknown strokes nor samples of a gesture"
    )
    func noneClass() throws {
        var library = library
        library.gestures.append(
            .init(name: "none", samples: (0..<4).map { stroke([(0, 0), (50, 30 + Double($0)), (100, 0)]) }))
        let unknown = (0..<20).map { stroke([(0, 0), (50, 28 + Double($0) / 4), (100, 0)]) }
        let context = BuildContext(upstream: PureRun(stages: [], input: PortType(Stroke.self), above: nil))
        let stage = try #require(
            try Match.make(Match.Options(), library: library, for: PortType(Stroke.self), context)
                as? CloudStage)
        #expect(try unknown.allSatisfy { try apply(stage, to: $0).best.name == "None" })
        let found = try LibraryCalibration(library, falseAccept: 0.05, unknownStrokes: unknown)
        #expect((found.oneStroke.unknownCount, found.oneStroke.unknownAccepted) == (20, 0))
        #expect((found.oneStroke.gestures, found.oneStroke.tests, found.oneStroke.accepted) == (2, 8, 8))
        // One of 20 may be accepted. All are infinitely far, so only the bound of the factor remains.
        #expect(found.oneStroke.isMeasured && found.oneStroke.isBounded)
        #expect(abs(found.oneStroke.factor - 1.3 * 1.18) < 1e-9)
        // Twenty unknown strokes are enough for a confidence.
        #expect(found.confidence != nil)
        // A sample that is nearer to the none class than to its own gesture is not recognized.
        library.gestures[0].samples.append(stroke([(0, 0), (50, 31), (100, 0)]))
        let stray = try LibraryCalibration(library, falseAccept: 0.05)
        #expect((stray.oneStroke.tests, stray.oneStroke.accepted) == (9, 8))
    }

    @Test("Library calibration: a stroke nearest to the none class counts for the kind of its nearest gesture")
    func kindOfNone() throws {
        func crossed(_ y: Double) -> Stroke {
            var cross = stroke([(0, 0), (100, 100), (100, y), (0, 100)])
            cross.counts = [2, 2]
            return cross
        }
        var library = library
        // The none class has samples of both kinds.
        library.gestures.append(
            .init(name: "none", samples: [30, 32].map { stroke([(0, 0), (50, $0), (100, 0)]) } + [crossed(30)]))
        let unknown = (0..<6).map { stroke([(0, 0), (50, 30 + Double($0) / 4), (100, 0)]) }
        let crosses = (0..<4).map { crossed(30 + Double($0) / 4) }
        let found = try LibraryCalibration(library, falseAccept: 0.2, unknownStrokes: unknown + crosses)
        #expect((found.oneStroke.unknownCount, found.oneStroke.unknownAccepted) == (6, 0))
        #expect((found.severalStrokes.unknownCount, found.severalStrokes.unknownAccepted) == (4, 0))
        // One of six is at least a fifth. None of four is.
        #expect((found.oneStroke.isMeasured, found.severalStrokes.isMeasured) == (true, false))
    }

    @Test("Library calibration: any share of unknown gestures gives limits", arguments: [1, 2, .infinity, -1, .nan])
    func anyShare(share: Double) throws {
        let unknown = (0..<50).map { stroke([(0, 0), (50, 8 + Double($0)), (100, 0)]) }
        let found = try LibraryCalibration(library, falseAccept: share, unknownStrokes: unknown)
        // No more than 1.3 times the usual factor.
        #expect(found.oneStroke.isMeasured == (share >= 1))
        #expect(abs(found.oneStroke.factor - 1.3 * 1.4) < 1e-9 || share < 1 || share.isNaN)
        #expect(found.oneStroke.isBounded == (share >= 1))
    }

    @Test("Library calibration: limits are written with the library, and used by match until its samples change")
    func stored() throws {
        let bent = stroke([(0, 0), (50, 12), (100, 0)])
        func found(_ library: GestureLibrary) throws -> (name: String, warnings: [String]) {
            let context = BuildContext(upstream: PureRun(stages: [], input: PortType(Stroke.self), above: nil))
            let stage = try Match.make(Match.Options(), library: library, for: PortType(Stroke.self), context)
            let name = try apply(try #require(stage as? CloudStage), to: bent).best.name
            return (name, context.decoding.findings.diagnostics.map(\.code))
        }
        #expect(try found(library) == ("across", []))
        var strict = library
        strict.limits = GestureLibrary.Limits(
            falseAccept: 0.01, distances: ["across": 0.001, "vee": 0.01, "cross": 0.01],
            fingerprint: library.fingerprint)
        strict = try GestureLibrary(json: try strict.json())
        #expect(strict.limits?.distances == ["across": 0.001, "vee": 0.01, "cross": 0.01])
        #expect(try found(strict) == ("None", []))
        strict.limits?.distances["across"] = 5
        #expect(try found(strict) == ("across", []))
        strict.limits?.distances["across"] = 0.001
        strict.gestures[1].samples.removeLast()
        #expect(try found(strict) == ("across", ["match.stale_limits"]))
    }

    @Test(
        "Library calibration: the fingerprint changes with names, points and strokes, but not when the library is written and read"
    )
    func fingerprint() throws {
        #expect(try GestureLibrary(json: try library.json()).fingerprint == library.fingerprint)
        var changed = library
        changed.gestures[0].name = "line"
        #expect(changed.fingerprint != library.fingerprint)
        changed = library
        changed.gestures[0].samples[0].samples[0].x += 1e-9
        #expect(changed.fingerprint != library.fingerprint)
        changed = library
        changed.gestures[2].samples[0].counts = [1, 3]
        #expect(changed.fingerprint != library.fingerprint)
    }

    @Test(
        "Library calibration: a library without strokes cannot be calibrated, and one with invalid limits cannot be read"
    )
    func refused() {
        #expect(throws: PipelineError.self) { try LibraryCalibration(GestureLibrary(), falseAccept: 0.01) }
        for limits in [
            #"{"fingerprint":"0123","distances":{}}"#,
            #"{"fingerprint":"0123456789abcdef","distances":{"a":-1}}"#, #"{"distance":{}}"#,
        ] {
            let json = "{\"version\":1,\"limits\":\(limits),\"gestures\":[]}"
            #expect(throws: PipelineError.self) { try GestureLibrary(json: Array(json.utf8)) }
        }
    }
}
