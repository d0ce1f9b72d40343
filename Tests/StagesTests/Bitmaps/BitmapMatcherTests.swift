import CKernels
import Pipeline
import Testing

@testable import Stages

@Suite("comparing bitmaps")
struct BitmapMatcherTests {
    private func rules(_ score: MatchBitmap.Score, threshold: Double = 0, most: Int = -1) -> MatchRules {
        MatchRules(scoreThreshold: threshold, score: score, maxResults: most)
    }

    private func rank(_ templates: [[UInt64]], _ query: UInt64, _ rules: MatchRules) throws -> [Ranked] {
        var ranking: [Ranked] = []
        try BitmapMatcher(templates: templates, rules: rules).rank(Bitmap(bits: query), into: &ranking)
        return ranking
    }

    @Test(
        "Comparing bitmaps: scores are those worked out by hand",
        arguments: [
            // 4 drawn cells, 8 in the pattern, 4 in both.
            (0xFF, 0x0F, 2.0 * 4 / 12, 1.0, 60.0 / 64),
            // 8 drawn cells, 4 in the pattern.
            (0x0F, 0xFF, 2.0 * 4 / 12, 0.5, 60.0 / 64),
            (0xF0, 0x0F, 0, 0, 56.0 / 64),
            (.max, .max, 1, 1, 1),
            // An empty bitmap equals an empty bitmap, and no other one.
            (0, 0, 1, 0, 1),
            (0, 0xF, 0, 0, 60.0 / 64),
            (0xF, 0, 0, 0, 60.0 / 64),
        ] as [(UInt64, UInt64, Double, Double, Double)])
    func scores(pattern: UInt64, drawn: UInt64, dice: Double, overlap: Double, hamming: Double) throws {
        #expect(try rank([[pattern]], drawn, rules(.dice)).map(\.score) == [dice])
        #expect(try rank([[pattern]], drawn, rules(.overlap)).map(\.score) == [overlap])
        #expect(try rank([[pattern]], drawn, rules(.hamming)).map(\.score) == [hamming])
    }

    @Test(
        "Comparing bitmaps: the ranking equals a comparison with every pattern, with ties in library order",
        arguments: MatchBitmap.Score.allCases)
    func bruteForce(score: MatchBitmap.Score) throws {
        var random = SplitMix64(seed: 9)
        for round in 0..<200 {
            // Returns a sparse, medium or dense bitmap. Some bitmaps are equal.
            func bitmap() -> UInt64 {
                switch random.below(4) {
                case 0: random.next() & random.next() & random.next()
                case 1: random.next() | random.next()
                case 2: UInt64(random.below(4))
                default: random.next()
                }
            }
            let templates = (0..<(1 + random.below(6))).map { _ in (0..<(1 + random.below(40))).map { _ in bitmap() } }
            let query = bitmap()
            func compare(_ pattern: UInt64) -> Double {
                let (a, b) = (query.nonzeroBitCount, pattern.nonzeroBitCount)
                let common = (query & pattern).nonzeroBitCount
                switch score {
                case .dice: return a + b == 0 ? 1 : Double(2 * common) / Double(a + b)
                case .overlap: return a == 0 ? 0 : Double(common) / Double(a)
                case .hamming: return Double(64 - (query ^ pattern).nonzeroBitCount) / 64
                }
            }
            let best: [Double] = templates.map { $0.map(compare).max() ?? 0 }
            let order: [Int] = best.indices.sorted { best[$0] != best[$1] ? best[$0] > best[$1] : $0 < $1 }
            let scores: [Double] = order.map { best[$0] }
            let all = try rank(templates, query, rules(score))
            #expect(all.map(\.category) == order, "round \(round)")
            #expect(all.map(\.score) == scores, "round \(round)")
            // The two nearest categories are exact for any threshold and any limit of results, and so is everything above the
            // threshold.
            for (threshold, most) in [(0, 1), (0.5, 1), (0.5, -1), (0.9, 3)] as [(Double, Int)] {
                let some = try rank(templates, query, rules(score, threshold: threshold, most: most))
                #expect(some.prefix(2).map(\.category) == Array(order.prefix(2)), "round \(round)")
                #expect(some.prefix(2).map(\.score) == Array(scores.prefix(2)), "round \(round)")
                let wanted = order.filter { best[$0] >= threshold }.prefix(most < 0 ? .max : most)
                let found = some.filter { $0.score >= threshold }.map(\.category)
                #expect(found.starts(with: wanted), "round \(round)")
            }
        }
    }

    @Test("Comparing bitmaps: every variant of the kernel gives the same result for any number of patterns")
    func variants() {
        var random = SplitMix64(seed: 2)
        for count in Array(0...70) + [1000, 4097] {
            let patterns = (0..<count).map { _ in random.next() & random.next() }
            for query in [random.next(), 0, .max, 1 << 63] {
                let expected = patterns.map { ($0 & query).nonzeroBitCount }.max() ?? 0
                #expect(Int(pk_most_bits_in_common(patterns, count, query)) == expected)
                for variant in 0...2 {
                    let found = pk_most_bits_in_common_variant(Int32(variant), patterns, count, query)
                    #expect(Int(found) == expected, "variant \(variant), \(count) patterns")
                }
            }
        }
        #expect(pk_most_bits_in_common([.max], 1, .max) == 64)
    }

    @Test("Comparing bitmaps: overlap favors a pattern that is black all over, dice does not")
    func densityBias() throws {
        let cross: UInt64 = 0x0808_0808_FF08_0808
        let nearlyCross = cross & ~0x0800_0000_0000_0000 | 0x1000_0000_0000_0000
        let templates: [[UInt64]] = [[nearlyCross], [.max]]
        #expect(try rank(templates, cross, rules(.overlap)).map(\.category) == [1, 0])
        #expect(try rank(templates, cross, rules(.dice)).map(\.category) == [0, 1])
        #expect(try rank(templates, cross, rules(.hamming)).map(\.category) == [0, 1])
    }
}
