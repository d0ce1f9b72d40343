import Foundation
import PipelineTesting
import Testing

#if os(Linux)
    /// The allocations of a run of the program, counted by a library that is loaded before the system's.
    @Suite("Allocations of ink")
    struct InkAllocationTests {
        private let folder: TemporaryFolder

        init() throws { folder = try TemporaryFolder() }

        /// A sanitizer replaces the allocator itself, so no other library can count.
        private static let isSanitized = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil

        private struct Count {
            var calls, bytes: Int

            static func - (a: Count, b: Count) -> Count { Count(calls: a.calls - b.calls, bytes: a.bytes - b.bytes) }
        }

        /// Returns the allocations for the ink of one stroke with the given number of samples, each of which is a frame.
        private func count(samples: Int) async throws -> Count {
            var lines = ""
            for i in 0..<samples {
                let phase = i == 0 ? "begin" : i == samples - 1 ? "end" : "move"
                let (x, y) = (300 * cos(Double(i) / 20), 200 * sin(Double(i) / 19))
                lines += "{\"v\":1,\"kind\":\"points\",\"stream\":\"pen\",\"seq\":\(i),\"t_us\":\(8000 * i),"
                lines +=
                    "\"phase\":\"\(phase)\",\"stroke\":0,\"start_us\":\(8000 * i),\"fields\":\"xyt\",\"pts\":[\(x),\(y),0]}\n"
            }
            try folder.write("points.jsonl", lines)
            try folder.write(
                "ink.yaml",
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
            let ending = try await Program.run(
                "run", "-q", "ink.yaml",
                environment: [
                    "LD_PRELOAD": "\(folder.path)/allocations.so", "ALLOCATIONS_FILE": "\(folder.path)/count.txt",
                ], folder: folder.path)
            try #require(ending.code == 0, "\(ending.messages)")
            let words = try folder.read("count.txt").split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
            try #require(words.count == 2)
            return Count(calls: words[0], bytes: words[1])
        }

        @Test(
            "A piece of ink allocates the same however long its stroke has become",
            .enabled(if: !isSanitized, "sanitizers count allocations themselves"))
        func growth() async throws {
            let source = "\(Repository.root)/Benchmarks/Yardsticks/allocations.c"
            let compiled = try await Program.shell(
                "cc -O2 -shared -fPIC \"$0\" -o \"$1\"", [source, "\(folder.path)/allocations.so"])
            try #require(compiled.code == 0, "\(compiled.messages)")
            let counts = [
                try await count(samples: 2000), try await count(samples: 4000), try await count(samples: 6000),
            ]
            let (early, late) = (counts[1] - counts[0], counts[2] - counts[1])
            // If a stroke were copied or kept, the bytes would be two thirds more.
            #expect(early.calls > 0)
            #expect(Double(late.calls) < 1.05 * Double(early.calls) + 100, "\(counts)")
            #expect(Double(late.bytes) < 1.05 * Double(early.bytes) + 100_000, "\(counts)")
        }
    }
#endif
