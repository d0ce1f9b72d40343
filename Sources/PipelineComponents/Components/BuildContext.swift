import Pipeline

/// What a component may use and must report to while it is made.
public final class BuildContext {
    /// Its `id`.
    public let id: String

    /// How the pipeline treats time and loss.
    public let mode: Mode

    /// Its options as written.
    public let node: ConfigNode?

    /// Where options are read from and findings go.
    public let decoding: DecodingContext

    /// The pure stages directly above it, for a matcher whose library must be prepared as the data is.
    public let upstream: PureRun

    /// Makes a context; by default one for use without a configuration.
    public init(
        id: String = "", mode: Mode = .batch, node: ConfigNode? = nil,
        decoding: DecodingContext = DecodingContext(findings: Findings(), path: "", baseDirectory: "."),
        upstream: PureRun = PureRun(stages: [], input: nil, above: nil)
    ) {
        self.id = id
        self.mode = mode
        self.node = node
        self.decoding = decoding
        self.upstream = upstream
    }

    /// Reports a finding at one of the component's options (a path like `decode.columns`), or at the component.
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
