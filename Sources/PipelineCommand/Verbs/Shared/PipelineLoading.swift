import Connectors
import Pipeline
import PipelineComponents
import PipelineConfiguration

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What every verb that reads configurations has in common.
enum PipelineLoading {
    static let set = Flag.text(
        "set", placeholder: "ID.OPTION=VALUE", repeats: true, "Gives an option of a component another value")

    private static let endings = ["yaml", "yml"]

    static let config = Argument(
        "CONFIG", "the pipeline, in YAML; - for standard input", completion: .files(endings.map { ".\($0)" }))

    static let configs = Argument(
        "CONFIG", "the pipelines, in YAML: files, folders, - for standard input", arity: .many,
        completion: .files(endings.map { ".\($0)" }))

    /// Reads and checks a configuration as the command line says.
    ///
    /// - Parameter settings: What else is set, as `--set` does.
    static func load(
        _ path: String, _ invocation: Invocation, _ console: Console, settings: [String] = []
    ) -> LoadedPipeline {
        let loader = PipelineLoader(
            registry: invocation.tool.registry, environment: console.environment,
            settings: invocation.all(set) + settings)
        return path == "-" ? loader.load(descriptor: STDIN_FILENO, name: "stdin") : loader.load(file: path)
    }

    /// The configurations that words name: of a folder all that lie in it and in the folders in it.
    ///
    /// - Throws: An environment error for a folder without any, or one that cannot be read.
    static func paths(_ words: [String]) throws -> [String] {
        try words.flatMap { word in
            OutputFile.isFolder(word) ? try FileListing.files(word, extensions: endings).map(\.path) : [word]
        }
    }

    /// Shows findings in the texts they stand in.
    static func renderer(_ loaded: LoadedPipeline, _ style: Style) -> DiagnosticRenderer {
        DiagnosticRenderer(texts: loaded.texts, usesColor: style.isColored)
    }

    /// Says what was found, errors always, and warnings where these are said.
    ///
    /// - Returns: What was said.
    @discardableResult
    static func say(_ loaded: LoadedPipeline, on console: Console, onlyErrors: Bool = false) -> [Diagnostic] {
        let said = loaded.diagnostics.filter { $0.severity == .error || !onlyErrors && console.shows(.warning) }
        if console.logFormat == .text {
            guard !said.isEmpty else { return said }
            let isError = said.contains { $0.severity == .error }
            // In the journal each line has the priority of the gravest.
            console.say(
                Notice(isError ? .error : .warning, ""), renderer(loaded, console.messageStyle).render(said))
        } else {
            for diagnostic in said { console.say(Notice(diagnostic)) }
        }
        return said
    }

    /// Says on a terminal where more is told about the first of some findings.
    static func sayMore(about diagnostics: [Diagnostic], isLive: Bool, _ console: Console) {
        guard isLive, let first = diagnostics.first(where: { Explanation.of($0.code) != nil }) else { return }
        console.say("pipectl explain \(first.code) says more")
    }

    /// The plan of a configuration, its findings said on the way; the exit code when there is none.
    static func plan(
        _ path: String, _ invocation: Invocation, _ console: Console
    ) -> Result<Plan, ConfigurationRefused> {
        planAndFiles(path, invocation, console).map(\.plan)
    }

    /// The same, with the files that the configuration names.
    static func planAndFiles(
        _ path: String, _ invocation: Invocation, _ console: Console
    ) -> Result<LoadedConfiguration, ConfigurationRefused> {
        let loaded = load(path, invocation, console)
        let said = say(loaded, on: console)
        guard let plan = loaded.plan else {
            sayMore(about: said, isLive: console.messagesAreLive, console)
            return .failure(ConfigurationRefused(code: loaded.isEnvironmentProblem ? .environment : .configuration))
        }
        return .success(
            LoadedConfiguration(
                plan: plan, files: loaded.files, text: loaded.texts.first, serve: loaded.serve))
    }
}

extension Notice {
    /// A finding, for a program.
    fileprivate init(_ diagnostic: Diagnostic) {
        self.init(diagnostic.severity == .error ? .error : .warning, diagnostic.message)
        code = diagnostic.code
        help = diagnostic.help.map { [$0] } ?? []
        guard let span = diagnostic.span else { return }
        data = [("place", .string("\(span.file):\(span.start.line):\(span.start.column)"))]
    }
}

/// A configuration that was read and checked.
struct LoadedConfiguration {
    let plan: Plan
    /// The files that it names.
    let files: [FileUse]
    /// What stands in it.
    let text: SourceText?
    /// Where a run of it can be looked into, if anywhere.
    let serve: ServeOptions?
}
