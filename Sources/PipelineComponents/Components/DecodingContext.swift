import Pipeline

/// The context for decoding an option: the option's location, the names that it can use, and the receiver of findings.
public struct DecodingContext {
    /// The receiver of findings.
    public let findings: Findings

    /// The location in the structure: `stages[2].resample.points`.
    public let path: String

    /// The folder that relative paths refer to.
    public let baseDirectory: String

    /// The types that options can name; `nil` without a configuration.
    package let known: KnownTypes?

    /// The reader of lists of stages; `nil` without a configuration.
    let stageLists: StageList.Reader?

    /// The collection of the files that options name; `nil` if they are not collected.
    package let files: FileUses?

    /// The name of the component whose options are read: its `id`; for a stage inside another component, `each.smooth`.
    package let owner: String

    /// Creates a context.
    public init(findings: Findings, path: String, baseDirectory: String) {
        self.init(findings: findings, path: path, baseDirectory: baseDirectory, known: nil)
    }

    package init(
        findings: Findings, path: String, baseDirectory: String, known: KnownTypes?,
        stageLists: StageList.Reader? = nil, files: FileUses? = nil, owner: String = ""
    ) {
        self.findings = findings
        self.path = path
        self.baseDirectory = baseDirectory
        self.known = known
        self.stageLists = stageLists
        self.files = files
        self.owner = owner
    }

    /// The payload types that options can name; `nil` without a configuration.
    package var payloads: [any Payload.Type]? { known?.payloads }

    /// Decodes one of a few names. Reports an unknown name, with the closest known name as a suggestion.
    package func choice(_ node: ConfigNode, of names: [String]) -> String? {
        guard let scalar = node.scalar else {
            mismatch(node, wanted: "one of \(names.joined(separator: ", "))")
            return nil
        }
        if names.contains(scalar.text) { return scalar.text }
        let near = nearestName(to: scalar.text, among: names)
        findings.error(
            "option.choice", "\"\(scalar.text)\" is not one of \(names.joined(separator: ", "))", at: node.span,
            path: path, help: near.map { "did you mean \"\($0)\"?" },
            fix: near.map { .init(title: "write \($0)", span: node.span, replacement: $0) })
        return nil
    }

    /// Returns the folder that a relative path in `node` refers to: the folder of the configuration file or, for a path on the
    /// command line, the current folder.
    public func folder(of node: ConfigNode) -> String { node.span.isOverride ? "." : baseDirectory }

    /// Returns the context for a part of the option's value: a key such as `points`, or an index such as `[2]`.
    public func descending(_ step: String) -> DecodingContext {
        DecodingContext(
            findings: findings, path: path + (step.hasPrefix("[") || path.isEmpty ? "" : ".") + step,
            baseDirectory: baseDirectory, known: known, stageLists: stageLists, files: files, owner: owner)
    }

    /// Reports that `node` is not of the expected kind.
    public func mismatch(_ node: ConfigNode, wanted: String, help: String? = nil) {
        findings.error(
            "option.type", "expected \(wanted), found \(node.described)", at: node.span, path: path, help: help)
    }
}
