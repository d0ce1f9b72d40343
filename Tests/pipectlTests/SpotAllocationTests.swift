import Foundation
import PipelineTesting
import Testing

#if os(Linux)
    /// The allocations of `spot`.
    @Suite("Allocations of spot")
    struct SpotAllocationTests {
        private let folder: TemporaryFolder

        init() throws { folder = try TemporaryFolder() }

        /// Returns the number of allocations of a run that processes the given number of points of a moving mouse, each a frame.
        private func count(
            _ counter: AllocationCounter, points: Int, stages: String
        ) async throws -> Int {
            var lines = ""
            for i in 0..<points {
                let (x, y) = (700 * cos(Double(i) / 30), 400 * sin(Double(i) / 19))
                lines += "{\"v\":1,\"kind\":\"points\",\"stream\":\"mouse\",\"seq\":\(i),\"t_us\":\(8000 * i),"
                lines += "\"phase\":\"move\",\"stroke\":0,\"fields\":\"xy\",\"pts\":[\(x),\(y)]}\n"
            }
            try folder.write("points.jsonl", lines)
            return try await counter.run(
                """
                version: 1
                sources:
                  - file: { path: points.jsonl, kind: points }
                stages: \(stages)
                sinks:
                  - "null"
                """
            ).calls
        }

        @Test(
            "A step of spot allocates nothing in steady state",
            .enabled(if: !AllocationCounter.isSanitized, "a sanitizer replaces the allocator"))
        func steps() async throws {
            let counter = try await AllocationCounter(in: folder)
            // The library has shapes that the Lissajous figure of the mouse never resembles. With `step: 1e9`, `spot` never makes
            // a step.
            let library =
                "library: \(Repository.root)/Samples/shapes.json, category_allowlist: [star, rectangle, zigzag]"
            func growth(_ options: String) async throws -> Int {
                let stages = "[spot: { \(library)\(options) }]"
                return try await count(counter, points: 6000, stages: stages)
                    - count(counter, points: 3000, stages: stages)
            }
            let (resting, stepping) = (try await growth(", step: 1e9"), try await growth(""))
            // The counts of two runs differ by a few hundred; one allocation per template would be 27,000.
            #expect(stepping - resting < 3000, "\(stepping) instead of \(resting) for 3,000 points")
        }
    }
#endif
