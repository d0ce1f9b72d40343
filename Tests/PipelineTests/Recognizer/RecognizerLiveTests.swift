import PipelineTesting
import Testing

@testable import Pipeline

@Suite("A live recognizer")
struct RecognizerLiveTests {
    @Test(
        "Live recognizer: every accepted frame ends in one call: with its output, without output, or with an error"
    )
    func endings() async throws {
        let delegate = GatedDelegate()
        let recognizer = try NumberRecognizer.live(to: delegate)
        var calls = delegate.calls.makeAsyncIterator()
        for (time, value) in [1, -1, 1000, Obey.refused, 2].enumerated() {
            #expect(try recognizer.recognizeAsync(TestNumber(value), timestampMilliseconds: Int64(time)) == .accepted)
            let call = await calls.next()
            #expect(call?.timestamp == .milliseconds(Int64(time)))
        }
        let report = try await recognizer.close()
        #expect(delegate.results.map(\.values) == [[1], [], [1001, 1002, 1003], [], [2]])
        #expect(delegate.results.map(\.error?.code) == [nil, nil, nil, "obey.refused", nil])
        #expect(delegate.results.allSatisfy { $0.gap == 0 })
        #expect(recognizer.unfinished == 0)
        #expect(report.isSuccess)
        #expect(report.violations == [])
    }

    @Test(
        "Live recognizer: while the delegate is busy, frames are delivered or dropped as in the golden vectors",
        arguments: FlightStateTests.golden.filter { $0.policy.capacity > 0 })
    func golden(golden: FlightStateTests.Golden) async throws {
        let delegate = GatedDelegate(isGated: true)
        let drops = DropLog()
        let recognizer = try NumberRecognizer.live(
            policy: golden.policy, to: delegate, onDrop: { drops.add($0) })
        var calls = delegate.calls.makeAsyncIterator()
        var refused: [Int] = []
        func send(_ time: Int) throws {
            let acceptance = try recognizer.recognizeAsync(TestNumber(time), timestampMilliseconds: Int64(time))
            if acceptance != .accepted {
                #expect(acceptance == .dropped(.edgeFull))
                refused.append(time)
            }
        }
        try send(0)
        _ = await calls.next()
        for round in 0...8 {
            try send(10 * round + 5)
            try send(10 * round + 10)
            delegate.letGo()
            _ = await calls.next()
        }
        delegate.letGo(100)
        let report = try await recognizer.close()
        let milliseconds = { (time: Timestamp) in Int(time.rawValue / 1000) }
        #expect(delegate.results.map { milliseconds($0.timestamp) } == golden.delivered)
        #expect(delegate.results.map(\.values) == golden.delivered.map { [$0] })
        #expect(drops.records.map { milliseconds($0.timestamp) } == golden.dropped)
        #expect(refused == (golden.policy.onFull == .dropNewest ? golden.dropped : []))
        // A dropped frame is part of the next result's gap, and of no other gap.
        let gaps = zip([-1] + golden.delivered, golden.delivered).map { before, time in
            golden.dropped.count { before < $0 && $0 < time }
        }
        #expect(delegate.results.map { Int($0.gap) } == gaps)
        #expect(delegate.results.allSatisfy { $0.frames.allSatisfy { [gap = $0.gap] in $0.gap == gap } })
        #expect(report.isSuccess)
    }

    @Test(
        "Live recognizer: a delegate that blocks delays no caller, and only the newest frame of each stream waits meanwhile",
        arguments: [1, 16])
    func blockedDelegate(streams: Int) async throws {
        let delegate = GatedDelegate(isGated: true)
        let recognizer = try NumberRecognizer.live(to: delegate)
        var calls = delegate.calls.makeAsyncIterator()
        try recognizer.recognizeAsync(0, timestampMicroseconds: 0, stream: "s0")
        _ = await calls.next()
        var most = 0
        for time in 1...5001 {
            for stream in 0..<streams {
                let acceptance = try recognizer.recognizeAsync(
                    TestNumber(time % 100), timestampMicroseconds: Int64(time), stream: StreamID("s\(stream)"))
                #expect(acceptance == .accepted)
            }
            most = max(most, recognizer.unfinished)
        }
        // Only the newest frame of each stream is unfinished. The frame whose result the delegate is handling does not count.
        #expect(most == streams)
        delegate.letGo(1 + streams)
        let report = try await recognizer.close()
        #expect(report.isSuccess)
        #expect(delegate.results.count == 1 + streams)
        #expect(delegate.results.dropFirst().map(\.values) == Array(repeating: [1], count: streams))
        #expect(delegate.results.dropFirst().map(\.gap) == Array(repeating: 5000, count: streams))
    }

    @Test("Live recognizer: a delegate that blocks delays only its own recognizer, since it uses no thread of the pool")
    func pool() async throws {
        let delegates = (0..<16).map { _ in GatedDelegate(isGated: true) }
        let recognizers = try delegates.map { try NumberRecognizer.live(to: $0) }
        for (recognizer, delegate) in zip(recognizers, delegates) {
            try recognizer.recognizeAsync(1, timestampMilliseconds: 1)
            var calls = delegate.calls.makeAsyncIterator()
            _ = await calls.next()
        }
        // Sixteen calls are blocked, but this one is still executed.
        #expect(await Task.detached { 42 }.value == 42)
        for delegate in delegates { delegate.letGo() }
        for recognizer in recognizers { try await recognizer.close() }
    }

    @Test(
        "Live recognizer: a timestamp that does not increase or is invalid throws, and leaves no gap")
    func order() async throws {
        let delegate = GatedDelegate()
        let recognizer = try NumberRecognizer.live(to: delegate)
        var calls = delegate.calls.makeAsyncIterator()
        try recognizer.recognizeAsync(1, timestampMilliseconds: 5)
        _ = await calls.next()
        for (time, code) in [(5, "order"), (4, "order"), (-1, "range"), (Int64.max, "range")] {
            let error = #expect(throws: PipelineError.self) {
                try recognizer.recognizeAsync(1, timestampMilliseconds: time)
            }
            #expect(error?.code == "recognizer.timestamp_\(code)")
        }
        #expect(recognizer.unfinished == 0)
        try recognizer.recognizeAsync(2, timestampMicroseconds: 5001)
        _ = await calls.next()
        try await recognizer.close()
        #expect(delegate.results.map(\.values) == [[1], [2]])
        #expect(delegate.results.map(\.gap) == [0, 0])
    }

    @Test(
        "Live recognizer: output that a stage emits when woken, or at the end, comes in its own call, with its time"
    )
    func wokenBetweenFrames() async throws {
        let delegate = GatedDelegate()
        let clock = VirtualClock()
        let recognizer = try NumberRecognizer.live(GiveLater(), to: delegate, clock: clock)
        try await clock.run {
            try recognizer.recognizeAsync(1, timestampMilliseconds: 0)
            try await clock.sleep(until: clock.now + 1_000_000_000)
            try recognizer.recognizeAsync(2, timestampMilliseconds: 1000)
            try await clock.sleep(until: clock.now + 1_000_000)
            try await recognizer.close()
        }
        #expect(delegate.results.map(\.timestamp) == [0, 10, 1000, 1000].map { .milliseconds($0) })
        #expect(delegate.results.map(\.values) == [[], [1], [], [2]])
    }

    @Test("Live recognizer: a late frame is dropped and reported to its caller, even if the pipeline is to fail")
    func late() async throws {
        let delegate = GatedDelegate()
        let clock = VirtualClock()
        var plan = Plan.building(mode: .live)
        plan.onLate = .fail
        plan.add("in", source: FramesSource<TestNumber>([]))
        plan.add("later", stage: GiveLater(), policy: EdgePolicy(capacity: 1, onFull: .dropOldest))
        var options = NumberRecognizer.Options()
        (options.runningMode, options.delegate, options.clock) = (.live, delegate, clock)
        let recognizer = try NumberRecognizer(plan, options: options)
        try await clock.run {
            try recognizer.recognizeAsync(1, timestampMilliseconds: 0)
            try await clock.sleep(until: clock.now + 1_000_000_000)
            #expect(try recognizer.recognizeAsync(2, timestampMilliseconds: 5) == .dropped(.late))
            #expect(try recognizer.recognizeAsync(3, timestampMilliseconds: 1000) == .accepted)
            try await clock.sleep(until: clock.now + 1_000_000)
            try await recognizer.close()
        }
        #expect(delegate.results.map(\.values) == [[], [1], [], [3]])
    }

    @Test("Live recognizer: results can be read as a sequence; a frame is finished when the next result is requested")
    func sequence() async throws {
        var options = NumberRecognizer.Options()
        options.runningMode = .live
        options.resultsAreSequence = true
        let recognizer = try NumberRecognizer(StageChain(Obey()), options: options)
        var results = try recognizer.results().makeAsyncIterator()
        try recognizer.recognizeAsync(1, timestampMilliseconds: 1)
        #expect(await results.next()?.values == [1])
        // The reader is still handling the first result.
        for time in 2...100 { try recognizer.recognizeAsync(TestNumber(time), timestampMilliseconds: Int64(time)) }
        #expect(recognizer.unfinished == 1)
        let last = await results.next()
        #expect(last?.values == [100])
        #expect(last?.gap == 98)
        try recognizer.recognizeAsync(TestNumber(Obey.refused), timestampMilliseconds: 101)
        #expect(await results.next()?.error?.code == "obey.refused")
        let report = try await recognizer.close()
        #expect(await results.next() == nil)
        #expect(report.isSuccess)
    }

    @Test("Live recognizer: when the reader of the results stops reading, the recognizer is closed")
    func readerStops() async throws {
        var options = NumberRecognizer.Options()
        options.runningMode = .live
        options.resultsAreSequence = true
        let recognizer = try NumberRecognizer(StageChain(Obey()), options: options)
        do {
            var results = try recognizer.results().makeAsyncIterator()
            try recognizer.recognizeAsync(1, timestampMilliseconds: 1)
            #expect(await results.next() != nil)
        }
        let error = #expect(throws: PipelineError.self) { try recognizer.recognizeAsync(1, timestampMilliseconds: 2) }
        #expect(error?.code == "recognizer.closed")
    }

    @Test("Live recognizer: a closed recognizer refuses frames, and every frame that it accepted has ended")
    func closed() async throws {
        let delegate = GatedDelegate()
        let recognizer = try NumberRecognizer.live(
            policy: EdgePolicy(capacity: 50, onFull: .dropNewest, inFlight: 1), to: delegate)
        for time in 1...50 { try recognizer.recognizeAsync(TestNumber(time), timestampMilliseconds: Int64(time)) }
        try await recognizer.close()
        #expect(delegate.results.map(\.values) == (1...50).map { [$0] })
        let error = #expect(throws: PipelineError.self) { try recognizer.recognizeAsync(1, timestampMilliseconds: 99) }
        #expect(error?.code == "recognizer.closed")
        // Closing again does nothing.
        #expect(try await recognizer.close().isSuccess)
    }

    @Test("Live recognizer: the delegate is not kept alive; without it, frames are still processed and end")
    func delegateGone() async throws {
        weak var gone: GatedDelegate?
        let recognizer: NumberRecognizer
        do {
            let delegate = GatedDelegate()
            gone = delegate
            recognizer = try NumberRecognizer.live(to: delegate)
        }
        #expect(gone == nil)
        for time in 1...10 { try recognizer.recognizeAsync(1, timestampMilliseconds: Int64(time)) }
        let report = try await recognizer.close()
        #expect(recognizer.unfinished == 0)
        #expect(report.isSuccess)
    }

    @Test("Live recognizer: a frame that goes to several branches ends once, with the output of all branches")
    func branches() async throws {
        var plan = Plan.building(mode: .live)
        let policy = EdgePolicy(capacity: 1, onFull: .dropOldest, inFlight: 1)
        plan.add("in", source: FramesSource<TestNumber>([]))
        plan.add("a", stage: Obey(), policy: policy)
        plan.add("b", stage: Obey(), from: ["in"], policy: policy)
        plan.add("both", stage: Obey(), from: ["a", "b"])
        plan.add("out", sink: Collector<TestNumber>().sink())
        let (delegate, drops) = (GatedDelegate(isGated: true), DropLog())
        var options = NumberRecognizer.Options()
        options.runningMode = .live
        options.delegate = delegate
        options.onDrop = { drops.add($0) }
        let recognizer = try NumberRecognizer(plan, options: options)
        var calls = delegate.calls.makeAsyncIterator()
        // Wait until the first frame has passed both branches. A frame that waits for the other branch holds no credit, so the
        // number of frames on one branch would otherwise depend on which branch is slower.
        try recognizer.recognizeAsync(TestNumber(1), timestampMilliseconds: 1)
        _ = await calls.next()
        for time in 2...10 { try recognizer.recognizeAsync(TestNumber(time), timestampMilliseconds: Int64(time)) }
        #expect(recognizer.unfinished == 1)
        delegate.letGo(100)
        try await recognizer.close()
        #expect(delegate.results.map(\.values) == [[1, 1], [10, 10]])
        #expect(delegate.results.map(\.gap) == [0, 8])
        #expect(drops.records.count == 16)
    }

    @Test("Live recognizer: a frame without output ends although a stage before a merge may emit earlier timestamps")
    func earlierStamps() async throws {
        var plan = Plan.building(mode: .live)
        let policy = EdgePolicy(capacity: 8, onFull: .dropOldest, inFlight: 1)
        plan.add("in", source: FramesSource<TestNumber>([]))
        plan.add("a", stage: Obey(), policy: policy)
        plan.add("early", stage: Early())
        plan.add("b", stage: Obey(), from: ["in"], policy: policy)
        plan.add("both", stage: Obey(), from: ["early", "b"])
        let delegate = GatedDelegate()
        var options = NumberRecognizer.Options()
        (options.runningMode, options.delegate) = (.live, delegate)
        let recognizer = try NumberRecognizer(plan, options: options)
        // The first and the last frame are dropped before the merge.
        for (value, time) in [(-1, 1), (2, 2), (3, 3), (-4, 4)] {
            try recognizer.recognizeAsync(TestNumber(value), timestampMilliseconds: Int64(time))
        }
        #expect(try await recognizer.close().isSuccess)
        #expect(recognizer.unfinished == 0)
        #expect(delegate.results.map(\.values) == [[], [2, 2], [3, 3], []])
        #expect(delegate.results.map(\.timestamp) == [1, 2, 3, 4].map { .milliseconds($0) })
    }

    @Test("Live recognizer: after close() the report counts no delivered result as left over")
    func nothingLeft() async throws {
        let delegate = GatedDelegate(isGated: true)
        let recognizer = try NumberRecognizer.live(
            policy: EdgePolicy(capacity: 4, onFull: .dropOldest, inFlight: 4), to: delegate)
        guard case .live(let live, _) = recognizer.work else { return #expect(Bool(false), "it is live") }
        _ = try recognizer.recognizeAsync(1, timestampMilliseconds: 0)
        for await _ in delegate.calls { break }
        // While the delegate is busy, two results wait and the run ends.
        _ = try recognizer.recognizeAsync(2, timestampMilliseconds: 1)
        _ = try recognizer.recognizeAsync(3, timestampMilliseconds: 2)
        live.run.stop()
        let before = await live.run.finished().ledger.edges.first { $0.isReadOutside }
        #expect(before?.left == 2)
        delegate.letGo(3)
        let after = try await recognizer.close().ledger.edges.first { $0.isReadOutside }
        #expect(delegate.results.flatMap(\.values) == [1, 2, 3])
        #expect(after?.left == 0)
        #expect(after?.taken == 3)
    }
}
