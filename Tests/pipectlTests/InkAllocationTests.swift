import Foundation
import PipelineTesting
import Testing

#if os(Linux)
    /// The allocations of a run with stages for ink.
    @Suite("Allocations of ink")
    struct InkAllocationTests {
        private let folder: TemporaryFolder

        init() throws { folder = try TemporaryFolder() }

        /// Returns the allocations for the ink of one stroke with the given number of samples, each of which is a frame.
        private func count(
            _ counter: AllocationCounter, samples: Int
        ) async throws -> AllocationCounter.Count {
            var lines = ""
            for i in 0..<samples {
                let phase = i == 0 ? "begin" : i == samples - 1 ? "end" : "move"
                let (x, y) = (300 * cos(Double(i) / 20), 200 * sin(Double(i) / 19))
                lines += "{\"v\":1,\"kind\":\"points\",\"stream\":\"pen\",\"seq\":\(i),\"t_us\":\(8000 * i),"
                lines +=
                    "\"phase\":\"\(phase)\",\"stroke\":0,\"start_us\":\(8000 * i),\"fields\":\"xyt\",\"pts\":[\(x),\(y),0]}\n"
            }
            try folder.write("points.jsonl", lines)
            return try await counter.run(
                """
                version: 1
                sources:
                  - file: { path: points.jsonl, kind: points }
                stages:
                  - bezier
                  - stroke_width
                  - tessellate
                sinks:
                  - "null"
                """)
        }

        @Test(
            "A piece of ink needs the same number of allocations, however long its stroke has become",
            .enabled(if: !AllocationCounter.isSanitized, "a sanitizer replaces the allocator"))
        func growth() async throws {
            let counter = try await AllocationCounter(in: folder)
            let counts = [
                try await count(counter, samples: 2000), try await count(counter, samples: 4000),
                try await count(counter, samples: 6000),
            ]
            let (early, late) = (counts[1] - counts[0], counts[2] - counts[1])
            // If strokes were copied or kept, the later count would have two thirds more bytes.
            #expect(early.calls > 0)
            #expect(Double(late.calls) < 1.05 * Double(early.calls) + 100, "\(counts)")
            #expect(Double(late.bytes) < 1.05 * Double(early.bytes) + 100_000, "\(counts)")
        }
    }
#endif
