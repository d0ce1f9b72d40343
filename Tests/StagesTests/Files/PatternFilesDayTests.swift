import Pipeline
import PipelineComponents
import PipelineTesting
import Testing

@testable import Connectors
@testable import Stages

@Suite("Output files by day")
struct PatternFilesDayTests {
    // `@unchecked Sendable` because only one thread uses it.
    private final class Written: @unchecked Sendable { var lines: [String] = [] }

    /// A file whose last bytes do not fit on the disk.
    private struct FullFile: FileWriting {
        typealias Input = Stroke

        let path: String
        let written: Written
        var unwritten = 0

        mutating func openAtOnce(_ context: SinkContext) throws {}
        mutating func open(_ context: SinkContext) async throws {}
        mutating func write(_ frame: Frame<Stroke>) throws {
            written.lines.append("\(path) \(frame.sequence)")
            unwritten += 1
        }
        mutating func discard() { unwritten = 0 }
        mutating func closeAtOnce() throws {
            throw PipelineError.environment("file.unwritable", "\(path): no space left")
        }
        mutating func close() async throws { try closeAtOnce() }
    }

    @Test(
        "The first frame of a day is written even if closing the files of the day before fails, which is reported once, with the frames that were lost"
    )
    func closing() async throws {
        let clock = SkippingClock()
        let written = Written()
        let pattern = try #require(OutputPattern("{date}"))
        var files = PatternFiles(pattern) { FullFile(path: $0, written: written) }
        try await files.open(SinkContext(id: "sink", clock: clock, cancel: StopSignal(), log: .silent))
        let frame = { Frame(stroke([(0, 0), (1, 1)]), at: .milliseconds($0), stream: "pen", sequence: $0) }
        try files.write(frame(0))
        try files.flush()
        try await clock.sleep(until: clock.now + 86_400_000_000_000)
        try files.write(frame(1))
        let lines = written.lines
        #expect(lines.map { $0.suffix(2) } == [" 0", " 1"])
        #expect(Set(lines.map { $0.dropLast(2) }).count == 2)
        #expect(files.unwritten == 2)
        #expect(throws: PipelineError.self) { try files.flush() }
        files.discard()
        #expect(files.unwritten == 0)
        // The error is reported once.
        try files.flush()
    }
}
