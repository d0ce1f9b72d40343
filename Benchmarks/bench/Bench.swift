import Pipeline

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// One measurement of ours a call: prints nanoseconds an item and a check on which the yardstick must agree, as a line of
/// JSON. `Benchmarks/run.py` calls it in turn with the yardsticks.
@main
struct Bench {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard let name = arguments.first, let benchmark = benchmarks[name] else {
            let names = benchmarks.keys.sorted().joined(separator: " | ")
            end("usage: bench \(names) ARGUMENTS", code: 2)
        }
        do {
            let measured = try await benchmark(Array(arguments.dropFirst()))
            print("{\"ns\": \(measured.nanoseconds), \"items\": \(measured.items), \"check\": \(measured.check)}")
        } catch {
            end("bench \(name): \(error)", code: 1)
        }
    }

    /// Ends the program with what is wrong.
    private static func end(_ message: String, code: Int32) -> Never {
        var line = message + "\n"
        _ = line.withUTF8 { write(STDERR_FILENO, $0.baseAddress, $0.count) }
        exit(code)
    }

    private static let benchmarks: [String: @Sendable ([String]) async throws -> Measured] = [
        "chain": Chain.measure, "hop": Hop.measure, "stream": Hop.measureAsyncStream, "decode": Coding.decode,
        "encode": Coding.encode, "match": Matching.measure, "bitmaps": BitmapMatching.measure,
        "cloud": CloudMatching.measure, "spot": Spotting.measure, "hands": HandsChain.measure,
        "ink": InkDrawing.measure, "paced": Paced.measure, "mcap-write": Recordings.write,
        "mcap-read": Recordings.read,
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
    /// What is counted.
    enum Time {
        /// The time on the wall.
        case wall
        /// What this process spent computing: other programs on a busy machine do not count.
        case processor
    }

    private let clock: clockid_t
    private let began: Double

    init(_ time: Time) {
        clock = time == .wall ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID
        began = Self.now(clock)
    }

    /// How long it has run.
    var nanoseconds: Double { Self.now(clock) - began }

    private static func now(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}

/// The processor time of the quickest of some calls, in nanoseconds.
func quickest(_ rounds: Int, _ body: () throws -> Void) rethrows -> Double {
    var least = Double.infinity
    for _ in 0..<rounds {
        let clock = Stopwatch(.processor)
        try body()
        least = min(least, clock.nanoseconds)
    }
    return least
}
