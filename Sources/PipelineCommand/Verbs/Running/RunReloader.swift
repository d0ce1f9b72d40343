import Connectors
import Pipeline
import PipelineComponents
import PipelineConfiguration
import PipelineServer
import Stages

/// Reloads the configuration of a run on request, and applies the changes while the run continues. Requests are handled one at a
/// time, in order.
actor RunReloader {
    private let config: String
    private let load: @Sendable () -> LoadedPipeline
    private let run: Run
    private let console: Console
    private let service: ServiceManager?
    private let server: RunServer?
    /// The configured options of the server, which stay the same while it runs.
    private let serve: ServeOptions?
    /// The identities of the run's components, by their `id`s. See ``ComponentIdentity``.
    private var identities: [String: String]
    /// The paths of the files that the run's components write, by the `id` of the component.
    private var outputs: [String: Set<String>]
    /// The most recent request. The next one waits for it.
    private var last: Task<ReloadAnswer, Never>?

    /// Creates a reloader.
    ///
    /// - Parameters:
    ///   - loaded: The configuration that the run was created from.
    ///   - config: The path of the configuration.
    ///   - load: Loads the configuration again.
    init(
        _ run: Run, of loaded: LoadedPipeline, at config: String, console: Console, service: ServiceManager?,
        server: RunServer?, load: @escaping @Sendable () -> LoadedPipeline
    ) {
        self.config = config
        (self.run, self.load, self.console, self.service, self.server) = (run, load, console, service, server)
        (identities, outputs) = (ComponentIdentity.all(of: loaded), Self.outputs(of: loaded))
        serve = loaded.serve
    }

    /// Reads the configuration again and applies the changes to the run. Returns what has changed, or why the configuration was
    /// refused.
    func reload() async -> ReloadAnswer {
        let before = last
        let request = Task {
            _ = await before?.value
            return await carryOut()
        }
        last = request
        return await request.value
    }

    private func carryOut() async -> ReloadAnswer {
        do { try run.checkThatItRuns() } catch { return refuse(PipelineError(wrapping: error)) }
        service?.reloading()
        defer { service?.reloaded() }
        // A pipe can be read only once. A second read would wait forever for a writer.
        guard !SystemCalls.isPipe(config) else {
            return refuse(
                PipelineError(
                    .environment, "reload.pipe", "\(config) is a pipe, which cannot be read again",
                    help: "write the configuration to a file, and run that"))
        }
        let loaded = load()
        PipelineLoading.say(loaded, on: console)
        guard let plan = loaded.plan else {
            return refuse(loaded.diagnostics.filter { $0.severity == .error }.map(ReloadAnswer.Problem.init))
        }
        do {
            guard loaded.serve == serve else {
                throw PipelineError(
                    .configuration, "reload.needs_restart", "a running pipeline cannot change serve",
                    help: "start it again, or change that back")
            }
            let found = ComponentIdentity.all(of: loaded)
            let same = Set(found.filter { identities[$0.key] == $0.value }.keys)
            var change = try PlanChange(from: run.plan, to: plan, keeping: same)
            if !change.isEmpty {
                try checkOutputs(of: loaded, change)
                change = try await run.reload(plan, keeping: same)
                server?.graphChanged()
            }
            (identities, outputs) = (found, Self.outputs(of: loaded))
            console.say("reloaded: \(Self.words(change))")
            return ReloadAnswer(change)
        } catch {
            return refuse(PipelineError(wrapping: error))
        }
    }

    private func refuse(_ error: PipelineError) -> ReloadAnswer {
        console.error(error)
        let problem = ReloadAnswer.Problem(
            code: error.code, message: error.message, place: error.location, help: error.help)
        // A run that has ended, or is about to, does not continue.
        return error.code == "reload.not_running" ? ReloadAnswer(refused: [problem]) : refuse([problem])
    }

    private func refuse(_ problems: [ReloadAnswer.Problem]) -> ReloadAnswer {
        console.say(Notice(.error, "the configuration was refused; the run continues with the old one"))
        return ReloadAnswer(refused: problems)
    }

    /// Returns a change in one line: `+ added, ~ changed, - removed`.
    static func words(_ change: PlanChange) -> String {
        let parts = [("+", change.added), ("~", change.changed), ("-", change.removed)].filter { !$0.1.isEmpty }
        return parts.isEmpty
            ? "nothing has changed" : parts.map { "\($0) \($1.joined(separator: " "))" }.joined(separator: ", ")
    }

    // MARK: Files

    private static func outputs(of loaded: LoadedPipeline) -> [String: Set<String>] {
        loaded.files.reduce(into: [:]) { outputs, use in
            if use.purpose == .output, let path = use.paths().first { outputs[use.node, default: []].insert(path) }
        }
    }

    /// Throws a configuration error if a new sink would write to a file that the run still has open: a new sink is opened before
    /// the old sink closes its file.
    private func checkOutputs(of loaded: LoadedPipeline, _ change: PlanChange) throws {
        for (owner, paths) in Self.outputs(of: loaded).sorted(by: { $0.key < $1.key }) where change.isNew(owner) {
            for (other, open) in outputs.sorted(by: { $0.key < $1.key }) {
                guard let path = paths.intersection(open).min() else { continue }
                throw PipelineError(
                    .configuration, "reload.file_in_use",
                    "\"\(owner)\" would write to \(path), which \"\(other)\" has open",
                    help: "give it another path, or start the run again")
            }
        }
    }
}

extension ReloadAnswer.Problem {
    fileprivate init(_ diagnostic: Diagnostic) {
        self.init(
            code: diagnostic.code, message: diagnostic.message,
            place: diagnostic.span.map { "\($0.file):\($0.start.line):\($0.start.column)" }, help: diagnostic.help)
    }
}
