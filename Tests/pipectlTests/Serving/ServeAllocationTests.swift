import Foundation
import PipelineTesting
import Testing

#if os(Linux)
    /// The allocations of a served run.
    @Suite("Allocations of a served run")
    struct ServeAllocationTests {
        private let folder: TemporaryFolder

        init() throws { folder = try TemporaryFolder() }

        /// Returns the number of allocations of a run that passes on the given number of strokes.
        private func count(
            _ counter: AllocationCounter, frames: Int, _ flags: String...
        ) async throws -> Int {
            try await counter.run(
                """
                version: 1
                sources:
                  - synthetic: { count: \(frames) }
                stages:
                  - filter: { stream: ["*"] }
                  - sample: { every: 1 }
                sinks:
                  - discard
                """, flags
            ).calls
        }

        @Test(
            "A served run without viewers allocates no more for each frame than a run that is not served",
            .enabled(if: !AllocationCounter.isSanitized, "a sanitizer replaces the allocator"))
        func frames() async throws {
            let counter = try await AllocationCounter(in: folder)
            // The counts of two runs differ by some hundreds, and by more while the machine is busy. One allocation a frame would be
            // 4,000 in each attempt.
            var more = Int.max
            for _ in 0..<3 where more >= 1000 {
                let alone = try await count(counter, frames: 8000) - count(counter, frames: 4000)
                let served =
                    try await count(counter, frames: 8000, "--serve=127.0.0.1:0")
                    - count(counter, frames: 4000, "--serve=127.0.0.1:0")
                more = abs(served - alone)
            }
            #expect(more < 1000, "\(more) more or fewer for 4,000 frames")
        }
    }
#endif
