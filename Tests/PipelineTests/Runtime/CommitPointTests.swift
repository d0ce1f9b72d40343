import Foundation
import Pipeline
import PipelineTesting
import Synchronization
import Testing

/// A stage that holds frames: sums numbers, and emits the sum at the next zero.
private struct SumUp: Stage {
    private var sum = 0
    private var since: Timestamp?

    var heldSince: Timestamp? { since }

    mutating func process(
        _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) {
        if since == nil { since = header.timestamp }
        sum += number.value
        guard number.value == 0 else { return }
        emitter.emit(TestNumber(sum))
        (sum, since) = (0, nil)
    }

    mutating func finish(into emitter: borrowing Emitter<TestNumber>) {
        if since != nil { emitter.emit(TestNumber(-sum)) }
    }
}

/// Gives every stream another name.
private struct Rename: Stage {
    typealias Input = TestNumber
    typealias Output = TestNumber
    let name: @Sendable (StreamID) -> StreamID

    var renamesStreams: Bool { true }

    mutating func process(
        _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) { emitter.emit(number, stream: name(header.stream)) }
}

/// Reads without waiting, and releases its stream when it is stopped.
private struct BusySource: Source {
    typealias Output = TestNumber

    /// Called after each frame, with the number of frames so far.
    let onRead: @Sendable (Int64) -> Void
    private var context: SourceContext?
    private let stream: StreamID
    /// Whether each reading fills the batch instead of adding one frame.
    private let fills: Bool
    private var count: Int64 = 0

    init(_ stream: StreamID, fills: Bool = false, onRead: @escaping @Sendable (Int64) -> Void) {
        (self.stream, self.fills, self.onRead) = (stream, fills, onRead)
    }

    var commits: Bool { true }

    mutating func open(_ context: SourceContext) async throws {
        self.context = context
        context.commits { _ in nil }
    }

    mutating func read(into batch: inout SourceBatch<TestNumber>) async throws -> Bool {
        if context?.stop.isRequested ?? true {
            _ = try await context?.commit(releasing: [stream])
            return false
        }
        repeat {
            count += 1
            batch.append(Frame(TestNumber(1), at: .milliseconds(count), stream: stream, sequence: count))
            onRead(count)
        } while fills && !batch.isFull
        return true
    }
}

/// A count that several components share, and that each of them can wait for.
private final class SharedCount: Sendable {
    private let count = Lock(0)
    var value: Int { count.withLock { $0 } }
    func add() { count.withLock { $0 += 1 } }
    /// - Throws: An error if the number is not reached within a minute.
    func wait(for number: Int) async throws {
        let end = ContinuousClock.now + .seconds(60)
        while count.withLock({ $0 }) < number {
            guard ContinuousClock.now < end else { throw PipelineError(.defect, "test.alone", "nobody came") }
            try await Task.sleep(for: .milliseconds(1))
        }
    }
}

/// Two of these sources each read one frame of the same stream before one of them releases the stream.
private struct SharingSource: Source {
    typealias Output = TestNumber
    let count: SharedCount
    let releases: Bool
    private var context: SourceContext?
    private var hasRead = false

    init(count: SharedCount, releases: Bool) { (self.count, self.releases) = (count, releases) }

    var commits: Bool { true }

    mutating func open(_ context: SourceContext) async throws { self.context = context }

    mutating func read(into batch: inout SourceBatch<TestNumber>) async throws -> Bool {
        count.add()
        guard hasRead else {
            hasRead = true
            batch.append(Frame(TestNumber(1), at: .milliseconds(1), stream: "same", sequence: 0))
            return true
        }
        // When both sources have been asked for more (four calls in all), the run has taken their first frames.
        try await count.wait(for: 4)
        if releases { _ = try await context?.commit(releasing: ["same"]) }
        count.add()
        // The other source ends only after the release, because the end of the source also ends its stream.
        try await count.wait(for: releases ? 5 : 6)
        return false
    }
}

/// Shares an object with the other sinks of a run. Making the object takes a while.
private struct SharingSink: Sink {
    typealias Input = TestNumber
    let made: SharedCount
    let opened: SharedCount

    func open(_ context: SinkContext) async throws {
        opened.add()
        let made = context.shared("object") { () -> SharedCount? in
            // Give the other sinks time to ask for the object, too.
            Thread.sleep(forTimeInterval: 0.05)
            self.made.add()
            return self.made
        }
        #expect(made === self.made)
    }

    func write(_ frame: Frame<TestNumber>) {}
}

/// Numbers what it writes.
private struct NumberingSink: Sink {
    typealias Input = TestNumber
    private var numbers: OutputNumbers?

    mutating func open(_ context: SinkContext) async throws { numbers = context.numbers() }

    func write(_ frame: Frame<TestNumber>) { _ = numbers?.next(frame.stream, at: frame.timestamp) }
}

@Suite("Commit points: which frames of a source a run still holds", .timeLimit(.minutes(3)))
struct CommitPointTests {
    private static func frames(_ list: [(StreamID, Int)]) -> [Frame<TestNumber>] {
        list.enumerated().map {
            Frame(TestNumber($1.1), at: .milliseconds(Int64($0 + 1)), stream: $1.0, sequence: Int64($0))
        }
    }

    private static func ms(_ time: Int64) -> Timestamp { .milliseconds(time) }

    @Test(
        "Commit points: an object that several sinks share is made once, even if all of them ask for it at the same time"
    )
    func sharedOnce() async {
        let (made, opened) = (SharedCount(), SharedCount())
        var plan = Plan.building()
        plan.add("source", source: CommitProbe(Self.frames([("a", 1)])).source)
        for index in 0..<4 { plan.add("out\(index)", sink: SharingSink(made: made, opened: opened), from: ["source"]) }
        let report = await Run(plan).finished()
        #expect(report.isSuccess, "\(report.failures)")
        #expect((made.value, opened.value) == (1, 4))
    }

    @Test(
        "Commit points: a source learns what one branch has already written from frames that another branch still holds"
    )
    func written() async {
        let probe = CommitProbe(Self.frames([("a", 1), ("b", 0), ("a", 2), ("a", 0)]))
        var plan = Plan.building()
        plan.add("source", source: probe.source)
        plan.add("copies", sink: NumberingSink(), from: ["source"])
        plan.add("sum", stage: SumUp(), from: ["source"])
        plan.add("sums", sink: NumberingSink())
        let report = await Run(plan).finished()
        #expect(report.isSuccess, "\(report.failures)")
        let written = probe.held.map { $0.written(of: "a").values.map(\.last.time).sorted() }
        // The sum of b is written, but b is not held then. No sum of a was written while a was held.
        #expect(written == [[1000], [1000], [3000], [], []])
        #expect(probe.held.allSatisfy { $0.written(of: "b").isEmpty })
    }

    /// Waits for a number of commit points. Ends with an error when the test has taken too long.
    private static func wait(for count: Int, of probe: CommitProbe<TestNumber>) async throws {
        while probe.held.count < count { try await Task.sleep(for: .milliseconds(2)) }
    }

    @Test("Commit points: a stage holds a stream since the first frame that is not yet part of its output")
    func stage() async {
        let probe = CommitProbe(Self.frames([("a", 1), ("b", 2), ("a", 0), ("a", 3), ("b", 0)]))
        let out = Collector<TestNumber>()
        var plan = Plan.building()
        plan.add("source", source: probe.source)
        plan.add("sum", stage: SumUp())
        plan.add("out", sink: out.sink(mayBlock: true))
        let report = await Run(plan).finished()
        #expect(report.isSuccess, "\(report.failures)")
        let held = probe.held
        #expect(held.map { $0.since("a") } == [Self.ms(1), Self.ms(1), nil, Self.ms(4), Self.ms(4), nil])
        #expect(held.map { $0.since("b") } == [nil, Self.ms(2), Self.ms(2), Self.ms(2), nil, nil])
        #expect(out.frames.map(\.payload.value) == [1, 2, -3])
    }

    @Test(
        "Commit points: held frames are traced back through stages that rename streams, also with workers",
        arguments: [1, 3])
    func renamed(workers: Int) async {
        let probe = CommitProbe(Self.frames([("a", 1), ("b", 2), ("c", 0), ("b", 0), ("a", 0)]))
        let out = Collector<TestNumber>()
        var plan = Plan.building()
        plan.add("source", source: probe.source)
        plan.add("rename", stage: Rename { $0 == "c" ? "z" : "both" })
        plan.add("sum", stage: SumUp())
        if workers > 1 { plan.nodes[1].workers = workers }
        plan.add("out", sink: out.sink())
        let report = await Run(plan).finished()
        #expect(report.isSuccess, "\(report.failures)")
        let held = probe.held
        // "both" is held since 1 ms: it was made from frames of a and of b.
        #expect(held.map { $0.since("a") } == [Self.ms(1), Self.ms(1), Self.ms(1), nil, nil, nil])
        #expect(held.map { $0.since("b") } == [nil, Self.ms(1), Self.ms(1), nil, nil, nil])
        #expect(held.map { $0.since("c") } == [nil, nil, nil, nil, nil, nil])
    }

    @Test("Commit points: a held frame is traced back to the frames from which an earlier stage made it")
    func causes() async {
        // The first stage emits the sum of 1 and 2 at 3 ms; the second one holds it.
        let probe = CommitProbe(Self.frames([("a", 1), ("a", 2), ("a", 0), ("a", 4), ("a", 0)]))
        let out = Collector<TestNumber>()
        var plan = Plan.building()
        plan.add("source", source: probe.source)
        plan.add("sum", stage: SumUp())
        plan.add("again", stage: SumUp())
        plan.add("out", sink: out.sink())
        for isApart in [false, true] {
            plan.nodes[2].edges[0].isExplicit = isApart
            let probe = CommitProbe(probe.frames)
            plan.nodes[0].body = .source(probe.source, SourceRules())
            let report = await Run(plan).finished()
            #expect(report.isSuccess, "\(report.failures)")
            #expect(probe.held.map { $0.since("a") } == Array(repeating: Self.ms(1), count: 5) + [nil])
        }
    }

    @Test("Commit points: frames that wait in a merge are held")
    func joins() async throws {
        // The other source sends nothing, so the frames wait in the merge until it ends.
        let probe = CommitProbe(Self.frames([("a", 1), ("a", 2), ("a", 3)]))
        let other = Feed()
        let out = Collector<TestNumber>()
        var plan = Plan.building()
        plan.add("source", source: probe.source)
        plan.add("other", source: other.source)
        plan.add("out", sink: out.sink(), from: ["source", "other"])
        let run = Run(plan)
        run.start()
        try await Self.wait(for: 3, of: probe)
        let held = probe.held
        #expect(held.map { $0.since("a") } == [Self.ms(1), Self.ms(1), Self.ms(1)])
        other.end()
        let report = await run.finished()
        #expect(report.isSuccess, "\(report.failures)")
        #expect(out.frames.count == 3)
    }

    @Test("Commit points: released streams end without the output of finish(), and return as new streams")
    func release() async {
        let list: [(StreamID, Int)] = [("a", 1), ("b", 2), ("a", 0), ("b", 0)]
        let probe = CommitProbe(Self.frames(list), releasing: [2: ["a"]])
        let out = Collector<TestNumber>()
        var plan = Plan.building()
        plan.add("source", source: probe.source)
        plan.add("sum", stage: SumUp())
        plan.add("out", sink: out.sink())
        let report = await Run(plan).finished()
        #expect(report.isSuccess, "\(report.failures)")
        // The 1 of the released stream is in no sum.
        #expect(out.frames.map(\.payload.value) == [0, 2])
        #expect(out.ended == [])
    }

    /// Returns a plan in which each of several busy sources has a stage that holds frames, and a sink.
    private func busy(
        _ names: [String], into out: Collector<TestNumber>, fills: Bool = false,
        onRead: @escaping @Sendable (Int64) -> Void = { _ in }
    ) -> Plan {
        var plan = Plan.building()
        for name in names {
            plan.add(name, source: BusySource(StreamID(name), fills: fills, onRead: onRead))
            plan.add("sum-\(name)", stage: SumUp())
            plan.add("out-\(name)", sink: out.sink())
        }
        return plan
    }

    @Test(
        "Commit points: the release of a stream that two sources share ends the run with an error only if their edges meet",
        arguments: [true, false])
    func sharedStream(meets: Bool) async {
        let (out, count) = (Collector<TestNumber>(), SharedCount())
        var plan = Plan.building()
        plan.add("a", source: SharingSource(count: count, releases: true))
        plan.add("b", source: SharingSource(count: count, releases: false))
        if meets {
            plan.add("out", sink: out.sink(), from: ["a", "b"])
        } else {
            for name in ["a", "b"] { plan.add("out-\(name)", sink: out.sink(), from: [name]) }
        }
        let report = await Run(plan).finished()
        #expect(report.failures.map(\.error.code) == (meets ? ["run.shared_stream"] : []))
    }

    // Only one source can commit at a time, so several sources must take turns.
    @Test(
        "Commit points: sources that are stopped while they are not reading still release their streams",
        arguments: [["a"], ["a", "b", "c"]])
    func stop(names: [String]) async {
        let out = Collector<TestNumber>()
        let running = Lock<Run?>(nil)
        let run = Run(busy(names, into: out) { if $0 == 3 { running.withLock { $0 }?.stop() } })
        running.withLock { $0 = run }
        let report = await run.finished()
        running.withLock { $0 = nil }
        #expect(report.isSuccess, "\(report.failures)")
        // Without the release, the end of the input would finish the streams, and sums would be emitted.
        #expect(out.frames.isEmpty, "\(out.frames)")
    }

    @Test(
        "Commit points: sources that reach their limit release their streams, and read nothing beyond the limit",
        arguments: [["a"], ["a", "b", "c"]])
    func limit(names: [String]) async {
        let out = Collector<TestNumber>()
        var options = Run.Options()
        options.limit = 70
        let report = await Run(busy(names, into: out, fills: true), options: options).finished()
        #expect(report.isSuccess, "\(report.failures)")
        for name in names { #expect(report.ledger.nodes.first { $0.id == name }?.received == 70) }
        #expect(out.frames.isEmpty, "\(out.frames)")
    }

    @Test("Commit points: a released stream is also released under its new name, even if no frame of it is held")
    func releaseRenamed() async {
        let probe = CommitProbe(Self.frames([("a", 1), ("b", 2), ("a", 3)]), releasing: [3: ["a"]])
        let out = Collector<TestNumber>()
        var plan = Plan.building()
        plan.add("source", source: probe.source)
        plan.add("rename", stage: Rename { $0 == "a" ? "x" : "y" })
        plan.add("out", sink: out.sink())
        let report = await Run(plan).finished()
        #expect(report.isSuccess, "\(report.failures)")
        #expect(out.frames.map(\.stream) == ["x", "y", "x"])
        #expect(out.ended == [])
    }

    @Test("Commit points: frames of released streams that wait in a merge count as dropped there")
    func releaseInJoin() async throws {
        let probe = CommitProbe(Self.frames([("a", 1), ("b", 2), ("a", 3)]), releasing: [2: ["a"]])
        let other = Feed()
        let out = Collector<TestNumber>()
        var plan = Plan.building()
        plan.add("source", source: probe.source)
        plan.add("other", source: other.source)
        plan.add("sum", stage: SumUp(), from: ["source", "other"])
        plan.add("out", sink: out.sink())
        let run = Run(plan)
        run.start()
        try await Self.wait(for: 3, of: probe)
        other.end()
        let report = await run.finished()
        #expect(report.isSuccess, "\(report.failures)")
        let node = report.ledger.nodes.first { $0.id == "sum" }
        #expect(node?.dropped["released"] == 1)
        #expect(out.frames.map(\.payload.value).sorted() == [-3, -2])
    }
}
