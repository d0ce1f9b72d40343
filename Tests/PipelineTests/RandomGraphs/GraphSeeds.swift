import Foundation

/// The seeds of the random graphs to test: as many as a test requests, or as `PIPELINE_GRAPHS` says, or only
/// `PIPELINE_GRAPH_SEED`.
enum GraphSeeds {
    private static let environment = ProcessInfo.processInfo.environment
    private static let count = environment["PIPELINE_GRAPHS"].flatMap { UInt64($0) }
    private static let only = environment["PIPELINE_GRAPH_SEED"].flatMap { UInt64($0) }

    /// - Parameter count: The default number of graphs.
    static func range(count: UInt64) -> ClosedRange<UInt64> {
        only.map { $0...$0 } ?? 1...max(1, Self.count ?? count)
    }

    /// Returns one of several equal parts of the seeds, which begin at 0. If `count` is not divisible by `parts`, the rest is left
    /// out.
    static func range(part: UInt64, of parts: UInt64, count: UInt64) -> [UInt64] {
        if let only { return part == 0 ? [only] : [] }
        let size = max(1, (Self.count ?? count) / parts)
        return Array(part * size..<(part + 1) * size)
    }
}
