import Connectors
import Pipeline
import PipelineComponents
import PipelineConfiguration
import Stages

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Repeats a recorded run from its recording alone, and compares the results with the recorded ones.
struct ExactReplay {
    private let recording: RunRecordingContents
    private let tool: CommandLineTool
    private let console: Console

    init(_ path: String, _ tool: CommandLineTool, _ console: Console) throws {
        recording = try RunRecordingContents(path)
        self.tool = tool
        self.console = console
    }

    /// Runs the pipeline, in simulated time if it is live, and compares the results. Each task of the run takes the same items in
    /// the same order as in the recorded run.
    func run() async throws -> ExitCode {
        if let problem = recording.problems.first {
            throw PipelineError.environment(
                "box.damaged", "\(recording.path) does not match its manifest: \(problem.name) differs",
                help: "pipectl verify \(recording.path) lists all differences")
        }
        var plan = try plan().replaying(recording.path, origin: recording.origin)
        var options = Run.Options()
        options.log = console.log
        if plan.mode == .live { options.clock = VirtualClock() }
        options.tape = .replay { [tapes = recording.tapes] in tapes[$0] ?? [] }
        let extent: ResultList.Extent = Self.beginsAlike(plan) ? .whole : .untilStop
        var lists: [ResultList] = []
        var refusal: (any Error)?
        plan = plan.replacingSinks { node, sink in
            // Nodes with a space in their `id` are not from the configuration: the recorder added them.
            guard let input = node.input, !node.id.contains(" ") else { return nil }
            let list = ResultList(node.id, keepsNumbers: true, extent)
            lists.append(list)
            do { return try list.sink(for: input, mayBlock: sink.mayBlock, keeps: true) } catch {
                refusal = error
                return nil
            }
        }
        if let refusal { throw refusal }
        let run = Run(plan, options: options)
        let report = try await run.finished(console) { _ in "not all of \(recording.path) was replayed" }
        let failure = try FailureComparison(recording.failures, report, in: plan)
        let all = lists.flatMap(\.inOrder)
        let failed = Set(recording.failures.map(\.node))
        let found = beginnings(of: all, asIn: recording.results) { failed.contains($0) }
        let expected = beginnings(of: recording.results, asIn: found) { _ in failure.isRepeated }
        let isWhole = !failure.isRepeated && found.count == all.count
        let divergences = [
            divergence(
                ResultComparison(expected, found, tolerance: 0),
                moved: isWhole ? lists.lazy.compactMap(firstMoved).first : nil),
            failure.divergence,
        ].compactMap(\.self)
        guard divergences.isEmpty else {
            try console.writeOutcome(divergences.joined())
            return .failed
        }
        try console.writeOutcome(
            "\(Counted.text(expected.count, "result"))\(failure.isRepeated ? " until the failure" : ""), "
                + "the same byte for byte\n\(failure.agreement ?? "")")
        return .done
    }

    /// Returns whether the results of each stream begin in the same way if a failure stops the run earlier or later. That is not
    /// certain if several sources may stop at different places: merged streams then lack frames in the middle, and sets lack frames
    /// that other sets have.
    private static func beginsAlike(_ plan: Plan) -> Bool {
        let sources = plan.nodes.count { $0.source != nil }
        let hasSets = plan.nodes.contains { $0.alignment != nil }
        return sources < 2 && !hasSets
    }

    /// Returns results without those that only one of two runs has because it failed later: after a failure, the number of frames
    /// that still reach a sink depends on how far each task had got, and a sink that has failed gets no more.
    ///
    /// - Parameters:
    ///   - results: The results of one run, those of each stream in order.
    ///   - others: The results of the other run.
    ///   - mayBeFewer: Whether the other run may have fewer results of a sink.
    private func beginnings(
        of results: [FoundResult], asIn others: [FoundResult], where mayBeFewer: (_ sink: String) -> Bool
    ) -> [FoundResult] {
        func place(_ result: FoundResult) -> [String] {
            [result.moment.recording, result.moment.kind, result.moment.stream]
        }
        var left: [[String]: Int] = [:]
        for other in others { left[place(other), default: 0] += 1 }
        return results.filter { result in
            left[place(result), default: 0] -= 1
            return left[place(result), default: 0] >= 0 || !mayBeFewer(result.moment.recording)
        }
    }

    /// Returns the first recorded result of a sink that differs, in any byte, from the new result at the same position; `nil` if
    /// there is none.
    private func firstMoved(_ list: ResultList) -> FoundResult? {
        let before = recording.results.filter { $0.moment.recording == list.recording }
        let after = list.inOrder
        for (one, other) in zip(before, after) where one.text != other.text { return one }
        return before.count == after.count ? nil : (before + after).dropFirst(min(before.count, after.count)).first
    }

    /// Describes the first difference between the results; `nil` if there is none.
    private func divergence(_ comparison: ResultComparison, moved: FoundResult?) -> String? {
        if let moved, comparison.differences.isEmpty {
            let place = moved.moment
            return """
                first divergence: \(place.recording), stream \(place.stream), at \(Timestamp(rawValue: place.time)): \
                the order of the results differs

                """
        }
        guard let first = comparison.differences.min(by: { $0.moment.time < $1.moment.time }) else { return nil }
        let what =
            switch first.change {
            case .gone: "the recorded run has this result, and the repeated run does not"
            case .new: "the repeated run has this result, and the recorded run does not"
            case .different: first.detail
            }
        let text = first.before?.text ?? first.after?.text ?? ""
        let number = ConfigNode.parse(yaml: text)?["seq"]?.scalar.map { "frame \($0.text) " } ?? ""
        return """
            first divergence: \(first.moment.recording), stream \(first.moment.stream), \
            \(number)at \(Timestamp(rawValue: first.moment.time)): \(what)
            \(comparison.same) of \(comparison.before) results are the same, \(comparison.count(.different)) different, \
            \(comparison.count(.gone)) gone, \(comparison.count(.new)) new

            """
    }

    /// Returns the plan of the stored configuration. The configuration and its files are written to a temporary folder, loaded
    /// from there, and deleted.
    private func plan() throws -> Plan {
        // An empty TMPDIR is treated as unset.
        let parent = console.environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
        var template = Array("\(parent)/pipectl-replay-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else {
            throw PipelineError.environment(
                "file.unwritable", "no folder can be made in \(parent) for the files of the recording",
                help: "set TMPDIR to a folder that can be written to")
        }
        let folder = String(cString: made)
        var folders = [folder]
        defer {
            for file in recording.files { unlink("\(folder)/\(file.name)") }
            for folder in folders.reversed() { rmdir(folder) }
        }
        for file in recording.files {
            let parts = file.name.split(separator: "/")
            // A recording may come from anyone, so a file's name must not lead out of the folder.
            guard !parts.isEmpty, parts.joined(separator: "/") == file.name, !parts.contains(".."),
                !parts.contains(".")
            else {
                throw PipelineError.environment(
                    "box.damaged", "\(recording.path) contains a file with the path \(file.name), which is not allowed")
            }
            for depth in 1..<max(1, parts.count) {
                let path = "\(folder)/\(parts[..<depth].joined(separator: "/"))"
                if mkdir(path, 0o700) == 0 { folders.append(path) }
            }
            try WholeFile.write(file.bytes, to: "\(folder)/\(file.name)")
        }
        let loader = PipelineLoader(
            registry: tool.registry, environment: console.environment,
            overrides: recording.manifest.filter { $0.key == "set" }.map(\.value))
        let loaded = loader.load(file: "\(folder)/\(RunRecorder.configuration)")
        guard let plan = loaded.plan else {
            PipelineLoading.say(loaded, on: console, onlyErrors: true)
            throw ConfigurationRefused(code: loaded.isEnvironmentProblem ? .environment : .configuration)
        }
        return plan
    }
}
