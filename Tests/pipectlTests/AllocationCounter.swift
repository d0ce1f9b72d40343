import Foundation
import PipelineTesting
import Testing

#if os(Linux)
    /// Counts the allocations of runs of the program. A preloaded library replaces the system's functions for allocation.
    struct AllocationCounter {
        /// The number of allocations of a run, and the number of allocated bytes.
        struct Count {
            var calls, bytes: Int

            static func - (a: Count, b: Count) -> Count { Count(calls: a.calls - b.calls, bytes: a.bytes - b.bytes) }
        }

        /// Whether a sanitizer is loaded. A sanitizer replaces the allocator itself, so the library cannot count.
        static let isSanitized = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil

        private let folder: TemporaryFolder

        /// Compiles the library into a folder.
        init(in folder: TemporaryFolder) async throws {
            self.folder = folder
            let source = "\(Repository.root)/Benchmarks/Yardsticks/allocations.c"
            let compiled = try await Program.shell(
                "cc -O2 -shared -fPIC \"$0\" -o \"$1\"", [source, "\(folder.path)/allocations.so"])
            try #require(compiled.code == 0, "\(compiled.messages)")
        }

        /// Runs a configuration in the folder, and returns the allocations of the run.
        func run(_ configuration: String, _ flags: [String] = []) async throws -> Count {
            try folder.write("counted.yaml", configuration)
            let ending = try await Program.shell(
                "exec \"$0\" \"$@\"", [try Program.path(), "run", "-q", "counted.yaml"] + flags,
                environment: [
                    "LD_PRELOAD": "\(folder.path)/allocations.so", "ALLOCATIONS_FILE": "\(folder.path)/count.txt",
                ], folder: folder.path)
            try #require(ending.code == 0, "\(ending.messages)")
            let words = try folder.read("count.txt").split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
            try #require(words.count == 2)
            return Count(calls: words[0], bytes: words[1])
        }
    }
#endif
