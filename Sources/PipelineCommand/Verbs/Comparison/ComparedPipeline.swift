import Connectors
import Pipeline
import PipelineComponents
import PipelineConfiguration

/// Runs a pipeline on recordings, without its sinks, and collects its results.
struct ComparedPipeline {
    private let path: String
    private let invocation: Invocation
    private let console: Console
    private let plan: Plan
    /// The files that the configuration names.
    let files: [FileUse]

    /// Loads a configuration and reports its findings.
    ///
    /// - Throws: ``ConfigurationRefused`` if it has errors; a usage error for standard input.
    init(_ path: String, _ invocation: Invocation, _ console: Console) throws {
        try PipelineLoading.refuseStandardInput(path)
        let loaded = try PipelineLoading.planAndFiles(path, invocation, console).get()
        (self.path, self.invocation, self.console) = (path, invocation, console)
        (plan, files) = (loaded.plan, loaded.files)
    }

    /// Returns the file of a recording in the form `[SOURCE=]FILE`.
    static func file(_ recording: String) -> String {
        guard !OutputFile.exists(recording), let equals = recording.firstIndex(of: "=") else { return recording }
        return String(recording[recording.index(after: equals)...])
    }

    /// Returns the files of recordings in the form `[SOURCE=]FILE`, as the pipeline reads them.
    func files(of recordings: [String]) -> [String] { recordings.map { SimulationFlags.path($0, plan) } }

    /// Returns the pipeline's results on recordings. The pipeline runs once for each recording. If a recording is assigned to a
    /// source by name, the pipeline runs only once, on all recordings.
    func results(on recordings: [String]) async throws -> [FoundResult] {
        let inputs = recordings.map { SimulationFlags.input($0, plan) }
        let runs = inputs.contains { $0.source != nil } ? [inputs] : inputs.map { [$0] }
        var results: [FoundResult] = []
        for run in runs { results += try await self.run(plan, run) }
        return results
    }

    private func run(_ plan: Plan, _ inputs: [Simulation.Input]) async throws -> [FoundResult] {
        let list = ResultList(FoundResult.Moment.recording(inputs.map(\.path)))
        var (plan, options) = (plan, Run.Options())
        if plan.mode == .live {
            let simulation = try Simulation(of: plan, inputs: inputs)
            (plan, options) = (simulation.plan, simulation.options())
        } else {
            plan = try reading(plan, inputs)
        }
        options.log = console.log
        var known: Set<[Plan.Origin]> = []
        var refusal: (any Error)?
        plan = plan.replacingSinks { node, sink in
            guard let input = node.input else { return nil }
            do {
                // If two sinks receive the same frames, only the first collects them.
                return try list.sink(
                    for: input, mayBlock: sink.mayBlock, keeps: known.insert(node.origins).inserted)
            } catch {
                refusal = error
                return nil
            }
        }
        if let refusal { throw refusal }
        let run = Run(plan, options: options)
        let report = try await run.finished(console) { _ in
            "\(path) has not read all of \(FoundResult.Moment.recording(inputs.map(\.path)))"
        }
        if let failure = report.failures.first {
            var error = failure.error
            error.location = "\(path), \(failure.node)" + (error.location.map { ": \($0)" } ?? "")
            throw RunFailure(error: error)
        }
        return list.results
    }

    /// Returns the plan with sources that read the recordings. A `file` source gets another path and keeps its other options; any
    /// other source is replaced by a `file` source.
    private func reading(_ plan: Plan, _ inputs: [Simulation.Input]) throws -> Plan {
        let sources = plan.nodes.filter(\.edges.isEmpty)
        func recording(_ id: String) throws -> String {
            guard let input = inputs.first(where: { $0.source == id }) ?? inputs.first(where: { $0.source == nil })
            else {
                throw UsageError("there is no recording for \"\(id)\"", help: "assign one to it: --on \(id)=FILE")
            }
            return input.path
        }
        for input in inputs where input.source != nil && !sources.contains(where: { $0.id == input.source }) {
            throw UsageError("no source of \(path) is called \"\(input.source ?? "")\"")
        }
        let overrides = try sources.filter { $0.component == FileSource.manifest.name }.map { source in
            let file = try recording(source.id)
            return "\(source.id).path=\(file.yaml ?? file)"
        }
        // The findings were reported when the plan was first loaded, so only new errors are reported here.
        let loaded = PipelineLoading.load(path, invocation, console, overrides: overrides)
        guard var plan = loaded.plan else {
            PipelineLoading.say(loaded, on: console, onlyErrors: true)
            throw ConfigurationRefused(loaded)
        }
        for source in sources where source.component != FileSource.manifest.name {
            guard let kind = source.output.flatMap(PayloadKind.init(of:)) else { continue }
            var file = FileSource.Options()
            file.path = FilePath(try recording(source.id))
            file.kind = kind
            plan = try plan.replacing(source.id, source: FileSource.make(file, BuildContext(id: source.id), nil))
        }
        return plan
    }
}
