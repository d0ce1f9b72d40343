import Pipeline
import PipelineComponents

/// A configuration that cannot be run, with everything that was found in it.
///
/// Its description shows each finding as `pipectl validate` does: the line with a mark under the place, and the remedy.
public struct ConfigurationError: Error, CustomStringConvertible {
    /// What was found, in the order of the text.
    public let diagnostics: [Diagnostic]

    /// Whether every error is one of the environment: a file that is not there.
    public let isEnvironmental: Bool

    public let description: String

    init(_ loaded: LoadedPipeline) {
        diagnostics = loaded.diagnostics
        isEnvironmental = loaded.isEnvironmentProblem
        description = DiagnosticRenderer(texts: loaded.texts).render(loaded.diagnostics)
    }
}

extension LoadedPipeline {
    /// The plan.
    ///
    /// - Throws: Everything that was found, when there is an error.
    public func checked() throws(ConfigurationError) -> Plan {
        guard let plan else { throw ConfigurationError(self) }
        return plan
    }
}

extension Plan {
    /// Reads a configuration and checks it.
    ///
    /// ```swift
    /// let labels = try Graph(Plan(file: "strokes.yaml")).flow(of: "match", as: Recognition.self)
    /// for try await frame in labels { print(frame.payload.best.name) }
    /// ```
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - registry: What it can name.
    ///   - settings: Values to put in the place of some of its own, as `ID.OPTION=VALUE`.
    /// - Throws: Everything that was found, when there is an error.
    public init(file path: String, registry: Registry, settings: [String] = []) throws(ConfigurationError) {
        self = try PipelineLoader(registry: registry, settings: settings).load(file: path).checked()
    }

    /// Reads a configuration given as text and checks it.
    public init(text: String, registry: Registry, settings: [String] = []) throws(ConfigurationError) {
        self = try PipelineLoader(registry: registry, settings: settings).load(text: text).checked()
    }
}
