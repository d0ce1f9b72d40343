import Testing

@testable import Connectors
@testable import Stages

#if canImport(Glibc)
    import Glibc
#endif

@Suite("The confidence of a match")
struct MatchConfidenceTests {
    @Test("Confidence of a match: confidence falls with distance, and at the limit the odds are those of the bias")
    func monotone() {
        let function = MatchConfidence(bias: 0.5, slope: 9)
        let values = stride(from: 0.0, through: 3, by: 0.05).map(function.probability)
        #expect(zip(values, values.dropFirst()).allSatisfy { $0 >= $1 })
        #expect(values.allSatisfy { (0...1).contains($0) })
        #expect(abs(function.probability(at: 1) - 1 / (1 + exp(-0.5))) < 1e-4)
        #expect(function.probability(at: .infinity) == 0 && function.probability(at: 0) > 0.999)
    }

    @Test(
        "Confidence of a match: a fit to many matches finds their parameters, and a fit to no match gives the default"
    )
    func fitted() {
        #expect(MatchConfidence.fitted(to: []) == .cloud)
        let truth = MatchConfidence(bias: -0.7, slope: 6)
        var random = SplitMix64(seed: 11)
        func uniform() -> Double { Double(random.next() >> 11) / Double(1 << 53) }
        let cases = (0..<20_000).map { _ in
            let ratio = 2 * uniform()
            return MatchConfidence.Case(ratio: ratio, isRight: uniform() < truth.probability(at: ratio), weight: 1)
        }
        let found = MatchConfidence.fitted(to: cases)
        #expect(abs(found.bias - truth.bias) < 0.15 && abs(found.slope - truth.slope) < 0.4, "\(found)")
        // A case with twice the weight equals two cases.
        let weighted = cases.prefix(200).map { MatchConfidence.Case(ratio: $0.ratio, isRight: $0.isRight, weight: 2) }
        let fromRepeats = MatchConfidence.fitted(to: Array(cases.prefix(200) + cases.prefix(200)))
        let fromWeights = MatchConfidence.fitted(to: weighted)
        #expect(abs(fromWeights.bias - fromRepeats.bias) < 1e-6 && abs(fromWeights.slope - fromRepeats.slope) < 1e-6)
    }

    private var library: GestureLibrary {
        GestureLibrary(gestures: [
            .init(name: "line", samples: [stroke([(0, 0), (100, 0)]), stroke([(0, 0), (100, 4)])]),
            .init(
                name: "vee", samples: [stroke([(0, 0), (50, 80), (100, 0)]), stroke([(0, 0), (55, 80), (100, 4)])]),
        ])
    }

    @Test(
        "Confidence of a match: a gesture of the library has a high confidence, and so has None for a stroke like nothing in it"
    )
    func extremes() throws {
        let stage = try Match.cloud(library)
        let known = try apply(stage, to: stroke([(0, 0), (52, 81), (100, 1)]))
        #expect(known.best.name == "vee" && (known.confidence ?? 0) > 0.97)
        let strange = try apply(stage, to: stroke([(0, 0), (100, 0), (0, 100), (100, 100), (0, 0)]))
        #expect(strange.best.index == -1 && (strange.confidence ?? 0) > 0.9)
    }

    @Test(
        "Confidence of a match: a limit factor changes the answer, but not the probability that the nearest gesture is right"
    )
    func strictness() throws {
        let query = stroke([(0, 0), (40, 70), (100, 20)])
        var confidences: [Double] = []
        for factor in [0.1, 1, 10] {
            var options = Match.Options()
            options.limitFactor = factor
            let said = try apply(try Match.cloud(library, options), to: query)
            confidences.append(said.best.index < 0 ? 1 - (said.confidence ?? 0) : said.confidence ?? 0)
        }
        #expect(confidences.allSatisfy { abs($0 - confidences[0]) < 2e-4 }, "\(confidences)")
        var options = Match.Options()
        options.maxDistance = 0.5
        #expect(try apply(try Match.cloud(library, options), to: query).confidence == nil)
    }

    @Test(
        "Confidence of a match: calibration with many unknown strokes fits a function, which the library stores"
    )
    func stored() throws {
        var library = library
        let unknown = (0..<30).map { number in
            stroke([(0, 0), (Double(number), 90), (100, Double(10 * number)), (0, 30)])
        }
        #expect(
            try LibraryCalibration(library, falseAccept: 0.05, unknownStrokes: Array(unknown.prefix(5))).confidence
                == nil)
        let calibration = try LibraryCalibration(library, falseAccept: 0.05, unknownStrokes: unknown)
        let confidence = try #require(calibration.confidence)
        library.limits = calibration.limits
        #expect(try GestureLibrary(json: library.json()).limits?.confidence == confidence)
    }
}
