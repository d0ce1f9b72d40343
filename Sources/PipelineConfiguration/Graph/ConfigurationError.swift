import Pipeline
import PipelineComponents

/// An error that contains all findings about a configuration with errors.
///
/// The description shows each finding as `pipectl validate` does: the line of the configuration, carets under the position, and the
/// suggested fix.
public struct ConfigurationError: Error, CustomStringConvertible {
    /// The findings, in the order of the text.
    public let diagnostics: [Diagnostic]

    /// Whether every error concerns the environment, for example a missing file.
    public let isEnvironmental: Bool

    public let description: String

    init(_ loaded: LoadedPipeline) {
        diagnostics = loaded.diagnostics
        isEnvironmental = loaded.isEnvironmentProblem
        description = DiagnosticRenderer(texts: loaded.texts).render(loaded.diagnostics)
    }
}

extension LoadedPipeline {
    /// Returns the plan.
    ///
    /// - Throws: An error with all findings, if at least one of them is an error.
    public func checked() throws(ConfigurationError) -> Plan {
        guard let plan else { throw ConfigurationError(self) }
        return plan
    }
}

extension Plan {
    /// Reads a configuration from a file and checks it.
    ///
    /// ```swift
    /// let labels = try Graph(Plan(file: "strokes.yaml")).flow(of: "match", as: Recognition.self)
    /// for try await frame in labels { print(frame.payload.best.name) }
    /// ```
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - registry: The components that the configuration can use.
    ///   - overrides: Overrides of the form `ID.OPTION=VALUE`.
    /// - Throws: An error with all findings, if at least one of them is an error.
    public init(file path: String, registry: Registry, overrides: [String] = []) throws(ConfigurationError) {
        self = try PipelineLoader(registry: registry, overrides: overrides).load(file: path).checked()
    }

    /// Reads a configuration from a text and checks it. Throws the same error as `init(file:registry:overrides:)`.
    public init(text: String, registry: Registry, overrides: [String] = []) throws(ConfigurationError) {
        self = try PipelineLoader(registry: registry, overrides: overrides).load(text: text).checked()
    }
}
