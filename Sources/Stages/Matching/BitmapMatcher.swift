import CKernels
import Pipeline

/// Compares bitmaps of 64 cells by the black cells that they have in common.
///
/// The patterns of a category are grouped in runs with the same number of black cells. Within a run, every score grows with the
/// number of common cells, so one pass of a popcount kernel finds its best pattern. The number of black cells also bounds the
/// scores of a whole run, so runs are visited in order of their bounds until no other run can win. The result is exact.
/// Complexity: O(patterns visited), at memory bandwidth.
final class BitmapMatcher: TemplateMatcher {
    typealias Query = Bitmap
    typealias Template = UInt64

    static let comparesAngles = false

    /// A group of patterns of one category with the same number of black cells.
    private struct Run {
        var cells: Int
        var begin: Int
        var end: Int
    }

    private let score: MatchBitmap.Score
    private let lowestScore: Double
    private let ranksAll: Bool
    private let patterns: [UInt64]
    private let runs: [Run]
    /// The index of the first run of every category, followed by the number of runs.
    private let firstRuns: [Int]

    static func name(_ rules: MatchRules) -> String { "bitmap, \(rules.score.rawValue)" }

    static func template(of query: Bitmap) -> UInt64 { query.bits }

    static func template(ofPattern bits: UInt64) -> UInt64? { bits }

    init(templates: [[UInt64]], rules: MatchRules) throws {
        score = rules.score
        lowestScore = rules.scoreThreshold
        ranksAll = rules.ranksAll
        var patterns: [UInt64] = []
        patterns.reserveCapacity(templates.reduce(0) { $0 + $1.count })
        var runs: [Run] = []
        var firstRuns = [0]
        for category in templates {
            var byCells = [[UInt64]](repeating: [], count: UInt64.bitWidth + 1)
            for pattern in category { byCells[pattern.nonzeroBitCount].append(pattern) }
            for (cells, run) in byCells.enumerated() where !run.isEmpty {
                runs.append(Run(cells: cells, begin: patterns.count, end: patterns.count + run.count))
                patterns.append(contentsOf: run)
            }
            firstRuns.append(runs.count)
        }
        self.patterns = patterns
        self.runs = runs
        self.firstRuns = firstRuns
    }

    func rank(_ query: Bitmap, into ranking: inout [Ranked]) throws {
        let drawn = query.blackCells
        // The best and the second-best score so far. Unless more than one result is requested, lower scores do not matter.
        var (first, second) = (-1.0, -1.0)
        for category in 0..<(firstRuns.count - 1) {
            let floor = ranksAll ? min(second, lowestScore.nextDown) : second
            guard let best = best(of: category, above: floor, query.bits, drawn) else { continue }
            ranking.append(Ranked(category: category, distance: 1 - best, score: best))
            if best > first {
                (first, second) = (best, first)
            } else {
                second = max(second, best)
            }
        }
        ranking.sort { $0.distance != $1.distance ? $0.distance < $1.distance : $0.category < $1.category }
    }

    /// Returns the best score of a category, or `nil` if no score of the category is above `floor`.
    private func best(of category: Int, above floor: Double, _ query: UInt64, _ drawn: Int) -> Double? {
        let (begin, end) = (firstRuns[category], firstRuns[category + 1])
        // The bounds of runs never rise as their numbers of cells move away from the query's, in either direction. So visit the
        // runs outward from the query's number of cells.
        var more = begin
        while more < end, runs[more].cells < drawn { more += 1 }
        var fewer = more - 1
        var best = floor
        while true {
            let above = more < end ? score(min(runs[more].cells, drawn), runs[more].cells, drawn) : -1
            let below = fewer >= begin ? score(runs[fewer].cells, runs[fewer].cells, drawn) : -1
            guard max(above, below) > best else { break }
            let run: Run
            if above >= below {
                run = runs[more]
                more += 1
            } else {
                run = runs[fewer]
                fewer -= 1
            }
            best = max(best, score(mostInCommon(query, run), run.cells, drawn))
        }
        return best > floor ? best : nil
    }

    private func mostInCommon(_ query: UInt64, _ run: Run) -> Int {
        patterns.withUnsafeBufferPointer { patterns in
            guard let base = patterns.baseAddress else { return 0 }
            return Int(pk_most_bits_in_common(base + run.begin, run.end - run.begin, query))
        }
    }

    /// Returns the score of a pattern of `cells` black cells that has `common` of them in common with a query of `drawn` cells.
    private func score(_ common: Int, _ cells: Int, _ drawn: Int) -> Double {
        switch score {
        case .dice:
            // Two empty bitmaps are identical.
            cells + drawn == 0 ? 1 : Double(2 * common) / Double(cells + drawn)
        case .overlap: drawn == 0 ? 0 : Double(common) / Double(drawn)
        case .hamming: 1 - Double(cells + drawn - 2 * common) / Double(UInt64.bitWidth)
        }
    }
}
