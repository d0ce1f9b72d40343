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
            // A run on a busy machine allocates up to some thousands more, so the least of several runs counts. One allocation a
            // frame would be 4,000.
            var (few, many, fewServed, manyServed) = (Int.max, Int.max, Int.max, Int.max)
            var more = Int.max
            for _ in 0..<8 where more >= 1000 {
                few = min(few, try await count(counter, frames: 4000))
                many = min(many, try await count(counter, frames: 8000))
                fewServed = min(fewServed, try await count(counter, frames: 4000, "--serve=127.0.0.1:0"))
                manyServed = min(manyServed, try await count(counter, frames: 8000, "--serve=127.0.0.1:0"))
                more = abs(manyServed - fewServed - (many - few))
            }
            #expect(more < 1000, "\(more) more or fewer for 4,000 frames")
        }
    }
#endif
