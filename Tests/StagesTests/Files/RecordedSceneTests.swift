import Foundation
import MCAP
import Pipeline
import PipelineComponents
import PipelineConfiguration
import PipelineTesting
import Testing

@testable import Connectors
@testable import Stages

@Suite("Recordings with scenes")
struct RecordedSceneTests {
    private let folder: TemporaryFolder
    private let clock = SkippingClock()

    init() throws { folder = try TemporaryFolder() }

    private static let frames: [Frame<Stroke>] = (0..<300).map { number in
        let samples = (0..<20).map { Sample(x: Double($0 * number % 17), y: Double($0)) }
        return Frame(
            Stroke(samples: samples), at: .microseconds(Int64(1000 * number)),
            stream: number % 3 == 0 ? "pen/1" : "pen/2",
            sequence: Int64(number))
    }

    private func write(_ name: String, scene: Bool, _ change: (inout FileSink.Options) -> Void = { _ in }) async throws
        -> String
    {
        var options = FileSink.Options()
        options.path = OutputPath("\(folder.path)/\(name)")
        options.scene = scene
        change(&options)
        var sink = RecordingWriter<Stroke>(options, receipt: .asRead)
        try await sink.open(context)
        for frame in Self.frames { try sink.write(frame) }
        try await sink.close()
        return options.path.path
    }

    private var context: SinkContext { SinkContext(id: "sink", clock: clock, cancel: StopSignal(), log: .silent) }

    private func read(_ path: String, _ change: (inout FileSource.Options) -> Void = { _ in }) async throws
        -> Reading<Stroke>
    {
        var options = FileSource.Options()
        options.path = FilePath(path)
        change(&options)
        return try await drain(FileReplay<Stroke>(options, defaultStream: "file"))
    }

    /// Returns the messages of a file in order, each with its topic and the name of its schema.
    private func messages(_ path: String) throws -> [(topic: String, schema: String, message: Message)] {
        let index = try IndexedReader(try FileInput(path: path))
        var cursor = try index.messages()
        var found: [(String, String, Message)] = []
        while let message = try cursor.next() {
            let channel = try #require(index.channels[message.channelID])
            found.append((channel.topic, index.schemas[channel.schemaID]?.name ?? "", message))
        }
        return found
    }

    @Test(
        "Recordings with scenes: each message is followed by its scene, which has the same times and sequence number",
        arguments: [FileSink.Packing.none, .lz4, .zstd])
    func companions(_ packing: FileSink.Packing) async throws {
        let found = try messages(try await write("a.mcap", scene: true) { $0.compression = packing })
        #expect(found.count == 600)
        for (frame, pair) in zip(Self.frames, stride(from: 0, to: 600, by: 2).map { (found[$0], found[$0 + 1]) }) {
            let (message, scene) = pair
            #expect(message.topic == frame.stream.name && message.schema == "pipeline.stroke")
            #expect(scene.topic == "/scene/\(frame.stream.name)" && scene.schema == "foxglove.SceneUpdate")
            #expect(scene.message.logTime == message.message.logTime)
            #expect(scene.message.publishTime == message.message.publishTime)
            #expect(scene.message.sequence == message.message.sequence)
        }
    }

    @Test("Recordings with scenes: a recording with scenes is read like one without, with and without its index")
    func reading() async throws {
        let (bare, pictured) = (try await write("b.mcap", scene: false), try await write("c.mcap", scene: true))
        let bytes = try Data(contentsOf: URL(fileURLWithPath: pictured))
        let index = try IndexedReader(try FileInput(path: pictured))
        let cut = "\(folder.path)/cut.mcap"
        try bytes.prefix(Int(index.footer.summaryStart)).write(to: URL(fileURLWithPath: cut))
        let wanted = try await read(bare)
        for path in [pictured, cut] {
            let reading = try await read(path)
            #expect(reading.failures.isEmpty)
            #expect(reading.frames.map(\.payload) == Self.frames.map(\.payload))
            #expect(reading.frames.map(\.timestamp) == wanted.frames.map(\.timestamp))
            #expect(reading.frames.map(\.stream) == wanted.frames.map(\.stream))
            #expect(reading.frames.map(\.sequence) == wanted.frames.map(\.sequence))
        }
        #expect(try RecordingKinds.read(pictured) == [.stroke])
        let part = try await read(pictured) { $0.streams = ["pen/1"] }
        #expect(part.frames.count == 100)
    }

    @Test("Recordings with scenes: a recording of another kind gives a message in the log, with scenes and without")
    func wrongKind() async throws {
        for scene in [false, true] {
            var options = FileSource.Options()
            options.path = FilePath(try await write("d\(scene).mcap", scene: scene))
            let reading = try await drain(FileReplay<Hands>(options, defaultStream: "file"))
            #expect(reading.frames.isEmpty && reading.failures.isEmpty)
            #expect(reading.log.contains { $0.contains("holds no hands, only stroke") }, "\(reading.log)")
        }
    }

    @Test("Recordings with scenes: every file of a split recording has the scenes of its frames")
    func split() async throws {
        var options = FileSink.Options()
        options.path = OutputPath("\(folder.path)/e.mcap")
        options.scene = true
        let split = RecordingSplit(bytes: nil, time: 2_000_000_000)
        options.split = split
        var sink = RecordingWriter<Stroke>(options, receipt: .asRead)
        try await sink.open(context)
        for frame in Self.frames.prefix(4) {
            try sink.write(frame)
            try await clock.sleep(until: clock.now + 1_000_000_000)
        }
        try await sink.close()
        let files = split.files
        #expect(files.count == 2)
        for file in files {
            let index = try IndexedReader(try FileInput(path: file))
            #expect(index.statistics?.messageCount == 4)
            #expect(
                index.channels.values.map(\.topic).sorted() == ["/scene/pen/1", "/scene/pen/2", "pen/1", "pen/2"])
        }
    }

    @Test("Recordings with scenes: frames kept in memory are written with the same scenes")
    func ring() async throws {
        let ring = RecordingRing(last: 2_000_000_000)
        var sink = RingWriter<Stroke>(ring, receipt: .asRead, scenes: .down)
        try await sink.open(context)
        for frame in Self.frames { try sink.write(frame) }
        let kept = "\(folder.path)/f.mcap"
        #expect(try ring.save(to: kept, .zstd, now: clock.now) == 300)
        let (found, wanted) = (try messages(kept), try messages(try await write("g.mcap", scene: true)))
        #expect(found.map(\.topic) == wanted.map(\.topic) && found.map(\.schema) == wanted.map(\.schema))
        #expect(found.map(\.message.data) == wanted.map(\.message.data))
    }

    @Test("Recordings with scenes: frames count as unwritten until they are flushed, and their scenes are not counted")
    func unwritten() async throws {
        var options = FileSink.Options()
        options.path = OutputPath("\(folder.path)/h.mcap")
        options.scene = true
        var sink = RecordingWriter<Stroke>(options, receipt: .asRead)
        try await sink.open(context)
        for (number, frame) in Self.frames.prefix(10).enumerated() {
            try sink.write(frame)
            #expect(sink.unwritten == number + 1)
        }
        try await clock.sleep(until: clock.now + 1_000_000_000)
        try sink.flush()
        #expect(sink.unwritten == 0)
        try await sink.close()
    }

    @Test("Recordings with scenes: the option scene for a file in another format than MCAP is a finding")
    func findings() {
        let text =
            "version: 1\nsources:\n  - synthetic: { count: 1 }\nsinks:\n  - file: { path: a.jsonl, scene: true }\n"
        let loaded = PipelineLoader(registry: .standard).load(text: text, name: "test.yaml", baseDirectory: ".")
        #expect(loaded.diagnostics.map(\.code) == ["file.scene"], "\(loaded.diagnostics)")
    }
}
