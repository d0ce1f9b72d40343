import Pipeline
import Testing

@testable import Stages

/// The reference figures come from an independent program, which stretched the same strokes without limit and joined their points
/// with lines.
@Suite("real gestures as bitmaps", .enabled(if: GestureData.isThere, "PIPELINE_DATA is not set"))
struct BitmapAccuracyTests {
    private static let mixed = Result { try evaluate("mmg", .dice) }
    private static let single = Result { try evaluate("dollar1", .dice) }

    /// Returns the accuracy in percent with 1, 3 and 9 templates, user-dependent.
    private static func evaluate(
        _ set: String, _ score: MatchBitmap.Score, maxStretch: Double = Rasterize.Options().maxStretch
    ) throws -> [Double] {
        var match = MatchBitmap.Options()
        match.score = score
        var options = EvaluationOptions()
        options.templates = [1, 3, 9]
        options.repetitions = GestureData.repetitions
        let report = try Evaluation(
            stages: [Rasterize(maxStretch: maxStretch)], matchBitmap: match, options: options)(
                try GestureData.loadItems(set))
        print(report.table)
        return report.rows.map { $0.accuracy * 100 }
    }

    private func dice(_ set: String) throws -> [Double] { try (set == "mmg" ? Self.mixed : Self.single).get() }

    @Test(
        "Bitmaps of recorded gestures: the dice score recognizes at least as well as the reference",
        arguments: [("dollar1", [91.63, 97.12, 98.73]), ("mmg", [79.26, 88.5, 93.91])])
    func reference(set: String, reference: [Double]) throws {
        let found = try dice(set)
        // The random choice of trials adds an uncertainty of 0.1 or 0.2 percentage points.
        #expect(zip(found, reference).allSatisfy { $0 >= $1 - 0.3 }, "\(found)")
        #expect(found.count == 3)
    }

    @Test(
        "Bitmaps of recorded gestures: unlimited stretch turns straight lines into noise, so fewer multistrokes are recognized"
    )
    func unlimited() throws {
        let (free, limited) = (try Self.evaluate("mmg", .dice, maxStretch: 1e9), try dice("mmg"))
        #expect(zip(free, limited).allSatisfy { $0 < $1 - 2 }, "\(free) \(limited)")
        // The figures of the reference. With a fifth of the trials, the uncertainty is one percentage point.
        #expect(zip(free, [79.26, 88.5, 93.91]).allSatisfy { abs($0 - $1) < 3 }, "\(free)")
    }

    @Test(
        "Bitmaps of recorded gestures: overlap, the score of Scribe, is below dice everywhere",
        arguments: ["dollar1", "mmg"])
    func overlap(set: String) throws {
        let (overlap, dice) = (try Self.evaluate(set, .overlap), try dice(set))
        #expect(zip(overlap, dice).allSatisfy { $0 < $1 }, "\(overlap) \(dice)")
    }
}
