import Pipeline

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Runs one measurement of the framework per call. Prints one line of JSON with the nanoseconds per item and a check value, which
/// must equal the yardstick's check value. `Benchmarks/run.py` alternates between this program and the yardsticks.
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

    /// Prints an error message and ends the program.
    private static func end(_ message: String, code: Int32) -> Never {
        var line = message + "\n"
        _ = line.withUTF8 { write(STDERR_FILENO, $0.baseAddress, $0.count) }
        exit(code)
    }

    private static let benchmarks: [String: @Sendable ([String]) async throws -> Measured] = [
        "chain": Chain.measure, "hop": Hop.measure, "stream": Hop.measureAsyncStream, "decode": Coding.decode,
        "encode": Coding.encode, "shapes": Shapes.decode, "match": Matching.measure, "bitmaps": BitmapMatching.measure,
        "cloud": CloudMatching.measure, "spot": Spotting.measure, "hands": HandsChain.measure,
        "ink": InkDrawing.measure, "paced": Paced.measure, "mcap-write": Recordings.write,
        "mcap-read": Recordings.read,
    ]
}

/// The result of one measurement.
struct Measured {
    /// The nanoseconds per item.
    var nanoseconds: Double

    /// The number of items measured.
    var items: Int

    /// The check value, which must be the same on both sides.
    var check: Double
}

extension [String] {
    /// Returns the whole number at an index, or `standard` if there is none.
    func integer(_ index: Int, _ standard: Int) -> Int { index < count ? Int(self[index]) ?? standard : standard }
}

/// A stopwatch that starts when it is created.
struct Stopwatch {
    /// The kind of time that is measured.
    enum Time {
        /// Wall-clock time.
        case wall
        /// The processor time of this process. Other programs on a busy machine do not affect it.
        case processor
    }

    private let clock: clockid_t
    private let began: Double

    init(_ time: Time) {
        clock = time == .wall ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID
        began = Self.now(clock)
    }

    /// The time since the start, in nanoseconds.
    var nanoseconds: Double { Self.now(clock) - began }

    private static func now(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }
}

/// Returns the processor time of the fastest of several calls, in nanoseconds.
func quickest(_ rounds: Int, _ body: () throws -> Void) rethrows -> Double {
    var least = Double.infinity
    for _ in 0..<rounds {
        let clock = Stopwatch(.processor)
        try body()
        least = min(least, clock.nanoseconds)
    }
    return least
}
