import Foundation
import PipelineTesting
import Testing

#if os(Linux)
    /// Counts the allocations of runs of the program, with a library that is loaded before the system's.
    struct AllocationCounter {
        /// The number of allocations of a run, and of their bytes.
        struct Count {
            var calls, bytes: Int

            static func - (a: Count, b: Count) -> Count { Count(calls: a.calls - b.calls, bytes: a.bytes - b.bytes) }
        }

        /// Whether a sanitizer is loaded. It replaces the allocator itself, so no other library can count.
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

        /// Runs a configuration in the folder.
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
