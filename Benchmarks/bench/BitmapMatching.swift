import Pipeline
import PipelineTesting
import Stages

/// Measures successive queries against a library of 8×8 bitmaps.
enum BitmapMatching {
    /// Measures the additional time per query of a pipeline with `match_bitmap`, compared with one without.
    ///
    /// - Parameter arguments: The number of patterns, the score, and the number of queries.
    static func measure(_ arguments: [String]) async throws -> Measured {
        let count = arguments.integer(0, 1 << 20) / 1024 * 1024
        let queries = arguments.integer(2, 2000)
        var random = SplitMix64(state: 1)
        let gestures = 26
        let perGesture = (count + gestures - 1) / gestures
        var library = GestureLibrary(
            gestures: (0..<gestures).map { GestureLibrary.Gesture(name: "gesture\($0)", kind: .bitmap) })
        for i in 0..<count { library.gestures[i / perGesture].patterns.append(random.pattern()) }
        let asked = (0..<64).map { _ in Bitmap(bits: random.next() & random.next()) }
        var options = MatchBitmap.Options()
        options.score = MatchBitmap.Score(rawValue: arguments.count > 1 ? arguments[1] : "dice") ?? .dice
        options.scoreThreshold = 0
        options.categories.maxResults = 1
        let match = try MatchBitmap.comparing(with: library, options)

        let check = try await Matching.answers(asked, match)
        var without = Plan.building()
        without.add("source", source: Repeating(asked, count: queries))
        without.add("pass", stage: Emit<Bitmap>())
        without.add("sink", sink: Counting<Bitmap>())
        var with = Plan.building()
        with.add("source", source: Repeating(asked, count: queries))
        with.add("match_bitmap", stage: match)
        with.add("sink", sink: Counting<Recognition>())
        let base = try await without.nanosecondsPerFrame(queries)
        let time = try await with.nanosecondsPerFrame(queries)
        return Measured(nanoseconds: time - base, items: queries, check: check)
    }
}

extension SplitMix64 {
    /// Returns a bitmap with about a third of its cells black, like a letter.
    fileprivate mutating func pattern() -> UInt64 {
        let (a, b, c) = (next(), next(), next())
        return a & (b | c) & (next() | b)
    }
}
