import Connectors
import Pipeline
import PipelineComponents
import PipelineConfiguration

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The arguments, flags and functions that the verbs for configurations share.
enum PipelineLoading {
    static let set = Flag.text(
        "set", placeholder: "ID.OPTION=VALUE", repeats: true,
        "Sets an option of a component, or a key of the pipeline (mode=live), to another value")

    private static let endings = ["yaml", "yml"]

    static let config = Argument(
        "CONFIG", "the pipeline, in YAML; - for standard input", completion: .files(endings.map { ".\($0)" }))

    /// A configuration for a verb that reads it more than once.
    static let configFile = Argument(
        "CONFIG", "the pipeline, in YAML", completion: .files(endings.map { ".\($0)" }))

    static let configs = Argument(
        "CONFIG", "the pipelines, in YAML: files, folders, - for standard input", arity: .many,
        completion: .files(endings.map { ".\($0)" }))

    /// Loads and checks a configuration, with the overrides that the command line gives.
    ///
    /// - Parameter overrides: Additional overrides, in the form of `--set`.
    static func load(
        _ path: String, _ invocation: Invocation, _ console: Console, overrides: [String] = []
    ) -> LoadedPipeline {
        var loader = PipelineLoader(
            registry: invocation.tool.registry, environment: console.environment,
            overrides: invocation.all(set) + overrides)
        loader.errorCodes = invocation.tool.families.flatMap { $0.explanations.map(\.code) }
        return path == "-" ? loader.load(descriptor: STDIN_FILENO, name: "stdin") : loader.load(file: path)
    }

    /// Returns the paths of the configurations for some words of the command line. A folder stands for all configurations in it
    /// and its subfolders.
    ///
    /// - Throws: An environment error for a folder that contains none or cannot be read.
    static func paths(_ words: [String]) throws -> [String] {
        try words.flatMap { word in
            OutputFile.isFolder(word) ? try FileListing.files(word, extensions: endings).map(\.path) : [word]
        }
    }

    /// Throws a usage error if the path stands for standard input. A verb that reads a configuration more than once calls this.
    static func refuseStandardInput(_ path: String) throws {
        guard path == "-" else { return }
        throw UsageError(
            "the configuration is read more than once, and standard input can be read only once",
            help: "write the configuration to a file, and name the file")
    }

    /// Returns a renderer that shows each finding with the lines of the configuration that it refers to.
    static func renderer(_ loaded: LoadedPipeline, _ style: Style) -> DiagnosticRenderer {
        DiagnosticRenderer(texts: loaded.texts, usesColor: style.isColored)
    }

    /// Writes the findings of a configuration to the console. Warnings are left out if the console does not show them, or if
    /// `onlyErrors` is set.
    ///
    /// - Returns: The findings that were written.
    @discardableResult
    static func say(_ loaded: LoadedPipeline, on console: Console, onlyErrors: Bool = false) -> [Diagnostic] {
        let said = loaded.diagnostics.filter { $0.severity == .error || !onlyErrors && console.shows(.warning) }
        if console.logFormat == .text {
            guard !said.isEmpty else { return said }
            let isError = said.contains { $0.severity == .error }
            // The findings are one message. In the journal, all of its lines have the priority of the most severe finding.
            console.say(
                Notice(isError ? .error : .warning, ""), renderer(loaded, console.messageStyle).render(said))
        } else {
            for diagnostic in said { console.say(Notice(diagnostic)) }
        }
        return said
    }

    /// Loads a configuration and reports its findings. Returns its plan, or the exit code if it has errors.
    static func plan(
        _ path: String, _ invocation: Invocation, _ console: Console
    ) -> Result<Plan, ConfigurationRefused> {
        planAndFiles(path, invocation, console).map(\.plan)
    }

    /// Does the same as ``plan(_:_:_:)``, but returns everything that was loaded.
    static func planAndFiles(
        _ path: String, _ invocation: Invocation, _ console: Console
    ) -> Result<LoadedConfiguration, ConfigurationRefused> {
        let loaded = load(path, invocation, console)
        let said = say(loaded, on: console)
        if loaded.plan == nil, RecordingEndings.all.contains(where: path.lowercased().hasSuffix) {
            console.say("\(path) looks like a recording; write a pipeline in YAML that reads it")
        }
        guard let plan = loaded.plan else {
            if console.showsStatus { invocation.tool.suggestExplanation(of: said.map(\.code), console) }
            return .failure(ConfigurationRefused(loaded))
        }
        return .success(
            LoadedConfiguration(
                plan: plan, files: loaded.files, text: loaded.texts.first, serve: loaded.serve, whole: loaded))
    }
}

extension ConfigurationRefused {
    /// Creates the error for a configuration with errors.
    init(_ loaded: LoadedPipeline) {
        code = loaded.isEnvironmentProblem ? .environment : .configuration
        if let error = loaded.diagnostics.first(where: { $0.severity == .error }) { message = error.message }
        details = PipelineLoading.renderer(loaded, .plain).render(loaded.diagnostics)
    }

    /// The error as an entry of a JUnit report.
    var junit: JUnitReport.Case {
        JUnitReport.Case(name: "the configuration is valid", outcome: .error(message, details: details))
    }
}

extension Notice {
    /// Creates a notice from a finding, with the location as data.
    fileprivate init(_ diagnostic: Diagnostic) {
        self.init(diagnostic.severity == .error ? .error : .warning, diagnostic.message)
        code = diagnostic.code
        help = diagnostic.help.map { [$0] } ?? []
        guard let span = diagnostic.span else { return }
        data = [("place", .string("\(span.file):\(span.start.line):\(span.start.column)"))]
    }
}

/// A configuration that was loaded and checked.
struct LoadedConfiguration {
    let plan: Plan
    /// The files that the configuration names.
    let files: [FileUse]
    /// The text of the configuration.
    let text: SourceText?
    /// The options under `serve`; `nil` if the configuration has none.
    let serve: ServeOptions?
    /// The full result of loading the configuration.
    let whole: LoadedPipeline
}
