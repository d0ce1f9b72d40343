import MCAP
import Pipeline
import PipelineComponents
import PipelineTesting
import Synchronization
import Testing

@testable import Connectors
@testable import Stages

@Suite("Recordings that are split, or kept in memory")
struct RecordingPartsTests {
    private let folder: TemporaryFolder
    private let clock = SkippingClock()

    init() throws { folder = try TemporaryFolder() }

    private func frame(_ number: Int) -> Frame<Stroke> {
        Frame(
            Stroke(samples: [Sample(x: 0, y: 0)]), at: .microseconds(Int64(number)), stream: "pen",
            sequence: Int64(number))
    }

    private var context: SinkContext { SinkContext(id: "sink", clock: clock, cancel: StopSignal(), log: .silent) }

    private func numbers(_ name: String) throws -> [UInt32] {
        var cursor = try IndexedReader(try FileInput(path: "\(folder.path)/\(name)")).messages()
        var numbers: [UInt32] = []
        while let message = try cursor.next() { numbers.append(message.sequence) }
        return numbers
    }

    @Test(
        "Split recordings: after the configured time a new file begins, with its own channels and schema"
    )
    func time() async throws {
        var options = FileSink.Options()
        options.path = OutputPath("\(folder.path)/a.mcap")
        let split = RecordingSplit(bytes: nil, time: 2_000_000_000)
        options.split = split
        var sink = RecordingWriter<Stroke>(options, receipt: .asRead)
        try await sink.open(context)
        // At 0, 1, … 5 s: a file covers two seconds.
        for number in 0..<6 {
            try sink.write(frame(number))
            try await clock.sleep(until: clock.now + 1_000_000_000)
        }
        try await sink.close()
        #expect(split.files.map { $0.split(separator: "/").last } == ["a-001.mcap", "a-002.mcap", "a-003.mcap"])
        #expect(try numbers("a-001.mcap") == [0, 1])
        #expect(try numbers("a-002.mcap") == [2, 3])
        #expect(try numbers("a-003.mcap") == [4, 5])
        let index = try IndexedReader(try FileInput(path: "\(folder.path)/a-003.mcap"))
        #expect(index.channels.values.map(\.topic) == ["pen"])
        #expect(index.schemas.values.map(\.name) == ["pipeline.stroke"])
    }

    @Test("Split recordings: a part that is already there stays, and does not count as written")
    func existingPart() async throws {
        var options = FileSink.Options()
        options.path = OutputPath("\(folder.path)/a.mcap")
        options.existingHelp = "overwrite it with --force"
        let split = RecordingSplit(bytes: nil, time: 1_000_000_000)
        options.split = split
        var sink = RecordingWriter<Stroke>(options, receipt: .asRead)
        try await sink.open(context)
        try sink.write(frame(0))
        let other = try folder.write("a-002.mcap", "precious")
        #expect(RecordingSplit.existing(of: options.path.path).count == 2)
        try await clock.sleep(until: clock.now + 2_000_000_000)
        let error = #expect(throws: PipelineError.self) { try sink.write(frame(1)) }
        #expect(error?.message == "\(other) is already there" && error?.help == "overwrite it with --force")
        #expect(try folder.read("a-002.mcap") == "precious")
        #expect(split.files == ["\(folder.path)/a-001.mcap"])
    }

    @Test("Recordings: interleaved streams keep their channels, and streams beyond the largest number are refused")
    func channels() async throws {
        var options = FileSink.Options()
        options.path = OutputPath("\(folder.path)/a.mcap")
        var sink = RecordingWriter<Stroke>(options, receipt: .asRead)
        try await sink.open(context)
        for number in 0..<24_000 {
            var frame = frame(number)
            frame.stream = StreamID("pen/\(number % 12_000)")
            try sink.write(frame)
        }
        for number in 24_000..<77_536 {
            var frame = frame(number)
            frame.stream = StreamID("pen/\(number)")
            if number < 77_535 {
                try sink.write(frame)
            } else {
                #expect(throws: Refusal.self) { try sink.write(frame) }
            }
        }
        try await sink.close()
        let index = try IndexedReader(try FileInput(path: "\(folder.path)/a.mcap"))
        #expect(index.channels.count == 65_535)
        #expect(index.statistics?.messageCount == 77_535)
    }

    @Test("a recording has every frame that a source commits, so that a crash loses none", arguments: [false, true])
    func committed(byStream: Bool) async throws {
        let path = "\(folder.path)/\(byStream ? "pen" : "a").mcap"
        let found = Lock<[Int]>([])
        let probe = CommitProbe((0..<3).map(frame)) { _ in
            var count = 0
            if var reader = try? RecoveringReader(FileInput(path: path)) {
                while let record = try? reader.next() { if case .message = record { count += 1 } }
            }
            found.withLock { $0.append(count) }
        }
        var plan = Plan.building()
        plan.add("source", source: probe.source)
        var options = FileSink.Options()
        options.path = OutputPath(path)
        if byStream {
            let sink = PatternFiles(try #require(OutputPattern("\(folder.path)/{stream}.mcap"))) { [options] path in
                var options = options
                options.path = OutputPath(path)
                return RecordingWriter<Stroke>(options, receipt: .asRead)
            }
            plan.add("file", sink: sink)
        } else {
            plan.add("file", sink: RecordingWriter<Stroke>(options, receipt: .asRead))
        }
        let report = await Run(plan).finished()
        #expect(report.isSuccess, "\(report.failures)")
        // After each frame, and at the end of the run.
        #expect(found.withLock { $0 } == [1, 2, 3, 3])
    }

    @Test("Recordings in memory: the last seconds can be saved repeatedly")
    func ring() async throws {
        let ring = RecordingRing(last: 2_000_000_000)
        var sink = RingWriter<Stroke>(ring, receipt: .asRead)
        try await sink.open(context)
        for number in 0..<500 {
            try sink.write(frame(number))
            try await clock.sleep(until: clock.now + 500_000_000)
        }
        // Half a second has passed since the last message, so the messages of 0.5, 1, 1.5 and 2 s ago are saved.
        #expect(try ring.save(to: "\(folder.path)/a.mcap", .zstd, now: clock.now) == 4)
        #expect(try numbers("a.mcap") == [496, 497, 498, 499])
        try sink.write(frame(500))
        #expect(try ring.save(to: "\(folder.path)/b.mcap", .none, now: clock.now) == 5)
        try await clock.sleep(until: clock.now + 3_000_000_000)
        #expect(try ring.save(to: "\(folder.path)/c.mcap", .lz4, now: clock.now) == 0)
        #expect(try numbers("c.mcap") == [])
    }

    @Test("Recordings in memory: streams beyond the largest number of channels do not count as saved")
    func manyStreams() async throws {
        let ring = RecordingRing(last: 2_000_000_000)
        var sink = RingWriter<Stroke>(ring, receipt: .asRead)
        try await sink.open(context)
        for number in 0..<66_000 {
            var frame = frame(number)
            frame.stream = StreamID("pen/\(number)")
            try sink.write(frame)
        }
        let count = try ring.save(to: "\(folder.path)/many.mcap", .none, now: clock.now)
        #expect(count == 65_535)
        #expect(try numbers("many.mcap").count == count)
    }
}
