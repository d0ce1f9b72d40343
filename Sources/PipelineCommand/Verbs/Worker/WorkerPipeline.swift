import Connectors
import Pipeline
import PipelineComponents
import PipelineConfiguration

/// The pipeline of a worker, which runs once for each recording. It is loaded once for each format of recordings, with its gesture
/// libraries.
struct WorkerPipeline {
    /// A run that is about to begin, and the results that its sinks will collect.
    struct PreparedRun {
        let plan: Plan
        let options: Run.Options
        let results: [(sink: ResultSink, rows: ResultRows)]
    }

    /// A sink whose frames are results.
    struct ResultSink {
        let id: String
        let kind: String
    }

    /// The result of loading the configuration.
    let loaded: LoadedPipeline
    let plan: Plan
    /// The `id` of the source that recordings replace; `nil` if they replace every live source.
    let source: String?
    let sinks: [ResultSink]

    private let configuration: WorkerConfiguration
    private let loader: PipelineLoader
    /// The plan for each format of recordings that has occurred. Each plan is checked like the plan of `pipectl run` for a file of
    /// that format. Errors are not kept, because an error may be about one recording only.
    private var plans: [String?: Plan] = [:]

    /// Loads a configuration.
    ///
    /// - Throws: ``Refused`` if it has errors. A configuration error if it is unclear which source recordings replace.
    init(_ configuration: WorkerConfiguration, _ tool: CommandLineTool, _ console: Console) throws {
        self.configuration = configuration
        loader = PipelineLoader(
            registry: tool.registry, environment: console.environment, overrides: configuration.overrides)
        loaded = loader.load(file: configuration.path)
        guard let plan = loaded.plan else { throw Refused(diagnostics: loaded.diagnostics) }
        self.plan = plan
        source = try Self.source(of: plan, named: configuration.source)
        sinks = Self.resultSinks(of: plan).map { ResultSink(id: $0.id, kind: $0.input?.kind.rawValue ?? "") }
        _ = try collecting(plan)
    }

    /// Returns the source that recordings replace.
    private static func source(of plan: Plan, named name: String?) throws -> String? {
        // The simulation replaces the live sources, and reports a name that is wrong.
        if plan.mode == .live { return name }
        let candidates = plan.fileSources
        guard let wanted = name else {
            guard let only = candidates.first, candidates.count == 1 else {
                throw PipelineError(
                    .configuration, "worker.source",
                    candidates.isEmpty
                        ? "\(plan.name) has no source \"file\" that could read recordings"
                        : "several sources could read recordings: \(candidates.joined(separator: ", "))",
                    help: candidates.isEmpty
                        ? "add one, or write mode: live, so that recordings replace live sources in simulated time"
                        : "name one of them: \"source\": \"\(candidates[0])\"")
            }
            return only
        }
        guard candidates.contains(wanted) else {
            throw PipelineError(
                .configuration, "worker.source", "no source \"file\" is called \"\(wanted)\"",
                help: suggestion(for: wanted, among: candidates, list: "sources"))
        }
        return wanted
    }

    /// Returns the sinks whose frames are results, in order: all except `discard`, but only the first of several sinks that
    /// receive the same frames.
    private static func resultSinks(of plan: Plan) -> [Plan.Node] {
        var known: Set<[Plan.Origin]> = []
        return plan.nodes.filter { node in
            guard case .sink = node.body, node.component != "discard" else { return false }
            return known.insert(node.origins).inserted
        }
    }

    /// Prepares the run for a recording.
    ///
    /// - Throws: A configuration error if the options of the source do not fit the format of the recording. An environment error
    ///   if the recording of a live pipeline cannot be read.
    mutating func session(reading path: String) throws -> PreparedRun {
        guard plan.mode != .live else {
            let simulation = try Simulation(of: plan, inputs: [.init(source: source, path: path)])
            return try session(simulation.plan, simulation.options())
        }
        guard let source else { return try session(plan, Run.Options()) }
        return try session(planned(for: path, source).reading(path, in: source), Run.Options())
    }

    private func session(_ plan: Plan, _ options: Run.Options) throws -> PreparedRun {
        let (plan, results) = try collecting(plan)
        return PreparedRun(plan: plan, options: options, results: results)
    }

    private mutating func planned(for path: String, _ source: String) throws -> Plan {
        let format = FileSource.formatName(of: path)
        // A recording that a sink writes is refused, whether or not another recording of its format came before it.
        let isOutput = loaded.files.filter { $0.purpose == .output }.using(path) != nil
        if !isOutput, let known = plans[format] { return known }
        var loader = loader
        loader.overrides.append("\(source).path=\(path.yaml ?? path)")
        let loaded = loader.load(file: configuration.path)
        guard let plan = loaded.plan else { throw Refused(diagnostics: loaded.diagnostics).error }
        plans[format] = plan
        return plan
    }

    /// Returns the plan with its sinks replaced by sinks that collect results or, where frames are not results, discard them.
    private func collecting(_ plan: Plan) throws -> (Plan, [(sink: ResultSink, rows: ResultRows)]) {
        let rows = sinks.map { ($0, ResultRows()) }
        var refusal: (any Error)?
        let collecting = plan.replacingSinks { node, sink in
            guard let input = node.input else { return nil }
            do {
                let found = rows.first { $0.0.id == node.id }?.1 ?? ResultRows()
                return try found.sink(for: input, mayBlock: sink.mayBlock)
            } catch {
                refusal = error
                return nil
            }
        }
        if let refusal { throw refusal }
        return (collecting, rows)
    }

    /// A configuration with errors.
    struct Refused: Error {
        let diagnostics: [Diagnostic]

        /// The first of the errors.
        var error: PipelineError {
            guard let first = diagnostics.first(where: { $0.severity == .error }) else {
                return PipelineError(.configuration, "worker.job", "the configuration cannot be used")
            }
            return PipelineError(
                first.isEnvironmental ? .environment : .configuration, first.code, first.message,
                location: first.span.map { "\($0.file):\($0.start.line):\($0.start.column)" }, help: first.help)
        }
    }
}
