import Pipeline

/// What decoding an option needs to know, and where it reports.
public struct DecodingContext {
    /// Where findings go.
    public let findings: Findings

    /// The place in the structure: `stages[2].resample.points`.
    public let path: String

    /// The folder that relative paths start from.
    public let baseDirectory: String

    /// What options can name; `nil` where there is no configuration.
    package let known: KnownTypes?

    /// What reads lists of stages; `nil` where there is no configuration.
    let stageLists: StageList.Reader?

    /// Where the files that options name are noted; `nil` where nobody asks.
    package let files: FileUses?

    /// The `id` of the component whose options are read.
    package let owner: String

    /// Makes a context.
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

    /// The payload types that options can name; `nil` where there is no configuration.
    package var payloads: [any Payload.Type]? { known?.payloads }

    /// Reads one of a few names; reports a name that is none of them, with the one that was probably meant.
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

    /// The folder that a relative path starts from which stands at a node: that of the configuration's file, and the current one where
    /// it was given on the command line.
    public func folder(of node: ConfigNode) -> String { node.span.isSetting ? "." : baseDirectory }

    /// The context one level down.
    public func descending(_ step: String) -> DecodingContext {
        DecodingContext(
            findings: findings, path: path + (step.hasPrefix("[") || path.isEmpty ? "" : ".") + step,
            baseDirectory: baseDirectory, known: known, stageLists: stageLists, files: files, owner: owner)
    }

    /// Reports that `node` is not what was wanted.
    public func mismatch(_ node: ConfigNode, wanted: String, help: String? = nil) {
        findings.error(
            "option.type", "expected \(wanted), found \(node.described)", at: node.span, path: path, help: help)
    }
}
