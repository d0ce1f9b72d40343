#if os(Linux)
    import PipelineTesting
    import Testing

    @Suite("Libraries that are loaded when they are needed")
    struct DeferredLibraryTests {
        private static let libraries = ["libcairo", "librdkafka", "libwebsockets", "libzmq"]

        @Test("pipectl: does not load the libraries of Kafka, ZeroMQ, drawing and serving to start")
        func loadedAtStart() async throws {
            let ending = try await Program.shell("LD_TRACE_LOADED_OBJECTS=1 exec \"$0\"", [try Program.path()])
            #expect(ending.results.contains("libyaml"))
            for library in Self.libraries { #expect(!ending.results.contains(library), "\(ending.results)") }
        }

        @Test("pipectl: names the package of a library that it cannot load, and ends with 3", arguments: libraries)
        func missing(library: String) async throws {
            let folder = try TemporaryFolder()
            // A library that is no library, under every version that the program could ask for.
            for version in 1...30 { try folder.write("\(library).so.\(version)", "") }
            let ending = try await Program.run("doctor", environment: ["LD_LIBRARY_PATH": folder.path])
            #expect(ending.code == 3)
            #expect(ending.messages.contains("\(library).so."), "\(ending.messages)")
            #expect(ending.messages.contains("  = help: apt install \(library)"), "\(ending.messages)")
        }
    }
#endif
