import PipelineTesting
import Testing

@testable import Pipeline
@testable import PipelineConfiguration

@Suite("A recognizer that is used wrongly")
struct RecognizerMisuseTests {
    @Test(
        "Misused recognizer: a call of another mode names the required mode and the actual one",
        arguments: RunningMode.allCases
    )
    func wrongMode(mode: RunningMode) async throws {
        let delegate = GatedDelegate()
        let recognizer =
            mode == .live ? try NumberRecognizer.live(to: delegate) : try NumberRecognizer.called(mode)
        let calls: [(RunningMode, () throws -> Void)] = [
            (.single, { _ = try recognizer.recognize(1) }),
            (.batch, { _ = try recognizer.recognize(1, timestampMilliseconds: 1) }),
            (.batch, { _ = try recognizer.recognize(1, timestampMicroseconds: 2000) }),
            (.batch, { _ = try recognizer.finish() }),
            (.live, { _ = try recognizer.recognizeAsync(1, timestampMilliseconds: 1) }),
            (.live, { _ = try recognizer.recognizeAsync(1, timestampMicroseconds: 2000) }),
        ]
        for (required, call) in calls {
            guard required != mode else {
                try call()
                continue
            }
            let error = #expect(throws: PipelineError.self) { try call() }
            #expect(error?.code == "recognizer.wrong_mode")
            #expect(error?.message.contains("requires the running mode \(required)") ?? false)
            #expect(error?.message.hasSuffix("this recognizer's is \(mode)") ?? false)
            #expect(error?.help != nil)
        }
        if mode == .live {
            try await recognizer.close()
        } else {
            await #expect(throws: PipelineError.self) { try await recognizer.close() }
            #expect(throws: PipelineError.self) { try recognizer.results() }
        }
    }

    @Test(
        "Misused recognizer: options that contradict each other are refused when the recognizer is made",
        arguments: [
            (RunningMode.live, false, false, "recognizer.no_delegate"),
            (.live, true, true, "recognizer.two_ways"),
            (.batch, true, false, "recognizer.delegate_outside_live"),
            (.single, true, false, "recognizer.delegate_outside_live"),
            (.batch, false, true, "recognizer.delegate_outside_live"),
        ])
    func options(mode: RunningMode, hasDelegate: Bool, isSequence: Bool, code: String) throws {
        let delegate = GatedDelegate()
        var options = NumberRecognizer.Options()
        options.runningMode = mode
        options.delegate = hasDelegate ? delegate : nil
        options.resultsAreSequence = isSequence
        let error = #expect(throws: PipelineError.self) {
            _ = try NumberRecognizer(StageChain(Obey()), options: options)
        }
        #expect(error?.code == code)
        #expect(error?.category == .configuration)
        #expect(error?.message.contains("\(mode)") ?? false || code == "recognizer.two_ways")
        #expect(error?.help != nil)
    }

    @Test("Misused recognizer: a sequence of results is refused when they go to a delegate")
    func sequenceBesideDelegate() async throws {
        let delegate = GatedDelegate()
        let recognizer = try NumberRecognizer.live(to: delegate)
        let error = #expect(throws: PipelineError.self) { try recognizer.results() }
        #expect(error?.code == "recognizer.no_sequence")
        try await recognizer.close()
    }

    private static let text = """
        version: 1
        sources:
          - count
        stages:
          - scale: { factor: 3 }
        sinks:
          - print
        """

    private func plan(_ text: String = text, settings: [String] = []) throws -> Plan {
        let loaded = PipelineLoader(registry: .small, overrides: settings).load(text: text)
        return try #require(loaded.plan, "\(DiagnosticRenderer(texts: loaded.texts).render(loaded.diagnostics))")
    }

    @Test("Recognizer: one configuration can be used in all modes, and its sinks are left out")
    func configuration() async throws {
        typealias Tripler = Recognizer<Number, Number>
        #expect(try Tripler(plan()).recognize(Number(value: 2)).payloads == [Number(value: 6)])
        var options = Tripler.Options()
        options.runningMode = .batch
        let batch = try Tripler(plan(), input: "count", output: "scale", options: options)
        #expect(try batch.recognize(Number(value: 3), timestampMilliseconds: 1).payloads == [Number(value: 9)])
        options.runningMode = .live
        options.resultsAreSequence = true
        let live = try Tripler(plan(settings: ["mode=live"]), options: options)
        try live.recognizeAsync(Number(value: 4), timestampMilliseconds: 1)
        var results = try live.results().makeAsyncIterator()
        #expect(await results.next()?.payloads == [Number(value: 12)])
        let report = try await live.close()
        #expect(report.ledger.nodes.map(\.id) == ["count", "scale"])
        #expect(report.isSuccess)
    }

    @Test(
        "Misused recognizer: a pipeline that cannot be called is refused when the recognizer is made",
        arguments: [
            ("mode=live", nil, nil, "recognizer.plan_mode"),
            ("mode=batch", "camera", nil, "recognizer.input"),
            ("mode=batch", nil, "scael", "recognizer.output"),
            ("mode=batch", nil, "print", "recognizer.output"),
        ] as [(String, String?, String?, String)])
    func refused(setting: String, input: String?, output: String?, code: String) throws {
        let plan = try plan(settings: [setting])
        let error = #expect(throws: PipelineError.self) {
            _ = try Recognizer<Number, Number>(plan, input: input, output: output)
        }
        #expect(error?.code == code)
        #expect(error?.help != nil)
    }

    @Test("Misused recognizer: the input and output of the pipeline must have the recognizer's types")
    func types() throws {
        let plan = try plan()
        for error in [
            #expect(throws: PipelineError.self) { _ = try Recognizer<Word, Number>(plan) },
            #expect(throws: PipelineError.self) { _ = try Recognizer<Number, Word>(plan) },
        ] {
            #expect(error?.code == "recognizer.wrong_payload")
        }
    }

    @Test("Misused recognizer: edges that would make a caller wait, or lose an accepted frame, are refused")
    func edges() throws {
        func code(_ mode: RunningMode, first: EdgePolicy, second: EdgePolicy) throws -> String? {
            var plan = Plan.building(mode: mode.planMode)
            plan.add("in", source: FramesSource<TestNumber>([]))
            plan.add("a", stage: Obey(), policy: first)
            plan.add("b", stage: Obey(), policy: second)
            plan.add("out", sink: Collector<TestNumber>().sink())
            var options = NumberRecognizer.Options()
            options.runningMode = mode
            options.resultsAreSequence = mode == .live
            do {
                _ = try NumberRecognizer(plan, options: options)
                return nil
            } catch {
                return error.code
            }
        }
        let wait = EdgePolicy()
        let busy = EdgePolicy(capacity: 1, onFull: .dropOldest, inFlight: 1)
        #expect(try code(.live, first: busy, second: wait) == nil)
        #expect(try code(.live, first: wait, second: wait) == "recognizer.edge")
        #expect(try code(.live, first: busy, second: EdgePolicy(onFull: .dropNewest)) == "recognizer.edge")
        #expect(try code(.batch, first: wait, second: wait) == nil)
        #expect(try code(.batch, first: EdgePolicy(onFull: .fail), second: wait) == "recognizer.edge")
    }

    @Test("Misused recognizer: a policy that no edge can have is refused when the recognizer is made")
    func wrongPolicy() {
        let policy = EdgePolicy(capacity: 1, onFull: .dropOldest, inFlight: 1, timeoutMs: .nan)
        let error = #expect(throws: PipelineError.self) {
            _ = try NumberRecognizer.live(policy: policy, to: GatedDelegate())
        }
        #expect(error?.code == "graph.edge_policy")
    }

    @Test("Misused recognizer: two sources upstream of one output, and stages that rename streams, are refused")
    func shape() throws {
        struct Rename: Stage {
            var renamesStreams: Bool { true }
            mutating func process(
                _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
            ) {
                emitter.emit(number)
            }
        }
        var two = Plan.building()
        two.add("a", source: FramesSource<TestNumber>([]))
        two.add("b", source: FramesSource<TestNumber>([]))
        two.add("both", stage: Obey(), from: ["a", "b"])
        #expect(throws: PipelineError.self) { _ = try NumberRecognizer(two) }
        let error = #expect(throws: PipelineError.self) { _ = try NumberRecognizer(two, input: "a") }
        #expect(error?.code == "recognizer.sources")
        let renames = #expect(throws: PipelineError.self) { _ = try NumberRecognizer(StageChain(Rename())) }
        #expect(renames?.code == "recognizer.renames_streams")
    }
}
