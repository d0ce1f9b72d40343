import Pipeline

/// One measurement of ours a call: prints nanoseconds an item and a check on which the yardstick must agree, as a line of
/// JSON. `Benchmarks/run.py` calls it in turn with the yardsticks.
@main
struct Bench {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard let name = arguments.first, let benchmark = benchmarks[name] else {
            let names = benchmarks.keys.sorted().joined(separator: " | ")
            throw PipelineError(.configuration, "bench.usage", "usage: bench \(names) ARGUMENTS")
        }
        let measured = try await benchmark(Array(arguments.dropFirst()))
        print("{\"ns\": \(measured.nanoseconds), \"items\": \(measured.items), \"check\": \(measured.check)}")
    }

    private static let benchmarks: [String: @Sendable ([String]) async throws -> Measured] = [
        "chain": Chain.measure, "hop": Hop.measure, "stream": Hop.measureAsyncStream, "decode": Coding.decode,
        "encode": Coding.encode, "match": Matching.measure, "bitmaps": BitmapMatching.measure,
    ]
}

/// What one call measured.
struct Measured {
    /// Nanoseconds an item.
    var nanoseconds: Double

    /// How many items were measured.
    var items: Int

    /// What both sides must agree on.
    var check: Double
}

extension [String] {
    /// The whole number at a place, or `standard` when there is none.
    func integer(_ index: Int, _ standard: Int) -> Int { index < count ? Int(self[index]) ?? standard : standard }
}

/// Runs from when it is made.
struct Stopwatch {
    private let began = ContinuousClock().now

    /// How long it has run.
    var nanoseconds: Double {
        let took = began.duration(to: ContinuousClock().now).components
        return Double(took.seconds) * 1e9 + Double(took.attoseconds) / 1e9
    }
}
