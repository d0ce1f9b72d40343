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

    /// Returns one of several parts of the seeds, which begin at 0. The sizes of the parts differ by at most one.
    static func range(part: UInt64, of parts: UInt64, count: UInt64) -> [UInt64] {
        if let only { return part == 0 ? [only] : [] }
        return Self.part(part, of: parts, count: Self.count ?? count)
    }

    /// Returns every `parts`-th number below `count`, beginning with `part`.
    static func part(_ part: UInt64, of parts: UInt64, count: UInt64) -> [UInt64] {
        Array(stride(from: part, to: count, by: UInt64.Stride(parts)))
    }
}
