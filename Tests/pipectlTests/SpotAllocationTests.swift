import Foundation
import PipelineTesting
import Testing

#if os(Linux)
    /// The allocations of `spot`, counted by a library that is loaded before the system's.
    @Suite("Allocations of spot")
    struct SpotAllocationTests {
        private let folder: TemporaryFolder

        init() throws { folder = try TemporaryFolder() }

        /// A sanitizer replaces the allocator itself, so no other library can count.
        private static let isSanitized = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil

        /// Returns the number of allocations of a run that processes the given number of points of a wandering mouse, each of which
        /// is a frame.
        private func count(points: Int, stages: String) async throws -> Int {
            var lines = ""
            for i in 0..<points {
                let (x, y) = (700 * cos(Double(i) / 30), 400 * sin(Double(i) / 19))
                lines += "{\"v\":1,\"kind\":\"points\",\"stream\":\"mouse\",\"seq\":\(i),\"t_us\":\(8000 * i),"
                lines += "\"phase\":\"move\",\"stroke\":0,\"fields\":\"xy\",\"pts\":[\(x),\(y)]}\n"
            }
            try folder.write("points.jsonl", lines)
            try folder.write(
                "spot.yaml",
                """
                version: 1
                sources:
                  - file: { path: points.jsonl, kind: points }
                stages: \(stages)
                sinks:
                  - "null"
                """)
            let ending = try await Program.run(
                "run", "-q", "spot.yaml",
                environment: [
                    "LD_PRELOAD": "\(folder.path)/allocations.so", "ALLOCATIONS_FILE": "\(folder.path)/count.txt",
                ], folder: folder.path)
            try #require(ending.code == 0, "\(ending.messages)")
            let words = try folder.read("count.txt").split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
            return try #require(words.first)
        }

        @Test(
            "A step of spot allocates nothing in steady state",
            .enabled(if: !isSanitized, "sanitizers count allocations themselves"))
        func steps() async throws {
            let source = "\(Repository.root)/Benchmarks/Yardsticks/allocations.c"
            let compiled = try await Program.shell(
                "cc -O2 -shared -fPIC \"$0\" -o \"$1\"", [source, "\(folder.path)/allocations.so"])
            try #require(compiled.code == 0, "\(compiled.messages)")
            // Shapes that a Lissajous figure never comes near, searched for in it; and one without a single step.
            let library =
                "library: \(Repository.root)/Samples/shapes.json, category_allowlist: [star, rectangle, zigzag]"
            func growth(_ options: String) async throws -> Int {
                let stages = "[spot: { \(library)\(options) }]"
                return try await count(points: 6000, stages: stages) - count(points: 3000, stages: stages)
            }
            let (resting, stepping) = (try await growth(", step: 1e9"), try await growth(""))
            // The counts of two runs differ by a few hundred; one allocation per template would be 27,000.
            #expect(stepping - resting < 3000, "\(stepping) instead of \(resting) for 3,000 points")
        }
    }
#endif
