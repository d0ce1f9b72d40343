import Pipeline
import PipelineComponents
import PipelineConfiguration

extension Command {
    private static let filter = Flag.text(
        "filter", placeholder: "NAME", "Runs only tests whose name contains NAME, ignoring case")

    private static let golden = Flag.text(
        "golden", placeholder: "[SOURCE=]RECORDING", repeats: true,
        "Compares the results for a recording with those stored next to each pipeline (NAME.golden.jsonl); stores them if there are none"
    )
    private static let update = Flag.toggle(
        "update", "With --golden: stores the current results in place of the stored ones")

    private static let format = Flag<TestFormat>.choice("format", default: .text, "The format of results")

    /// `pipectl test CONFIG…`: runs the tests in configurations, in virtual time.
    static let test: Command = Command(
        "test", "run the tests that pipelines contain",
        details: """
            The tests replace sources and sinks, so nothing outside is read or written. Stages, edges and timing are those of the \
            pipeline, in virtual time.

            With --golden, the pipelines themselves run, without their sinks. Their results for the recording are compared with \
            the results stored next to them, as pipectl diff does. This needs files: standard input can be read only once.
            --format=junit writes a report that CI servers show: each pipeline is a test suite, and the time of a test is its \
            simulated time. A pipeline that is wrong is an error in the report.
            The exit code is 0 if every test passed, 1 if one failed, 2 if a pipeline is wrong or there was nothing to test, and 3 \
            if pipelines have only errors of the environment, such as a missing file.
            """,
        arguments: [PipelineLoading.configs],
        flags: [
            PipelineLoading.set.description, filter.description, golden.description, update.description,
            format.description,
        ],
        examples: [
            Example("pipectl test Configs", "Runs the tests of all pipelines in a folder"),
            Example(
                "pipectl test --golden=Samples/session.jsonl strokes.yaml",
                "Shows how a change affected the results for a recording"),
            Example("pipectl test Configs --format=junit > tests.xml", "Writes a report for a CI server"),
            Example(
                "pipectl test Configs/combine.yaml --filter=turned", "Runs the tests whose name contains \"turned\""),
        ]
    ) { invocation, console in
        let format = invocation[format] ?? .text
        if !invocation.all(golden).isEmpty {
            if invocation[filter] != nil {
                throw UsageError(
                    "--filter has no effect with --golden", help: "--golden compares the results of whole pipelines")
            }
            return try await GoldenResults.test(
                PipelineLoading.paths(invocation.words), on: invocation.all(golden), updates: invocation[update],
                format, invocation, console)
        }
        if invocation[update] {
            throw UsageError("--update has an effect only with --golden", help: "add --golden=RECORDING")
        }
        var verdicts: [TestOutcome] = []
        var junit = JUnitReport()
        var refusal: ExitCode?
        let paths = try PipelineLoading.paths(invocation.words)
        for path in paths {
            let loaded = PipelineLoading.load(path, invocation, console)
            PipelineLoading.say(loaded, on: console)
            guard let plan = loaded.plan else {
                let error = ConfigurationRefused(loaded)
                junit.add(error.junit, of: path)
                if refusal != .configuration { refusal = error.code }
                continue
            }
            if loaded.tests.isEmpty { console.detail("\(path): no tests") }
            let wanted = invocation[filter]?.lowercased()
            for test in loaded.tests where wanted.map({ test.name.lowercased().contains($0) }) ?? true {
                let verdict = TestOutcome(path: path, report: await test.run(on: plan))
                verdicts.append(verdict)
                junit.add(verdict.junit, of: path)
                if format == .text { try console.writeOutcome(verdict.text(console.resultStyle)) }
            }
        }
        switch format {
        case .text: break
        case .json: try console.writeOutcome(TestOutcome.json(verdicts).document)
        case .junit: try console.writeOutcome(junit.xml)
        }
        if let refusal { return refusal }
        guard !verdicts.isEmpty else {
            let files = paths.count == 1 ? paths[0] : "these \(paths.count) files"
            let name = invocation[filter].map { " whose name contains \"\($0)\"" } ?? ""
            console.error(
                "there is no test in \(files)\(name)", help: ["tests belong under the key tests of a pipeline"])
            return .configuration
        }
        let failed = verdicts.count { !$0.report.passed }
        let all = Counted.text(verdicts.count, "test")
        console.say(failed == 0 ? "\(all) passed" : "\(failed) of \(all) failed")
        return failed == 0 ? .done : .failed
    }
}
