import Foundation
import PipelineTesting
import Testing

#if os(Linux)
    /// The allocations of a served run, counted by a library that is loaded before the system's.
    @Suite("Allocations of a served run")
    struct ServeAllocationTests {
        private let folder: TemporaryFolder

        init() throws { folder = try TemporaryFolder() }

        /// A sanitizer replaces the allocator itself, so no other library can count.
        private static let isSanitized = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil

        /// Returns the number of allocations of a run that passes on the given number of strokes.
        private func count(frames: Int, _ flags: String...) async throws -> Int {
            try folder.write(
                "strokes.yaml",
                """
                version: 1
                sources:
                  - synthetic: { count: \(frames) }
                stages:
                  - filter: { stream: ["*"] }
                  - sample: { every: 1 }
                sinks:
                  - discard
                """)
            let ending = try await Program.shell(
                "exec \"$0\" \"$@\"", [try Program.path(), "run", "-q", "strokes.yaml"] + flags,
                environment: [
                    "LD_PRELOAD": "\(folder.path)/allocations.so", "ALLOCATIONS_FILE": "\(folder.path)/count.txt",
                ], folder: folder.path)
            try #require(ending.code == 0, "\(ending.messages)")
            let words = try folder.read("count.txt").split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
            return try #require(words.first)
        }

        @Test(
            "no more for each frame than one that is not served, while nobody looks",
            .enabled(if: !isSanitized, "sanitizers count allocations themselves"))
        func frames() async throws {
            let source = "\(Repository.root)/Benchmarks/Yardsticks/allocations.c"
            let compiled = try await Program.shell(
                "cc -O2 -shared -fPIC \"$0\" -o \"$1\"", [source, "\(folder.path)/allocations.so"])
            try #require(compiled.code == 0, "\(compiled.messages)")
            let alone = try await count(frames: 8000) - count(frames: 4000)
            let served =
                try await count(frames: 8000, "--serve=127.0.0.1:0") - count(frames: 4000, "--serve=127.0.0.1:0")
            // The counts of two runs differ by a few hundred; one allocation per frame would be 4,000.
            #expect(abs(served - alone) < 1000, "\(served) instead of \(alone) for 4,000 frames")
        }
    }
#endif
