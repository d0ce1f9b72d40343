import PipelineTesting
import Testing

@testable import Pipeline
@testable import PipelineConfiguration

/// Holds the last number back until its stream has been quiet for 100 ms.
private struct Pause: Stage {
    var held: TestNumber?

    mutating func process(
        _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) {
        held = number
        emitter.wake(at: header.timestamp.advanced(byMilliseconds: 100))
    }

    mutating func wake(at time: Timestamp, into emitter: borrowing Emitter<TestNumber>) {
        if let held { emitter.emit(held) }
        held = nil
    }

    mutating func finish(into emitter: borrowing Emitter<TestNumber>) {
        if let held { emitter.emit(held) }
    }
}

/// Passes every frame on, optionally under another stream name, except for one number.
private struct Pass: Stage {
    var name: StreamID?
    var drops: Int?
    var renamesStreams: Bool { name != nil }

    mutating func process(
        _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) {
        if number.value == drops { return emitter.drop("unwanted") }
        guard let name else { return emitter.emit(number) }
        emitter.emit(number, stream: name)
    }
}

private typealias Event = TimelineSource<TestNumber>.Event

/// Returns a frame with the timestamp `time` that arrives at `moment`, both in milliseconds.
private func event(_ time: Int64, at moment: Int64, _ stream: StreamID = "a") -> Event {
    Event(at: moment * 1000, Frame(TestNumber(Int(time)), at: .milliseconds(time), stream: stream, sequence: time))
}

/// Emits several frames at once, at given times. All times are in milliseconds.
private struct Bursts: Source {
    typealias Output = TestNumber

    let timing = SourceTiming.live
    var bursts: [(at: Int64, times: [Int64])]
    private var clock: (any RunClock)?
    private var begin: Int64 = 0

    init(bursts: [(at: Int64, times: [Int64])]) { self.bursts = bursts }

    mutating func open(_ context: SourceContext) {
        clock = context.clock
        begin = context.clock.now
    }

    mutating func read(into batch: inout SourceBatch<TestNumber>) async throws -> Bool {
        guard let (at, times) = bursts.first else { return false }
        bursts.removeFirst()
        try await clock?.sleep(until: begin + at * 1_000_000)
        for time in times {
            batch.append(Frame(TestNumber(Int(time)), at: .milliseconds(time), stream: "a", sequence: time))
        }
        return true
    }
}

/// The outcome of a live run. `moments` are the times at which frames were emitted, in milliseconds after the start of the run.
private struct Outcome {
    var report: RunReport
    var frames: [Frame<TestNumber>]
    var moments: [Int64]
    var drops: [DropRecord]
}

private func live(
    _ sources: [[Event]], service: [String: Int64] = [:], onLate: LatePolicy = .drop,
    build: (inout Plan) -> Void
) async -> Outcome {
    let out = Collector<TestNumber>()
    let drops = DropLog()
    var plan = Plan.building(mode: .live)
    plan.onLate = onLate
    for (index, events) in sources.enumerated() { plan.add("in\(index)", source: TimelineSource(events)) }
    build(&plan)
    plan.add("out", sink: MomentSink(out))
    var options = Run.Options()
    options.clock = VirtualClock()
    options.serviceTimes = service
    options.onDrop = { drops.add($0) }
    let report = await Run(plan, options: options).finished()
    return Outcome(
        report: report, frames: out.frames, moments: out.frames.map { ($0.arrival - 1_000_000_000) / 1_000_000 },
        drops: drops.records)
}

@Suite struct LiveTimeTests {
    @Test(
        "Live time: a stage is woken for a quiet stream once the wake-up time and the lateness have passed, without another frame"
    )
    func wake() async {
        let outcome = await live([[event(0, at: 20), event(50, at: 75), event(5000, at: 5020)]]) {
            $0.add("pause", stage: Pause())
        }
        #expect(outcome.report.isSuccess)
        // The frame of 50 arrived at 75, so its stream's watermark passes 150 at 225: 100 ms later, plus the lateness of 50 ms.
        // The last frame is emitted at the end.
        #expect(outcome.frames.map(\.payload.value) == [50, 5000])
        #expect(outcome.frames.map(\.timestamp) == [.milliseconds(150), .milliseconds(5000)])
        #expect(outcome.moments == [225, 5020])
    }

    @Test("Live time: each stream has its own time")
    func streams() async {
        let outcome = await live([
            [event(0, at: 0, "a"), event(900, at: 10, "b"), event(2000, at: 400, "b"), event(3000, at: 600, "b")]
        ]) { $0.add("pause", stage: Pause()) }
        #expect(outcome.frames.map(\.stream) == ["a", "b", "b", "b"])
        #expect(outcome.moments == [150, 160, 550, 600])
    }

    @Test("Live time: a frame that arrives after its stream was woken is late: it is dropped, or ends the run")
    func late() async {
        let events = [
            event(0, at: 0), event(60, at: 200), event(100, at: 201), event(101, at: 202), event(400, at: 500),
        ]
        let outcome = await live([events]) { $0.add("pause", stage: Pause()) }
        #expect(outcome.report.isSuccess)
        // The stream was woken at 100, when the clock showed 150.
        #expect(outcome.drops.map(\.timestamp) == [.milliseconds(60), .milliseconds(100)])
        #expect(outcome.drops.allSatisfy { $0.reason == .late && $0.place == "in0" })
        #expect(outcome.frames.map(\.payload.value) == [0, 101, 400])
        #expect(outcome.report.ledger.losses == 2)
        let failed = await live([events], onLate: .fail) { $0.add("pause", stage: Pause()) }
        #expect(failed.report.failures.map(\.error.code) == ["source.late"])
        #expect(failed.report.violations == [])
    }

    @Test("Live time: a frame that arrived in time is not late for a stage downstream of a slow stage")
    func slow() async {
        let events = [event(0, at: 0), event(90, at: 90), event(180, at: 180), event(500, at: 1500)]
        let outcome = await live([events], service: ["slow": 400_000_000]) {
            $0.add("slow", stage: Pass())
            $0.add("pause", stage: Pause(), policy: EdgePolicy())
        }
        #expect(outcome.report.isSuccess)
        #expect(outcome.drops == [])
        #expect(outcome.frames.map(\.payload.value) == [180, 500])
    }

    @Test("Live time: no watermark overtakes frames that wait for room on an edge")
    func full() async {
        let outcome = await live([], service: ["slow": 200_000_000]) {
            $0.add("in", source: Bursts(bursts: [(40, [0, 10, 20, 30, 40]), (2000, [2000])]))
            $0.add("slow", stage: Pass(), policy: EdgePolicy(capacity: 1))
            $0.add("pause", stage: Pause())
        }
        #expect(outcome.report.isSuccess)
        #expect(outcome.drops == [])
        #expect(outcome.frames.map(\.payload.value) == [40, 2000])
    }

    // The stage takes 100 ms for a frame, and `a` sends more frames at once than the edge has room for. The source therefore waits,
    // with part of the frames, from 40 to 400.
    @Test("Live time: the time of a quiet stream goes on while the source waits for room for another stream")
    func quiet() async {
        let events = [event(0, at: 0, "b")] + [0, 10, 20, 30, 40].map { event($0, at: 40, "a") }
        let outcome = await live([events], service: ["slow": 100_000_000]) {
            $0.add("slow", stage: Pass(), policy: EdgePolicy(capacity: 1, onFull: .wait, inFlight: 1))
            $0.add("pause", stage: Pause(), policy: EdgePolicy())
        }
        #expect(outcome.report.isSuccess)
        #expect(outcome.drops == [])
        #expect(outcome.frames.map { "\($0.stream) \($0.payload.value)" } == ["b 0", "a 40"])
        // The watermark of 100 is due at 150, and the stage is busy until 200.
        #expect(outcome.moments == [200, 600])
    }

    @Test("Live time: no frame is late because the source waits for room for another stream")
    func read() async {
        let events = [event(0, at: 0, "b")] + [0, 10, 20, 30].map { event($0, at: 40, "a") } + [event(30, at: 40, "b")]
        let outcome = await live([events], service: ["slow": 100_000_000]) {
            $0.add("slow", stage: Pass(), policy: EdgePolicy(capacity: 1, onFull: .wait, inFlight: 1))
            $0.add("pause", stage: Pause(), policy: EdgePolicy())
        }
        #expect(outcome.report.isSuccess)
        #expect(outcome.drops == [])
        #expect(outcome.frames.map { "\($0.stream) \($0.payload.value)" }.sorted() == ["a 30", "b 30"])
    }

    @Test("Live time: no wake-up overtakes the end of a stream that was read, while the source waits for room")
    func readEnd() async {
        let end = Event(at: 40_000, item: .end("b"))
        let events = [event(0, at: 0, "b")] + [0, 10, 20, 30].map { event($0, at: 40, "a") } + [end]
        let outcome = await live([events], service: ["slow": 100_000_000]) {
            $0.add("slow", stage: Pass(), policy: EdgePolicy(capacity: 1, onFull: .wait, inFlight: 1))
            $0.add("pause", stage: Pause(), policy: EdgePolicy())
        }
        #expect(outcome.report.isSuccess)
        // The stage emits what it holds at the end of b, and not at 100, when it wanted to be woken.
        #expect(outcome.frames.filter { $0.stream == "b" }.map(\.timestamp) == [.zero])
    }

    // When in0 begins the stream again, its frame waits for the slow edge, which carries a copy.
    @Test("Live merges: a frame waits for the edges of a source that has begun the stream after another source")
    func begunAgain() async {
        let first = [event(0, at: 0), Event(at: 10_000, item: .end("a")), event(2000, at: 2000)]
        let outcome = await live(
            [first, [event(1000, at: 1000), event(2100, at: 2100)]], service: ["slow": 200_000_000]
        ) {
            $0.add("both", stage: Pass(), from: ["in0", "in1"])
            $0.add("slow", stage: Pass(), from: ["in0"], policy: EdgePolicy())
            $0.add("merge", stage: Pass(), from: ["both", "slow"], policy: EdgePolicy())
        }
        #expect(outcome.report.isSuccess)
        #expect(outcome.drops == [])
        #expect(outcome.frames.map(\.payload.value) == [0, 0, 1000, 2000, 2000, 2100])
    }

    @Test("Live time: downstream of a stage that renames streams, a stage is woken for a quiet stream too")
    func renamed() async {
        let outcome = await live([[event(0, at: 0), event(5000, at: 5000)]]) {
            $0.add("rename", stage: Pass(name: "all"))
            $0.add("pause", stage: Pause())
        }
        #expect(outcome.report.isSuccess)
        #expect(outcome.frames.map(\.payload.value) == [0, 5000])
        #expect(outcome.moments == [150, 5000])
    }

    @Test(
        "Live time: a request to be woken that was replaced by a later one makes no frame late",
        arguments: [nil, "all"], [0, 60])
    func replaced(name: String?, service: Int64) async {
        // The frame of 0 requests 100, due at 150. The frame of 90 replaces that by 190, due at 241. If the stage takes 60 ms for
        // a frame, it processes that frame from 91 to 151.
        let outcome = await live(
            [[event(0, at: 0), event(90, at: 91), event(95, at: 160), event(5000, at: 5000)]],
            service: ["pause": service * 1_000_000]
        ) {
            $0.add("pass", stage: Pass(name: name.map { StreamID($0) }))
            $0.add("pause", stage: Pause())
        }
        #expect(outcome.report.isSuccess)
        #expect(outcome.drops == [])
        #expect(outcome.frames.map(\.payload.value) == [95, 5000])
        // The frame of 95 arrived at 160, so its stream passes 195 at 310.
        #expect(outcome.moments == [310, 5000 + service])
    }

    @Test(
        "Live time: frames of one stream from two sources are merged in order of time, even if one source is quiet")
    func merge() async {
        let outcome = await live([
            [event(0, at: 0), event(300, at: 300)], [event(1, at: 1), event(2, at: 2), event(310, at: 310)],
        ]) {
            $0.add("pass", stage: Pass(), from: ["in0", "in1"])
        }
        #expect(outcome.report.isSuccess)
        #expect(outcome.frames.map(\.timestamp) == [0, 1, 2, 300, 310].map { .milliseconds($0) })
    }

    // The first edge carries both sources, the second only the one that has ended the stream. In one case, the second source's first
    // frame does not reach the merge, only its time.
    @Test(
        "Live time: a merge does not wait for a source that had ended a stream before another source began it",
        arguments: [0, 1000])
    func begunElsewhere(dropped: Int) async {
        let outcome = await live([
            [event(0, at: 0), Event(at: 10_000, item: .end("a")), event(5000, at: 5000, "b")],
            [event(1000, at: 1000), event(1100, at: 1100), event(1200, at: 1200)],
        ]) {
            $0.add("left", stage: Pass(drops: dropped), from: ["in0"])
            $0.add("both", stage: Pass(drops: dropped), from: ["in0", "in1"])
            $0.add("again", stage: Pass(), from: ["both", "left"])
        }
        #expect(outcome.report.isSuccess)
        #expect(outcome.frames.map(\.payload.value) == (dropped == 0 ? [1000] : [0, 0]) + [1100, 1200, 5000, 5000])
        #expect(outcome.moments == (dropped == 0 ? [1000] : [0, 0]) + [1100, 1200, 5000, 5000])
    }

    @Test("Live time: when nothing is late, a live run emits the same frames as a batch run", arguments: 0..<30)
    func sameAsBatch(seed: UInt64) async {
        var random = SeededGenerator(seed: seed)
        var events: [Event] = []
        let clocks: [StreamID: Int64] = ["a": 0, "b": 40_000, "c": 7_000_000]
        var moment: Int64 = 0
        var last: [StreamID: Int64] = [:]
        for index in 0..<200 {
            let stream: StreamID = ["a", "b", "c"][Int.random(in: 0..<3, using: &random)]
            moment += Int64.random(in: 0...60, using: &random) * 1000
            // A frame's timestamp is up to 40 ms before its arrival, by its stream's clock.
            let stamp = moment + (clocks[stream] ?? 0) - Int64.random(in: 0...40, using: &random) * 1000
            guard stamp > last[stream] ?? -1 else { continue }
            last[stream] = stamp
            events.append(
                Event(at: moment, Frame(TestNumber(index), at: .microseconds(stamp), stream: stream)))
        }
        // Each stream gets a last frame, because only the live run knows how long a stream without frames has been quiet.
        for stream in ["a", "b", "c"] as [StreamID] {
            moment += 41_000
            events.append(
                Event(
                    at: moment, Frame(0, at: .microseconds(moment + (clocks[stream] ?? 0)), stream: stream)))
        }
        let service = Int64.random(in: 0...80, using: &random) * 1_000_000
        let outcome = await live([events], service: ["first": service]) {
            $0.add("first", stage: Pass())
            $0.add("pause", stage: Pause(), policy: EdgePolicy(capacity: 4))
        }
        #expect(outcome.drops == [])
        let out = Collector<TestNumber>()
        var plan = Plan.building()
        plan.add("in", source: FramesSource(items: events.map(\.item)))
        plan.add("first", stage: Pass())
        plan.add("pause", stage: Pause(), policy: EdgePolicy(capacity: 4))
        plan.add("out", sink: out.sink())
        #expect(await Run(plan).finished().isSuccess)
        for stream in ["a", "b", "c"] as [StreamID] {
            #expect(outcome.frames.filter { $0.stream == stream } == out.frames.filter { $0.stream == stream })
        }
    }

    @Test("Live time: a watermark that waits behind a frame without room never follows the end of its stream")
    func waitingWatermark() throws {
        let monitor = RunMonitor()
        let edge = Edge(
            carrying: TestNumber.self, from: "in", to: "out", policy: EdgePolicy(capacity: 1, onFull: .wait),
            traits: EdgeTraits(wantsWatermarks: true, isOfLiveSource: true),
            wakers: (Waker(monitor: nil), Waker(monitor: nil)), monitor: monitor)
        let time = LiveTime(clock: monitor.clock, timer: RunTimer(clock: monitor.clock), latenessMs: 0)
        time.connect([edge])
        let store = edge.store
        func frame(_ time: Int64) -> EdgeItem<FrameCell> {
            let cell = store.allocate()
            cell.frame(of: TestNumber.self).initialize(
                to: Frame(TestNumber(Int(time)), at: .milliseconds(time), stream: "a"))
            return .frame(cell)
        }
        func taken() -> [EdgeItem<FrameCell>] {
            var (items, used): ([EdgeItem<FrameCell>], [FrameCell]) = ([], [])
            _ = edge.take(into: &items, returning: &used)
            return items
        }
        var (spare, cursor): ([FrameCell], Int) = ([], 0)
        #expect(time.note(.milliseconds(2), of: "a", arrival: monitor.clock.now))
        var batch = [frame(1), frame(2)]
        #expect(!edge.offer(&batch, from: &cursor, spare: &spare))
        // The second frame waits for room, and so does the watermark of its stream.
        #expect(edge.announce("a", .milliseconds(900)) == nil)
        store.discard(taken())
        // The stream ends and begins again, with earlier times, before the caller can move the frame.
        time.end("a")
        batch += [.mark(.end("a")), frame(5)]
        edge.takeEverything(true)
        #expect(edge.offer(&batch, from: &cursor, spare: &spare))
        let items = taken()
        #expect(items.map { if case .mark(.bound) = $0 { "watermark" } else { "item" } } == ["item", "item", "item"])
        store.discard(items)
    }
}

/// Keeps frames, with the current time in place of their arrival time.
private struct MomentSink: Sink {
    let mayBlock = false
    private var clock: (any RunClock)?
    private var sink: CollectingSink<TestNumber>

    init(_ collector: Collector<TestNumber>) { sink = collector.sink() }

    mutating func open(_ context: SinkContext) { clock = context.clock }

    mutating func write(_ frame: Frame<TestNumber>) {
        var frame = frame
        frame.arrival = clock?.now ?? 0
        sink.write(frame)
    }
}
