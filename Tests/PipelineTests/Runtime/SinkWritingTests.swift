import PipelineTesting
import Synchronization
import Testing

@testable import Pipeline
@testable import PipelineConfiguration

/// A disk that can be full.
private final class Disk: Sendable {
    private struct State {
        var frames: [Int] = []
        var tries: [Int64] = []
    }

    private let state = Lock(State())
    private let isFull: @Sendable (_ count: Int, _ now: Int64) -> Bool

    init(isFull: @escaping @Sendable (_ count: Int, _ now: Int64) -> Bool) { self.isFull = isFull }

    var frames: [Int] { state.withLock { $0.frames } }

    /// The times of failed attempts to write, in milliseconds.
    var failedTries: [Int64] { state.withLock { $0.tries } }

    func write(_ value: Int, _ now: Int64) throws {
        try state.withLock { state in
            guard !isFull(state.frames.count, now) else {
                state.tries.append(now / 1_000_000)
                throw PipelineError.environment("disk.full", "the disk is full")
            }
            state.frames.append(value)
        }
    }
}

/// Writes to a disk. Holds up to `room` frames in a buffer, which it empties when it is full, and when it is closed.
private struct DiskSink: Sink {
    let disk: Disk
    var room = 4
    let mayBlock: Bool
    private var held: [Int] = []
    private var clock: (any RunClock)?
    private var begin: Int64 = 0

    init(_ disk: Disk, room: Int = 4, mayBlock: Bool = true) {
        (self.disk, self.room, self.mayBlock) = (disk, room, mayBlock)
    }

    var unwritten: Int { held.count }

    mutating func open(_ context: SinkContext) { (clock, begin) = (context.clock, context.clock.now) }

    mutating func write(_ frame: Frame<TestNumber>) throws {
        if held.count >= room { try empty() }
        held.append(frame.payload.value)
    }

    mutating func flush() throws { if room == 1 { try empty() } }
    mutating func discard() { held = [] }
    mutating func close() throws { try empty() }

    private mutating func empty() throws {
        while let first = held.first {
            try disk.write(first, (clock?.now ?? 0) - begin)
            held.removeFirst()
        }
    }
}

/// Writes to a reader that leaves after `stays` frames, through a buffer of four frames.
private struct LeavingReader: Sink {
    let room = 4
    var stays: Int
    private var held = 0

    init(stays: Int) { self.stays = stays }

    var unwritten: Int { held }

    mutating func write(_ frame: Frame<TestNumber>) throws {
        if held >= room {
            while held > 0, stays > 0 { (held, stays) = (held - 1, stays - 1) }
            if held > 0 { throw ReaderGone() }
        }
        held += 1
    }

    mutating func discard() { held = 0 }
}

/// Learns only when it is flushed or closed which of its frames were refused: those with a number that three divides.
private struct AfterwardsSink: Sink {
    let written: Collector<TestNumber>
    private var held: [Frame<TestNumber>] = []

    init(_ written: Collector<TestNumber>) { self.written = written }

    var unwritten: Int { held.count }

    mutating func write(_ frame: Frame<TestNumber>) { held.append(frame) }
    mutating func discard() { held = [] }
    mutating func flush() throws { try settle() }
    mutating func close() throws { try settle() }

    private mutating func settle() throws {
        var sink = written.sink()
        let refused = held.count { $0.payload.value.isMultiple(of: 3) }
        for frame in held where !frame.payload.value.isMultiple(of: 3) { sink.write(frame) }
        held = []
        guard refused > 0 else { return }
        throw FailedAfterwards(count: Int64(refused), .frame("test.large", "too large"))
    }
}

private func numbers(_ count: Int, every milliseconds: Int64 = 1) -> [Frame<TestNumber>] {
    (0..<count).map { index in
        Frame(
            TestNumber(index), at: .microseconds(Int64(index) * milliseconds * 1000), stream: "a",
            sequence: Int64(index))
    }
}

@Suite("What a sink counts as written")
struct SinkWritingTests {
    @Test(
        "Frames in a sink's buffer when its disk is full count as failed, not as written",
        arguments: [true, false])
    func fullDisk(mayBlock: Bool) async {
        let disk = Disk { count, _ in count >= 5 }
        var plan = Plan.building()
        plan.add("in", source: FramesSource(numbers(10)))
        plan.add("out", sink: DiskSink(disk, mayBlock: mayBlock))
        let report = await Run(plan).finished()
        #expect(report.failures.map(\.error.code) == ["disk.full"])
        let node = report.ledger.nodes.first { $0.id == "out" }
        // The disk took four frames and one more. Three stayed in the buffer, and the ninth found no room there.
        #expect(node?.passed == Int64(disk.frames.count))
        #expect(disk.frames == [0, 1, 2, 3, 4])
        #expect(node?.failed == 4)
        #expect(node?.dropped == [.cancelled: 1])
        #expect(report.violations == [])
    }

    @Test("Only the frames that a sink has taken and cannot write count as failed, and the others as written")
    func afterwards() async {
        for policy in [ErrorPolicy.skip, .fail] {
            let written = Collector<TestNumber>()
            var plan = Plan.building()
            plan.add("in", source: FramesSource(numbers(10)))
            plan.add("out", sink: AfterwardsSink(written), onError: policy)
            let report = await Run(plan).finished()
            let node = report.ledger.nodes.first { $0.id == "out" }
            #expect(report.violations == [])
            #expect(node?.passed == Int64(written.frames.count))
            #expect(report.failures.first?.error.code == (policy == .fail ? "test.large" : nil))
            guard policy == .skip else { continue }
            // 0, 3, 6 and 9 fail. After them, frames are written without a pause.
            #expect(written.frames.map(\.payload.value) == [1, 2, 4, 5, 7, 8])
            #expect(node?.failed == 4)
        }
    }

    @Test("Frames that a sink cannot write when it is closed count as failed", arguments: [ErrorPolicy.fail, .skip])
    func fullAtTheEnd(policy: ErrorPolicy) async {
        let disk = Disk { count, _ in count >= 2 }
        var plan = Plan.building()
        plan.add("in", source: FramesSource(numbers(3)))
        plan.add("out", sink: DiskSink(disk), onError: policy)
        let report = await Run(plan).finished()
        #expect(report.failures.map(\.error.code) == (policy == .fail ? ["disk.full"] : []))
        let node = report.ledger.nodes.first { $0.id == "out" }
        #expect(node?.passed == 2)
        #expect(node?.failed == 1)
        #expect(report.violations == [])
    }

    @Test("With on_error: skip, a sink on a full disk tries again after pauses, and logs one warning")
    func pauses() async {
        let disk = Disk { _, now in (3_000_000_000..<8_000_000_000).contains(now) }
        let others = Collector<TestNumber>()
        let lines = Lock<[String]>([])
        let frames = numbers(150, every: 100)
        var plan = Plan.building(mode: .live)
        plan.add(
            "in", source: TimelineSource(frames.map { .init(at: $0.timestamp.rawValue, $0) }),
            rules: .init(onDisorder: .drop))
        plan.add("recorder", sink: DiskSink(disk, room: 1), from: ["in"], onError: .skip)
        plan.add("other", sink: others.sink(), from: ["in"])
        var options = Run.Options()
        options.clock = VirtualClock()
        options.log = Log { line in lines.withLock { $0.append(line.text) } }
        let report = await Run(plan, options: options).finished()
        #expect(report.isSuccess)
        #expect(others.frames.count == 150)
        // A frame every 100 ms; attempts at 3 s, and after pauses of 1, 2 and 4 s.
        #expect(disk.failedTries == [3000, 4000, 6000])
        #expect(disk.frames == Array(0..<30) + Array(100..<150))
        let node = report.ledger.nodes.first { $0.id == "recorder" }
        #expect(node?.passed == 80)
        #expect(node?.failed == 70)
        #expect(
            lines.withLock { $0 } == [
                "recorder: the disk is full; tries again after a pause, and frames that come meanwhile count as failed [disk.full]",
                "recorder: writes again; 70 frames have failed",
            ])
    }

    @Test("Frames in a sink's buffer when its reader leaves count as dropped, each with a record")
    func readerLeaves() async {
        let drops = DropLog()
        var plan = Plan.building()
        plan.add("in", source: FramesSource(numbers(12)))
        plan.add("out", sink: LeavingReader(stays: 6))
        var options = Run.Options()
        options.onDrop = { drops.add($0) }
        let report = await Run(plan, options: options).finished()
        #expect(report.isSuccess)
        let node = report.ledger.nodes.first { $0.id == "out" }
        #expect(node?.passed == 6)
        #expect(node?.dropped == [.readerGone: 6])
        #expect(drops.records.map(\.sequence).sorted() == Array(6..<12))
    }
}
