import Foundation
import MCAP
import Pipeline
import PipelineComponents
import PipelineConfiguration
import PipelineTesting
import Testing

@testable import Connectors
@testable import Stages

@Suite("MCAP recordings as sources and sinks")
struct MCAPFileTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static func strokes(_ count: Int) -> [Frame<Stroke>] {
        var frames: [Frame<Stroke>] = []
        for i in 0..<count {
            let start = Timestamp.microseconds(Int64(i) * 10)
            let sample = Sample(x: Double(i) / 4, y: 0.5, t: 3)
            let stroke = Stroke(samples: [sample], start: start, fields: .time, label: "a")
            let stream: StreamID = i % 2 == 0 ? "pen/1" : "pen/2"
            frames.append(
                Frame(stroke, at: start.advanced(byMicroseconds: 3), stream: stream, sequence: Int64(i / 2)))
        }
        return frames
    }

    private func write(_ frames: [Frame<Stroke>], _ name: String, _ change: (inout FileSink.Options) -> Void = { _ in })
        async throws -> String
    {
        var options = FileSink.Options()
        options.path = OutputPath("\(folder.path)/\(name)")
        change(&options)
        var sink = try FileSink.make(options, for: PortType(Stroke.self), BuildContext()) as any Sink
        try await Self.feed(&sink, frames)
        return options.path.path
    }

    private static func feed(_ sink: inout any Sink, _ frames: [Frame<Stroke>]) async throws {
        func feed<S: Sink>(_ sink: S) async throws {
            var sink = sink
            try await sink.open(SinkContext(id: "sink", clock: SkippingClock(), cancel: StopSignal(), log: .silent))
            for frame in frames {
                if let frame = frame as? Frame<S.Input> { try sink.write(frame) }
            }
            try await sink.close()
        }
        try await feed(sink)
    }

    private func read(_ path: String, _ change: (inout FileSource.Options) -> Void = { _ in }) async throws -> Reading<
        Stroke
    > {
        var options = FileSource.Options()
        options.path = FilePath(path)
        change(&options)
        return try await drain(FileReplay<Stroke>(options, defaultStream: "file"))
    }

    @Test(
        "Recordings: frames come back as they were written, for every format and compression",
        arguments: [
            "a.mcap", "a.jsonl.gz", "a.jsonl.zst", "a.msgpack.gz", "a.msgpack.zst", "a.jsonl", "a.msgpack",
        ])
    func roundTrip(_ name: String) async throws {
        let frames = Self.strokes(500)
        let reading = try await read(try await write(frames, name))
        #expect(reading.failures.isEmpty)
        #expect(reading.frames.map(\.payload) == frames.map(\.payload))
        #expect(reading.frames.map(\.timestamp) == frames.map(\.timestamp))
        #expect(reading.frames.map(\.stream) == frames.map(\.stream))
        #expect(reading.frames.map(\.sequence) == frames.map(\.sequence))
    }

    @Test(
        "MCAP recordings: chunks are compressed as configured",
        arguments: [FileSink.Packing.none, .zstd, .lz4, .auto])
    func packing(_ packing: FileSink.Packing) async throws {
        let path = try await write(Self.strokes(2000), "b.mcap") { $0.compression = packing }
        let index = try IndexedReader(try FileInput(path: path))
        #expect(index.statistics?.messageCount == 2000)
        let known: [FileSink.Packing: Compression] = [.none: .none, .zstd: .zstd, .lz4: .lz4, .auto: .zstd]
        #expect(Set(index.chunkIndexes.map(\.compression)) == [known[packing]])
        #expect(try await read(path).frames.count == 2000)
    }

    @Test(
        "MCAP recordings: each stream is a channel with a JSON schema, and publish times are the timestamps of the frames"
    )
    func channels() async throws {
        let path = try await write(Self.strokes(4), "c.mcap")
        let index = try IndexedReader(try FileInput(path: path))
        #expect(index.channels.values.map(\.topic).sorted() == ["pen/1", "pen/2"])
        #expect(index.channels.values.allSatisfy { $0.messageEncoding == "json" })
        let schema = try #require(index.schemas.values.first)
        #expect(schema.name == "pipeline.stroke" && schema.encoding == "jsonschema")
        let object = try JSONSerialization.jsonObject(with: Data(schema.data)) as? [String: Any]
        let properties = try #require(object?["properties"] as? [String: Any])
        var cursor = try index.messages()
        var times: [UInt64] = []
        while let message = try cursor.next() {
            times.append(message.publishTime)
            let keys = try #require(try JSONSerialization.jsonObject(with: Data(message.data)) as? [String: Any]).keys
            // The schema contains everything that a message contains.
            #expect(keys.allSatisfy { properties[$0] != nil }, "\(keys.sorted())")
        }
        #expect(times == [3000, 13000, 23000, 33000])
    }

    @Test("MCAP recordings: with pace arrival, a replay follows the log times, which may differ from the frames' times")
    func logTimes() async throws {
        let path = "\(folder.path)/logged.mcap"
        let writer = try Writer(try FileOutput(path: path))
        try writer.add(Schema(id: 1, name: "pipeline.stroke", encoding: "jsonschema", data: Array("{}".utf8)))
        try writer.add(Channel(id: 1, schemaID: 1, topic: "pen", messageEncoding: "json"))
        let came: [UInt64] = [0, 40, 300, 310]
        for (number, moment) in came.enumerated() {
            let text =
                "{\"v\":1,\"kind\":\"stroke\",\"seq\":\(number),\"t_us\":\(number * 1000),\"recv_us\":7,\"fields\":\"xy\",\"pts\":[1,2]}"
            try writer.write(
                Message(
                    channelID: 1, sequence: UInt32(number), logTime: 1_700_000_000_000_000_000 + moment * 1_000_000,
                    publishTime: UInt64(number) * 1_000_000, data: ArraySlice(text.utf8)))
        }
        try writer.finish()
        var options = FileSource.Options()
        options.path = FilePath(path)
        options.rate = .times(2)
        options.pace = .arrival
        let reading = try await drain(FileReplay<Stroke>(options, defaultStream: "file"))
        #expect(reading.times.map { ($0 - reading.times[0]) / 1_000_000 } == [0, 20, 150, 155])
        options.startOffsetMs = 30
        options.durationMs = 275
        let part = try await drain(FileReplay<Stroke>(options, defaultStream: "file"))
        #expect(part.frames.map(\.sequence) == [1, 2])
    }

    @Test("MCAP recordings: a time range by log times gives its frames even if a message without a hand comes first")
    func windowBehindEmpty() async throws {
        let hand = "{\"t\":0.5,\"hands\":[[" + (0..<21).map { "[\($0),0,0]" }.joined(separator: ",") + "]]}"
        let path = try foreign("json", ["{\"t\":0,\"hands\":[]}"] + Array(repeating: hand, count: 4))
        var options = FileSource.Options()
        options.path = FilePath(path)
        options.pace = .arrival
        (options.decode.points, options.decode.t, options.decode.tUnit) = (
            [try FieldPath("hands[*]")], [try FieldPath("t")], .s
        )
        // The log times are 2, 4, … ms.
        (options.startOffsetMs, options.durationMs) = (2, 4)
        let reading = try await drain(FileReplay<Hands>(options, defaultStream: "file"))
        #expect(reading.failures.isEmpty)
        #expect(reading.frames.count == 3)
    }

    @Test("MCAP recordings: only the selected streams and times are read")
    func selection() async throws {
        let path = try await write(Self.strokes(100), "d.mcap")
        let reading = try await read(path) {
            $0.streams = ["pen/2"]
            $0.startOffsetMs = 0.5
        }
        #expect(!reading.frames.isEmpty)
        #expect(reading.frames.allSatisfy { $0.stream == "pen/2" && $0.timestamp >= .microseconds(503) })
    }

    @Test(
        "MCAP recordings: the line of a frame counts the messages that are read, with an index and without",
        arguments: [[], ["pen/2"]])
    func numbers(_ streams: [String]) async throws {
        let path = try await write(Self.strokes(6000), "n.mcap") { $0.compression = .none }
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let cut = "\(folder.path)/cut.mcap"
        try bytes.prefix(bytes.count / 2).write(to: URL(fileURLWithPath: cut))
        for path in [path, cut] {
            let reading = try await read(path) {
                $0.streams = streams
                $0.origin = true
            }
            #expect(reading.frames.count > 600)
            #expect(reading.frames.map { $0.origin?.line } == (1...Int64(reading.frames.count)).map { $0 })
            #expect(reading.frames.allSatisfy { $0.origin?.file == fileName(path) })
        }
    }

    /// Returns the path of a new file as another program would write it, with one channel.
    private func foreign(
        _ encoding: String, _ messages: [String], topic: String = "/hand",
        _ change: (inout WriterOptions) -> Void = { _ in }
    ) throws -> String {
        let path = "\(folder.path)/foreign-\(encoding).mcap"
        var options = WriterOptions()
        change(&options)
        let writer = try Writer(try FileOutput(path: path), options)
        try writer.add(Channel(id: 7, topic: topic, messageEncoding: encoding))
        for (number, text) in messages.enumerated() {
            let times = (log: UInt64(number + 1) * 2_000_000, publish: UInt64(number + 1) * 1_000_000)
            try writer.write(
                Message(
                    channelID: 7, sequence: UInt32(number), logTime: times.log, publishTime: times.publish,
                    data: ArraySlice(text.utf8)))
        }
        try writer.finish()
        return path
    }

    @Test("MCAP recordings: messages of other programs are mapped, and get their publish times as timestamps")
    func mapped() async throws {
        let path = try foreign("json", ["{\"line\":[[0,1],[2,3]]}", "{\"line\":[[4,5],[6,7]]}"])
        let line = try FieldPath("line")
        let reading = try await read(path) {
            $0.decode.points = [line]
            $0.origin = true
        }
        #expect(reading.failures.isEmpty)
        #expect(reading.frames.map { $0.origin?.line } == [1, 2])
        #expect(reading.frames.map(\.stream) == ["/hand", "/hand"])
        #expect(reading.frames.map(\.timestamp) == [.microseconds(1000), .microseconds(2000)])
        #expect(reading.frames.map { $0.origin?.receivedAt } == [2000, 4000])
        #expect(reading.frames.map { $0.payload.samples.map(\.x) } == [[0, 2], [4, 6]])
    }

    @Test("MCAP recordings: a message in another encoding is an error that names the topic and the encoding")
    func encodings() async throws {
        let path = try foreign("cdr", ["abc"])
        let reading = try await read(path)
        #expect(reading.frames.isEmpty)
        #expect(reading.failures.map(\.code) == ["decode.encoding"])
        let message = try #require(reading.failures.first?.message)
        #expect(message.contains("/hand") && message.contains("cdr"))
        #expect(try await read(path) { $0.streams = ["other"] }.failures.isEmpty)
    }

    @Test(
        "MCAP recordings: a file that is cut off is read up to its last whole chunk, and a warning says where it ends")
    func cutOff() async throws {
        let path = try await write(Self.strokes(20_000), "e.mcap") { $0.compression = .none }
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let cut = "\(folder.path)/cut.mcap"
        try bytes.prefix(bytes.count / 2).write(to: URL(fileURLWithPath: cut))
        let reading = try await read(cut)
        #expect(reading.failures.isEmpty)
        #expect((5000..<12_000).contains(reading.frames.count))
        #expect(reading.frames.map(\.timestamp) == Self.strokes(reading.frames.count).map(\.timestamp))
        #expect(reading.log.contains { $0.contains("is cut off") && $0.contains("byte") })
        #expect(reading.counts[Counts.unknownLoss] == 1)
    }

    @Test("MCAP recordings: a damaged chunk is an error, and the chunks after it are read")
    func damaged() async throws {
        let path = try await write(Self.strokes(20_000), "f.mcap")
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        bytes[bytes.count / 3] ^= 0x10
        let damaged = "\(folder.path)/damaged.mcap"
        try bytes.write(to: URL(fileURLWithPath: damaged))
        let reading = try await read(damaged)
        #expect(reading.failures.count == 1)
        #expect(reading.failures.first?.location?.contains("byte") == true)
        #expect(reading.frames.count > 10_000 && reading.frames.count < 20_000)
        #expect(reading.frames.last?.timestamp == Self.strokes(20_000).last?.timestamp)
    }

    /// Writes a file without an index, damages the chunks for which `isDamaged` is true, and returns the path. Each chunk has one
    /// message and the definition of its channel.
    private func damagedChunks(_ count: Int, _ isDamaged: (Int) -> Bool) throws -> String {
        var options = WriterOptions()
        (options.compression, options.chunkSize) = (.none, 1)
        (options.selfContainedChunks, options.summary) = (true, [])
        let output = MemoryOutput()
        let writer = try Writer(output, options)
        try writer.add(Channel(id: 1, topic: "pen", messageEncoding: "json"))
        for number in 0..<count {
            let text =
                "{\"v\":1,\"kind\":\"stroke\",\"seq\":\(number),\"t_us\":\(number),\"fields\":\"xy\",\"pts\":[1,2]}"
            try writer.write(
                Message(
                    channelID: 1, sequence: UInt32(number), logTime: 0, publishTime: 0, data: ArraySlice(text.utf8)))
        }
        try writer.finish()
        var bytes = output.bytes
        var (place, chunk) = (8, 0)
        while place + 9 < bytes.count {
            let length = (1...8).reversed().reduce(0) { $0 << 8 | Int(bytes[place + $1]) }
            if bytes[place] == Opcode.chunk.rawValue {
                if isDamaged(chunk) { bytes[place + 8 + length] ^= 1 }
                chunk += 1
            }
            place += 9 + length
        }
        #expect(chunk == count)
        let path = "\(folder.path)/chunks.mcap"
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        return path
    }

    @Test("MCAP recordings: without an index, every damaged chunk is an error and no message between them is lost")
    func damagedWithoutIndex() async throws {
        let damaged: Set = [0, 3, 4, 5, 8]
        let reading = try await read(try damagedChunks(10) { damaged.contains($0) })
        #expect(reading.failures.map(\.code) == Array(repeating: "mcap.checksum", count: 5))
        #expect(reading.frames.map(\.sequence) == [1, 2, 6, 7, 9])
        #expect(reading.story.count == 10)
        #expect(reading.log == [])
    }

    @Test(
        "MCAP recordings: a file with more than a thousand damaged chunks is read to its end, and every one is counted")
    func manyDamagedChunks() async throws {
        let reading = try await read(try damagedChunks(2202) { $0 % 2 == 0 })
        #expect(reading.frames.map(\.sequence) == (0..<1101).map { 2 * $0 + 1 })
        #expect(reading.failures.count == 1001)
        #expect(reading.failures.last?.message == "101 more parts of the file cannot be read")
    }

    @Test("MCAP recordings: a record in the middle that claims to be longer than the file is an error, not the end")
    func wrongLength() async throws {
        let path = try foreign("json", ["{\"line\":[[0,1],[2,3]]}", "{\"line\":[[4,5],[6,7]]}"]) {
            ($0.chunkSize, $0.summary) = (nil, [])
        }
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let first = try #require(bytes.firstRange(of: Data("{\"line\"".utf8))?.lowerBound)
        // Makes the message's length more than 4 GB. The length stands before 22 bytes of numbers, which precede the data.
        bytes[first - 22 - 4] = 1
        try bytes.write(to: URL(fileURLWithPath: path))
        let line = try FieldPath("line")
        let reading = try await read(path) { $0.decode.points = [line] }
        #expect(reading.failures.map(\.code) == ["mcap.truncated"])
        #expect(reading.frames.map { $0.payload.samples.map(\.x) } == [[4, 6]])
        #expect(reading.log == [])
    }

    @Test(
        "Compressed recordings: the missing end of a file is one error, and the frames before it are read",
        arguments: ["gz", "zst"])
    func cutOffPacked(_ ending: String) async throws {
        let path = try await write(Self.strokes(5000), "g.jsonl.\(ending)")
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let cut = "\(folder.path)/cut.jsonl.\(ending)"
        try bytes.prefix(bytes.count / 2).write(to: URL(fileURLWithPath: cut))
        let reading = try await read(cut)
        #expect(reading.failures.map(\.description).first?.hasPrefix("\(cut) is damaged, or cut off") == true)
        #expect(reading.failures.map(\.code) == ["file.damaged"])
        let times = reading.frames.map(\.timestamp)
        #expect(times.count > 500 && times == Array(Self.strokes(5000).map(\.timestamp).prefix(times.count)))
    }

    @Test(
        "Compressed recordings: data that was appended to a file is read with the rest", arguments: ["gz", "zst"])
    func appended(_ ending: String) async throws {
        let name = "h.jsonl.\(ending)"
        _ = try await write(Array(Self.strokes(10).prefix(4)), name)
        let path = try await write(Array(Self.strokes(10).suffix(6)), name) { $0.ifExists = .append }
        #expect(try await read(path).frames.count == 10)
    }

    @Test(
        "MCAP recordings: impossible options are findings",
        arguments: [
            ("path: a.mcap, if_exists: append", "file.append"), ("path: a.mcap, compression: gzip", "file.compression"),
            ("path: a.jsonl, compression: lz4", "file.compression"),
            ("path: a.jsonl.gz, compression: zstd", "file.compression"),
            ("path: a.msgpack.zst, compression: none", "file.compression"),
            ("path: a.jsonl, compression: gzip", "file.compression"), ("path: a.mcap.gz", "file.compression"),
            ("path: a.mcap, format: jsonl", "file.format"), ("path: a.csv, format: jsonl", "file.format"),
        ])
    func findings(_ options: String, _ code: String) {
        let text = "version: 1\nsources:\n  - synthetic: { count: 1 }\nsinks:\n  - file: { \(options) }\n"
        let loaded = PipelineLoader(registry: .standard).load(text: text, name: "test.yaml", baseDirectory: ".")
        #expect(loaded.diagnostics.map(\.code).contains(code), "\(loaded.diagnostics)")
    }
}
