import Foundation
import MCAP
import Pipeline
import PipelineComponents
import PipelineTesting
import Synchronization
import Testing

@testable import Connectors
@testable import Stages

@Suite("Frames that are lost when a file is closed")
struct LostFramesTests {
    private let folder: TemporaryFolder
    private let pipe: String
    private let reader: Int32

    /// Creates a named pipe with a reader. When the reader closes it, writing fails as on a full disk.
    init() throws {
        // pipectl ignores this signal; a test must ignore it itself.
        signal(SIGPIPE, SIG_IGN)
        folder = try TemporaryFolder()
        pipe = "\(folder.path)/pen.mcap"
        try #require(mkfifo(pipe, 0o600) == 0)
        reader = open(pipe, O_RDONLY | O_NONBLOCK)
        try #require(reader >= 0)
    }

    private func frame(_ number: Int64) -> Frame<Stroke> {
        Frame(stroke([(0, 0), (1, 1)]), at: .milliseconds(number), stream: "pen", sequence: number)
    }

    private func recording(_ path: String) -> RecordingWriter<Stroke> {
        var options = FileSink.Options()
        options.path = OutputPath(path)
        options.ifExists = .overwrite
        return RecordingWriter<Stroke>(options, receipt: .asRead)
    }

    /// Writes three frames, closes the reader, and checks that the sink does not count the frames as written after it was closed.
    private func checkLoss(_ sink: some Sink<Stroke>) async throws {
        var sink = sink
        try await sink.open(SinkContext(id: "sink", clock: SkippingClock(), cancel: StopSignal(), log: .silent))
        for number in 0..<3 { try sink.write(frame(Int64(number))) }
        close(reader)
        do {
            try await sink.close()
            Issue.record("closing did not fail")
        } catch {
            #expect((error as? PipelineError)?.code == "file.unwritable")
        }
        #expect(sink.unwritten == 3)
        sink.discard()
        #expect(sink.unwritten == 0)
    }

    @Test("Frames in memory do not count as written if a recording cannot be closed")
    func recordings() async throws { try await checkLoss(recording(pipe)) }

    @Test("Frames in memory do not count as written if one of several recordings cannot be closed")
    func patterns() async throws {
        let pattern = try #require(OutputPattern("\(folder.path)/{stream}.mcap"))
        try await checkLoss(PatternFiles(pattern) { recording($0) })
    }

    @Test("Frames in memory do not count as written if one of several text files cannot be closed")
    func texts() async throws {
        let pattern = try #require(OutputPattern("\(folder.path)/{stream}.mcap"))
        let files = PatternFiles(pattern) { path in
            var options = FileSink.Options()
            options.path = OutputPath(path)
            (options.format, options.ifExists) = (.jsonl, .overwrite)
            return FileWriter<Stroke>(options)
        }
        try await checkLoss(files)
    }

    // Used under the lock of the writer.
    private final class Disk: ByteOutput, @unchecked Sendable {
        let isFull = Lock(false)

        func write(_ bytes: UnsafeRawBufferPointer) throws(MCAPError) {
            if isFull.withLock({ $0 }) { throw MCAPError(.system, "no space left") }
        }
    }

    @Test(
        "An error while a recording is written in the background is reported when the file ends, with the lost frames")
    func background() async throws {
        let disk = Disk()
        let writer = try Writer(disk)
        try writer.add(Channel(id: 0, schemaID: 0, topic: "pen", messageEncoding: "json"))
        let shared = SharedWriter(writer, flushesByItself: true)
        let size = shared.size
        disk.isFull.withLock { $0 = true }
        // The message is so old that the background thread writes it soon.
        try [1, 2].withUnsafeBytes { try shared.write(0, sequence: 0, logTime: 0, publishTime: 0, $0, now: 0) }
        while shared.size > size { try await Task.sleep(for: .milliseconds(1)) }
        disk.isFull.withLock { $0 = false }
        #expect(throws: MCAPError.self) { try shared.finish() }
        #expect(shared.unwritten == 1)
        shared.discard()
        #expect(shared.unwritten == 0)
    }
}
