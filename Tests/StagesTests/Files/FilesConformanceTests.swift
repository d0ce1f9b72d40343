import Pipeline
import PipelineComponents
import PipelineTesting
import Testing

@testable import Connectors
@testable import Stages

@Suite("Files and synthetic strokes keep the promises of components")
struct FilesConformanceTests {
    @Test(
        "Manifests of file and synthetic components are complete, with valid examples",
        arguments: [
            ("file", Plan.Role.source), ("stdin", .source), ("synthetic", .source), ("stdout", .sink),
            ("file", .sink), ("null", .sink),
        ])
    func manifests(_ name: String, _ role: Plan.Role) throws {
        let entry = try #require(Registry.standard.entry(name, role))
        #expect(ManifestConformance.violations(of: entry, in: .standard, baseDirectory: ".") == [])
    }

    @Test("File sources of JSON Lines, tables and gesture files, and synthetic sources, keep the promises of sources")
    func sources() async throws {
        let folder = try TemporaryFolder()
        try folder.write("a.jsonl", (1..<60).map { FileSourceTests.line($0) }.joined(separator: "\n"))
        try folder.write("b.csv", "gesture,x,y,t\n" + (0..<90).map { "\($0 / 3),\($0),1,\($0)\n" }.joined())
        for i in 0..<6 {
            try folder.write("c/\(i).xml", "<Gesture Name='a\(i)'><Point X='1' Y='2' T='3'/></Gesture>")
        }
        for path in ["a.jsonl", "b.csv", "c"] {
            let found = try await SourceConformance {
                try fileSource("\(folder.path)/\(path)") { $0.decode.tUnit = .s }
            }.violations()
            #expect(found == [], "\(path)")
        }
        for kind in SyntheticSource.OutputKind.allCases {
            var options = SyntheticSource.Options()
            (options.kind, options.count) = (kind, 8)
            let found = try await SourceConformance { [options] in
                try SyntheticSource.make(options, BuildContext(id: "synthetic"))
            }.violations()
            #expect(found == [], "\(kind)")
        }
    }

    @Test("A file source at the recorded speed does not wait an hour for the next frame after a request to stop")
    func waiting() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(
            "a.jsonl", [1, 3_600_000_000].map { FileSourceTests.line($0) }.joined(separator: "\n"))
        var options = FileSource.Options()
        options.path = FilePath(path)
        options.rate = .times(1)
        var source = FileReplay<Stroke>(options, defaultStream: "file")
        let clock = StoppingClock()
        try await source.open(
            SourceContext(id: "file", clock: clock, stop: clock.stop, progress: Progress(), log: .silent))
        var batch = SourceBatch<Stroke>()
        #expect(try await source.read(into: &batch))
        #expect(batch.items.count == 1)
        batch.removeAll()
        let began = clock.now
        #expect(!clock.stop.isRequested)
        #expect(try await !source.read(into: &batch))
        #expect(clock.stop.isRequested)
        #expect(batch.isEmpty)
        #expect(clock.now - began < 1_000_000_000)
        await source.close()
    }
}

/// A clock that never waits, and requests a stop when something begins to wait.
private final class StoppingClock: RunClock {
    let stop = StopSignal()
    private let clock = SkippingClock()

    var now: Int64 { clock.now }

    func sleep(until deadline: Int64) async throws {
        stop.request()
        try await clock.sleep(until: deadline)
    }
}
