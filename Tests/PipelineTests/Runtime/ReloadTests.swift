import PipelineTesting
import Testing

@testable import Pipeline

@Suite("Changing the graph of a run", .timeLimit(.minutes(3)))
struct ReloadTests {
    private let feed = Feed()
    private let basin = Basin()

    /// Returns the plan `in → sum → plus → out`; without `plus` if its amount is `nil`.
    private func plan(
        factor: Int = 1, plus: Int? = 0, policy: EdgePolicy? = nil, workers: Int? = nil, mode: Mode = .batch,
        _ more: (inout Plan) -> Void = { _ in }
    ) -> Plan {
        var plan = Plan.building(mode: mode)
        plan.add("in", source: feed.source, rules: .init(onDisorder: .newEpoch))
        plan.add("sum", stage: RunningSum(factor: factor))
        plan.nodes[1].workers = workers
        if let plus { plan.add("plus", stage: Shift(amount: plus), policy: policy) }
        plan.add("out", sink: basin.sink)
        more(&plan)
        return plan
    }

    private let all: Set<String> = ["in", "sum", "plus", "out"]

    private func ended(_ run: Run, sourceLocation: SourceLocation = #_sourceLocation) async -> RunReport {
        feed.end()
        let report = await run.finished()
        #expect(report.violations == [], sourceLocation: sourceLocation)
        #expect(report.failures.isEmpty, "\(report.failures)", sourceLocation: sourceLocation)
        return report
    }

    private func started(_ plan: Plan) async -> Run {
        let run = Run(plan)
        run.start()
        feed.give([1, 2, 3], at: 1)
        await basin.wait(for: 3)
        return run
    }

    @Test(
        "A run continues with a changed stage: other stages keep their state, and nothing is opened again",
        arguments: [nil, 2])
    func keepsState(workers: Int?) async throws {
        let run = await started(plan(workers: workers))
        let change = try await run.reload(plan(plus: 100, workers: workers), keeping: all.subtracting(["plus"]))
        #expect(change.changed == ["plus"])
        feed.give([4], at: 10)
        let report = await ended(run)
        #expect(basin.numbers == [1, 3, 6, 110, 90])
        #expect((feed.opened, feed.closed, basin.opened, basin.closed) == (1, 1, 1, 1))
        #expect(report.ledger.nodes.map(\.received) == [4, 4, 5, 5])
    }

    @Test(
        "A replaced stage emits what it holds through the stages that followed it before the reload",
        arguments: [nil, 2])
    func flushes(workers: Int?) async throws {
        let run = await started(plan(workers: workers))
        try await run.reload(plan(factor: 10, plus: 100, workers: workers), keeping: ["in", "out"])
        feed.give([4], at: 10)
        _ = await ended(run)
        #expect(basin.numbers == [1, 3, 6, -6, 140, 60])
    }

    @Test("Reloads of the same graph do not change the output of a run, however many there are", arguments: [nil, 3])
    func same(workers: Int?) async throws {
        let run = await started(plan(workers: workers))
        for turn in 0..<20 {
            #expect(try await run.reload(plan(workers: workers), keeping: all).isEmpty)
            feed.give([turn], at: 10 + Int64(turn))
        }
        _ = await ended(run)
        let sums = (0..<20).map { 6 + $0 * ($0 + 1) / 2 }
        #expect(basin.numbers == [1, 3, 6] + sums + [-196])
        #expect((feed.opened, feed.closed, basin.opened, basin.closed) == (1, 1, 1, 1))
    }

    @Test("Reloads remove, add, fuse and separate stages, and the stages that stay keep their state")
    func shapes() async throws {
        let run = await started(plan())
        let other = Basin(mayBlock: false)
        let policy = EdgePolicy(capacity: 5)
        let change = try await run.reload(plan(plus: 5, policy: policy), keeping: ["in", "sum", "out"])
        #expect(change.changed == ["plus"])
        feed.give([1], at: 10)
        await basin.wait(for: 4)
        #expect(try await run.reload(plan(plus: nil), keeping: ["in", "sum", "out"]).removed == ["plus"])
        feed.give([1], at: 11)
        await basin.wait(for: 5)
        let added = try await run.reload(
            plan {
                $0.add("more", stage: RunningSum(), from: ["plus"]); $0.add("tee", sink: other.sink)
            },
            keeping: ["in", "sum", "out"])
        #expect(added.added == ["plus", "more", "tee"])
        feed.give([1], at: 12)
        await basin.wait(for: 6)
        try await run.reload(plan(), keeping: all)
        feed.give([1], at: 13)
        let report = await ended(run)
        #expect(basin.numbers == [1, 3, 6, 12, 8, 9, 10, -10])
        #expect(other.numbers == [9, -9])
        #expect((other.opened, other.closed, basin.opened, basin.closed) == (1, 1, 1, 1))
        // Removed nodes stay in the ledger of the run.
        #expect(Set(report.ledger.nodes.map(\.id)) == ["in", "sum", "plus", "more", "tee", "out"])
    }

    @Test("If reloads replace an edge, or take its place with direct calls, its ledger entry continues")
    func countsOfEdges() async throws {
        let run = await started(plan(policy: EdgePolicy(capacity: 5)))
        try await run.reload(plan(policy: EdgePolicy(capacity: 6)), keeping: all)
        feed.give([1], at: 10)
        await basin.wait(for: 4)
        var edges = run.ledger.edges.filter { $0.to == "plus" }
        #expect(edges.map(\.from) == ["sum"] && edges.map(\.offered) == [4] && edges.map(\.taken) == [4])
        try await run.reload(plan(), keeping: all)
        feed.give([1, 1], at: 11)
        let report = await ended(run)
        edges = report.ledger.edges.filter { $0.to == "plus" }
        #expect(edges.map(\.offered) == [4] && edges.map(\.taken) == [4])
        // Two frames, and the last one of the stage `sum` at the end.
        #expect(report.ledger.called(from: "sum", to: "plus") == 3)
    }

    @Test("A reload is refused if a node of the plan has no input, and the run goes on")
    func refusesNoInput() async throws {
        let run = await started(plan())
        let wrong = plan { $0.nodes[2].edges = [Plan.Edge(from: 99)] }
        await #expect {
            try await run.reload(wrong, keeping: all)
        } throws: {
            ($0 as? PipelineError)?.code == "plan.no_input"
        }
        #expect(await ended(run).isSuccess)
    }

    @Test("A replaced source is closed after its frames were passed on, and its streams start over")
    func changesSource() async throws {
        let run = await started(plan())
        let second = Feed()
        var other = plan()
        other.nodes[0].body = .source(second.source, .init())
        try await run.reload(other, keeping: ["sum", "plus", "out"])
        second.give([10], at: 1)
        await basin.wait(for: 5)
        #expect((feed.opened, feed.closed, second.opened, second.closed) == (1, 1, 1, 0))
        second.end()
        let report = await ended(run)
        #expect(basin.numbers == [1, 3, 6, -6, 10, -10])
        #expect(report.ledger.nodes[0].received == 4)
    }

    @Test("A sink that is called directly stays open when a reload replaces every source", arguments: [true, false])
    func changesSourcesOfCalledSink(hasStage: Bool) async throws {
        let called = Basin(mayBlock: false)
        let second = Feed()
        func plan(_ feed: Feed) -> Plan {
            var plan = Plan.building()
            plan.add("in", source: feed.source)
            if hasStage { plan.add("plus", stage: Shift(amount: 0)) }
            plan.add("out", sink: called.sink)
            return plan
        }
        let run = Run(plan(feed))
        run.start()
        feed.give([1, 2, 3], at: 1)
        await called.wait(for: 3)
        try await run.reload(plan(second), keeping: ["plus", "out"])
        second.give([4], at: 1)
        await called.wait(for: 4)
        #expect((called.opened, called.closed) == (1, 0))
        second.give([5], at: 2)
        second.end()
        _ = await ended(run)
        #expect(called.numbers == [1, 2, 3, 4, 5])
        #expect((called.opened, called.closed, called.spilled) == (1, 1, 0))
    }

    @Test("A new sink gets the frames after the reload, and the sink that it replaces is closed")
    func changesSink() async throws {
        let run = await started(plan())
        let second = Basin()
        var other = plan()
        other.nodes[3].body = .sink(second.sink)
        try await run.reload(other, keeping: ["in", "sum", "plus"])
        feed.give([4], at: 10)
        let report = await ended(run)
        #expect(basin.numbers == [1, 3, 6])
        #expect(second.numbers == [10, -10])
        #expect((basin.opened, basin.closed, second.opened, second.closed) == (1, 1, 1, 1))
        #expect(report.ledger.nodes[3].passed == 5)
    }

    @Test(
        "Frames that wait in a merge also wait in the next graph, and are emitted if the merge is removed",
        arguments: [true, false])
    func merge(isKept: Bool) async throws {
        let second = Feed()
        func plan(_ amount: Int, isMerged: Bool) -> Plan {
            var plan = Plan.building()
            plan.add("in", source: feed.source)
            plan.add("other", source: second.source)
            plan.add("plus", stage: Shift(amount: amount), from: isMerged ? ["in", "other"] : ["in"])
            plan.add("out", sink: basin.sink)
            if !isMerged { plan.add("rest", sink: Collector<TestNumber>().sink(), from: ["other"]) }
            return plan
        }
        let run = Run(plan(0, isMerged: true))
        run.start()
        feed.give([1, 2, 3], at: 1)
        second.give([10], at: 2)
        await basin.wait(for: 3)
        try await run.reload(plan(100, isMerged: isKept), keeping: ["in", "other", "out"])
        second.give([20], at: 10)
        second.end()
        _ = await ended(run)
        #expect(basin.numbers == (isKept ? [1, 2, 10, 103, 120] : [1, 2, 10, 3]))
    }

    @Test(
        "A live merge that gets another branch goes on: the sink stays open, and every frame arrives",
        arguments: [true, false])
    func liveMerge(hasStage: Bool) async throws {
        let feeds = ["a": feed, "b": Feed(), "c": Feed()]
        func plan(_ names: [String]) -> Plan {
            var plan = Plan.building(mode: .live)
            for name in names { plan.add(name, source: feeds[name, default: feed].source) }
            if hasStage { plan.add("plus", stage: Shift(amount: 0), from: names) }
            plan.add("out", sink: basin.sink, from: hasStage ? [] : names)
            return plan
        }
        func give(_ names: [String], _ number: Int, at time: Int64) {
            for name in names { feeds[name]?.give([number], at: time, stream: StreamID(name)) }
        }
        let run = Run(plan(["a", "b"]))
        run.start()
        give(["a", "b"], 1, at: 1)
        await basin.wait(for: 2)
        try await run.reload(plan(["a", "b", "c"]), keeping: ["a", "b", "plus", "out"])
        #expect((basin.opened, basin.closed) == (1, 0))
        give(["a", "b", "c"], 2, at: 2)
        for feed in feeds.values { feed.end() }
        let report = await ended(run)
        #expect(basin.numbers == [1, 1, 2, 2, 2])
        #expect((basin.opened, basin.closed, basin.spilled) == (1, 1, 0))
        #expect(report.ledger.losses == 0)
    }

    @Test("Frames that wait before a full live merge come out when the merge is taken apart")
    func fullLiveMerge() async throws {
        let (second, seen) = (Feed(), Basin())
        func plan(_ names: [String]) -> Plan {
            var plan = Plan.building(mode: .live)
            plan.add("in", source: feed.source)
            plan.add("other", source: second.source)
            let policy = EdgePolicy(capacity: 100, onFull: .dropOldest)
            plan.add("out", sink: basin.sink, from: names, policy: policy)
            plan.add("seen", sink: seen.sink, from: ["in"])
            return plan
        }
        let kept: Set<String> = ["in", "other", "out", "seen"]
        let run = Run(plan(["in", "other"]))
        run.start()
        second.give([0], at: 1)
        await basin.wait(for: 1)
        // An earlier frame of the stream may still arrive on the other edge, so these frames wait in the merge and fill it.
        feed.give(Array(1...100), at: 1_000_001)
        await seen.wait(for: 100)
        #expect(try await run.reload(plan(["in", "other"]), keeping: kept).isEmpty)
        // The merge is full, so these frames wait on their edge.
        feed.give(Array(101...106), at: 1_000_101)
        await seen.wait(for: 106)
        try await run.reload(plan(["other"]), keeping: kept)
        second.end()
        _ = await ended(run)
        #expect(basin.numbers == Array(0...106))
    }

    // MARK: Branches that have ended

    /// `short → first` and `in → out`. The sink `first` has already ended.
    private func runWithEndedBranch(_ short: Feed, _ first: Basin, _ plan: Plan) async throws -> Run {
        let run = Run(plan)
        run.start()
        feed.give([1], at: 1)
        short.give([10, 20], at: 1)
        short.end()
        await basin.wait(for: 1)
        await first.waitForClosing()
        return run
    }

    private func branches(_ short: Feed, _ first: any Sink, of reads: String = "short", id: String = "first") -> Plan {
        var plan = Plan.building()
        plan.add("in", source: feed.source)
        plan.add("short", source: short.source)
        plan.add("out", sink: basin.sink, from: ["in"])
        plan.add(id, sink: first, from: [reads])
        return plan
    }

    @Test("After a reload, a sink whose input had ended stays closed: it gets no frames, and nothing calls it")
    func endedBranchStays() async throws {
        let (short, first) = (Feed(), Basin())
        let run = try await runWithEndedBranch(short, first, branches(short, first.sink))
        #expect(try await run.reload(branches(short, first.sink), keeping: ["in", "short", "out", "first"]).isEmpty)
        feed.give([2], at: 2)
        _ = await ended(run)
        #expect(basin.numbers == [1, 2])
        #expect(first.numbers == [10, 20])
        #expect((first.opened, first.closed, first.spilled, first.flushedWhileClosed) == (1, 1, 0, 0))
    }

    @Test("A reload that would send frames to a sink whose input had ended is refused, and the run goes on unchanged")
    func endedSinkIsRefused() async throws {
        let (short, first) = (Feed(), Basin())
        let run = try await runWithEndedBranch(short, first, branches(short, first.sink))
        let error = await #expect(throws: PipelineError.self) {
            try await run.reload(branches(short, first.sink, of: "in"), keeping: ["in", "short", "out", "first"])
        }
        #expect(error?.code == "reload.ended")
        #expect(error?.message.hasPrefix("\"first\" has ended") == true)
        feed.give([2], at: 2)
        await basin.wait(for: 2)
        // Under another id, the sink is a new component.
        let second = Basin()
        try await run.reload(
            branches(short, second.sink, of: "in", id: "second"), keeping: ["in", "short", "out"])
        feed.give([3], at: 3)
        let report = await ended(run)
        #expect(basin.numbers == [1, 2, 3])
        #expect((first.numbers, second.numbers) == ([10, 20], [3]))
        #expect((first.opened, first.closed, first.spilled, first.flushedWhileClosed) == (1, 1, 0, 0))
        #expect(report.ledger.nodes.first { $0.id == "first" }?.passed == 2)
    }

    @Test("When a reload replaces a source that has ended, the stages after it pass the new frames to a new sink")
    func endedSourceIsReplaced() async throws {
        let (short, first) = (Feed(), Basin())
        func plan(_ source: Feed, _ sink: any Sink) -> Plan {
            var plan = Plan.building()
            plan.add("in", source: feed.source)
            plan.add("short", source: source.source)
            plan.add("sum", stage: RunningSum(), from: ["short"])
            plan.add("plus", stage: Shift(amount: 0), policy: EdgePolicy(capacity: 5))
            plan.add("first", sink: sink)
            plan.add("out", sink: basin.sink, from: ["in"])
            return plan
        }
        let run = try await runWithEndedBranch(short, first, plan(short, first.sink))
        let (next, second) = (Feed(), Basin())
        try await run.reload(plan(next, second.sink), keeping: ["in", "sum", "plus", "out"])
        next.give([1, 2], at: 1)
        next.end()
        _ = await ended(run)
        #expect(first.numbers == [10, 30, -30])
        #expect(second.numbers == [1, 3, -3])
    }

    @Test("If a reload replaces an edge before a join, the ledger still accounts for every joined frame")
    func joined() async throws {
        struct Join: AlignedStage {
            typealias Element = TestNumber
            let alignment = Alignment()

            mutating func process(
                _ set: Aligned<TestNumber>, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
            ) {
                emitter.emit(TestNumber(set.values.reduce(0) { $0 + ($1?.value ?? 0) }))
            }
        }
        func plan(_ capacity: Int) -> Plan {
            var plan = Plan.building()
            plan.add("in", source: feed.source)
            plan.add("plus", stage: Shift(amount: 100))
            plan.add("join", stage: Join(), from: ["in", "plus"], policy: EdgePolicy(capacity: capacity))
            plan.add("out", sink: basin.sink)
            return plan
        }
        let run = Run(plan(10))
        run.start()
        feed.give([1, 2, 3], at: 1)
        await basin.wait(for: 3)
        try await run.reload(plan(20), keeping: ["in", "plus", "join", "out"])
        feed.give([4], at: 10)
        let report = await ended(run)
        #expect(basin.numbers == [102, 104, 106, 108])
        #expect(report.ledger.nodes.compactMap(\.alignment).map(\.used) == [8])
    }

    @Test(
        "If a reload changes the edges of a merge, the frames that wait in it keep their order",
        arguments: [false, true])
    func merged(isInserted: Bool) async throws {
        let (other, out) = (Feed(), Basin())
        func plan(_ capacity: Int, _ isInserted: Bool = false) -> Plan {
            var plan = Plan.building()
            plan.add("in", source: feed.source)
            plan.add("other", source: other.source)
            if isInserted { plan.add("shift", stage: Shift(amount: 0), from: ["other"]) }
            plan.add(
                "merge", stage: Shift(amount: 0), from: ["in", isInserted ? "shift" : "other"],
                policy: EdgePolicy(capacity: capacity))
            plan.add("out", sink: out.sink)
            return plan
        }
        let run = Run(plan(64))
        run.start()
        // All frames wait for the next frame of the first source.
        feed.give([1], at: 1)
        other.give(Array(2...40), at: 2)
        while run.ledger.edges.first(where: { $0.from == "other" })?.offered != 39 {
            try await Task.sleep(for: .milliseconds(1))
        }
        try await run.reload(plan(isInserted ? 64 : 99, isInserted), keeping: ["in", "other", "merge", "out"])
        feed.give([100, 101, 102], at: 10)
        other.end()
        let report = await ended(run)
        #expect(out.numbers == [1] + Array(2...9) + [100, 10, 101, 11, 102, 12] + Array(13...40))
        #expect(report.ledger.losses == 0)
    }

    @Test("If a reload removes a sink that holds frames, the ledger counts them as written")
    func removedSink() async throws {
        /// A sink that writes everything when it is closed.
        struct Holder: Sink {
            var unwritten = 0
            mutating func write(_ frame: Frame<TestNumber>) { unwritten += 1 }
            mutating func drain() {}
            mutating func close() async { unwritten = 0 }
        }
        let run = await started(plan { $0.add("holder", sink: Holder(), from: ["in"]) })
        try await run.reload(plan(), keeping: all)
        let report = await ended(run)
        #expect(report.ledger.nodes.first { $0.id == "holder" }?.passed == 3)
    }

    @Test("A reload that fails leaves the run as it was")
    func refused() async throws {
        let run = await started(plan())
        let broken = Basin(isBroken: true)
        let third = Feed()
        let leaking = plan(factor: 2) {
            $0.add("third", source: third.source)
            $0.add("leak", sink: broken.sink, from: ["third"])
        }
        await #expect(throws: PipelineError.self) { try await run.reload(leaking, keeping: []) }
        var live = plan()
        live.mode = .live
        live.latenessMs = 7
        let error = await #expect(throws: PipelineError.self) { try await run.reload(live, keeping: all) }
        #expect(error?.code == "reload.needs_restart")
        #expect(error?.message.contains("its mode, lateness_ms") == true)
        feed.give([4], at: 10)
        let report = await ended(run)
        #expect(basin.numbers == [1, 3, 6, 10, -10])
        #expect((third.opened, third.closed, broken.opened) == (1, 1, 1))
        #expect(report.ledger.nodes.map(\.id) == ["in", "sum", "plus", "out"])
        await #expect(throws: PipelineError.self) { try await run.reload(plan(), keeping: all) }
    }

    /// Returns the error of a reload that fails.
    private func refusal(of run: Run, _ plan: Plan, keeping kept: Set<String>) async -> PipelineError? {
        do { try await run.reload(plan, keeping: kept) } catch { return PipelineError(wrapping: error) }
        return nil
    }

    @Test("A reload of a run whose asynchronous stage gets no answer fails and names the stage")
    func stuckCall() async throws {
        struct Ask: AsyncStage {
            let question: Milestone
            let answer: Milestone
            func process(_ frame: Frame<TestNumber>) async -> [TestNumber] {
                question.reach()
                await answer.wait()
                return [frame.payload]
            }
        }
        let (question, answer) = (Milestone(), Milestone())
        func plan(_ amount: Int) -> Plan {
            var plan = Plan.building()
            plan.add("in", source: feed.source)
            plan.add("ask", asyncStage: Ask(question: question, answer: answer))
            plan.add("plus", stage: Shift(amount: amount))
            plan.add("out", sink: basin.sink)
            return plan
        }
        let run = Run(plan(0))
        run.start()
        feed.give([1], at: 1)
        await question.wait()
        let error = await refusal(of: run, plan(100), keeping: ["in", "ask", "out"])
        #expect(error?.code == "reload.busy")
        #expect(error?.message.contains("still waiting for ask;") == true, "\(error?.message ?? "")")
        answer.reach()
        _ = await ended(run)
        #expect(basin.numbers == [1])
    }

    @Test("An asynchronous stage delivers its answers before the graph changes")
    func asynchronous() async throws {
        struct Late: AsyncStage {
            func process(_ frame: Frame<TestNumber>) async -> [TestNumber] {
                for _ in 0..<50 { await Task.yield() }
                return [frame.payload]
            }
        }
        func plan(_ amount: Int) -> Plan {
            var plan = Plan.building()
            plan.add("in", source: feed.source)
            plan.add("late", asyncStage: Late())
            plan.add("plus", stage: Shift(amount: amount))
            plan.add("out", sink: basin.sink)
            return plan
        }
        let run = Run(plan(0))
        run.start()
        feed.give([1, 2, 3], at: 1)
        await basin.wait(for: 1)
        try await run.reload(plan(100), keeping: ["in", "late", "out"])
        feed.give([4], at: 10)
        _ = await ended(run)
        #expect(basin.numbers == [1, 2, 3, 104])
    }
}
