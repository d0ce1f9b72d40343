import Pipeline

/// The context in which a component is created: what it can use, and where it reports findings.
public final class BuildContext {
    /// The `id` of the component.
    public let id: String

    /// The mode of the pipeline, which determines how it treats time and loss.
    public let mode: Mode

    /// The options of the component as written.
    public let node: ConfigNode?

    /// The context for reading options and reporting findings.
    public let decoding: DecodingContext

    /// The pure stages directly upstream. A matcher prepares its library with them, so that the library and the data are prepared
    /// in the same way.
    public var upstream: PureRun {
        dependsOnUpstream = true
        return pureRun
    }

    /// Whether the component has read ``upstream``, so that it depends on the stages upstream of it.
    package private(set) var dependsOnUpstream = false

    private let pureRun: PureRun

    /// Creates a context. The defaults are for use without a configuration.
    public init(
        id: String = "", mode: Mode = .batch, node: ConfigNode? = nil,
        decoding: DecodingContext = DecodingContext(findings: Findings(), path: "", baseDirectory: "."),
        upstream: PureRun = PureRun(stages: [], input: nil, above: nil)
    ) {
        self.id = id
        self.mode = mode
        self.node = node
        self.decoding = decoding
        pureRun = upstream
    }

    /// Reports a finding about an option of the component, or about the component.
    ///
    /// - Parameters:
    ///   - severity: The severity of the finding.
    ///   - code: The code of the finding.
    ///   - message: The problem, in one line without a period at the end.
    ///   - option: The path of the option, such as `decode.columns`; `nil` for a finding about the component.
    ///   - help: How to correct the problem.
    public func report(
        _ severity: Diagnostic.Severity = .error, _ code: String, _ message: String, option: String? = nil,
        help: String? = nil
    ) {
        var place = node
        var path = decoding.path
        for step in (option ?? "").split(separator: ".") {
            guard let next = place?[String(step)] else { break }
            place = next
            path += ".\(step)"
        }
        decoding.findings.add(
            Diagnostic(severity, code, message, span: place?.span, path: path, help: help))
    }
}
