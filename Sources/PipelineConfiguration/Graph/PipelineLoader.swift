import Pipeline
import PipelineComponents

/// Reads a configuration and makes a plan of it: the one way in for `validate`, `run`, `graph` and for Swift code.
///
/// ```swift
/// let loaded = PipelineLoader(registry: .standard).load(file: "strokes.yaml")
/// guard let plan = loaded.plan else { print(loaded.rendered()) … }
/// ```
public struct PipelineLoader: Sendable {
    /// What configurations can name.
    public var registry: Registry

    /// The variables that `${NAME}` stands for.
    public var environment: [String: String]

    /// Values given beside the file, as `ID.OPTION=VALUE`.
    public var settings: [String]

    /// How large a configuration may be.
    public var limits: YAMLLimits

    /// States how to load.
    public init(
        registry: Registry, environment: [String: String] = [:], settings: [String] = [],
        limits: YAMLLimits = YAMLLimits()
    ) {
        self.registry = registry
        self.environment = environment
        self.settings = settings
        self.limits = limits
    }

    /// Reads the one file at `path` and checks it. A file that cannot be read is a finding.
    public func load(file path: String) -> LoadedPipeline {
        let slash = path.lastIndex(of: "/")
        let directory = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        return load(ConfigurationFile.read(path, limit: limits.bytes), path, directory, file: path)
    }

    /// Reads an open file or pipe to its end and checks it. What cannot be read is a finding.
    ///
    /// - Parameters:
    ///   - descriptor: Stays open.
    ///   - name: What findings name as the file.
    ///   - baseDirectory: The folder that its relative paths start from.
    public func load(descriptor: Int32, name: String, baseDirectory: String = ".") -> LoadedPipeline {
        load(ConfigurationFile.read(descriptor, name, limit: limits.bytes), name, baseDirectory, file: nil)
    }

    private func load(
        _ content: Result<[UInt8], ConfigurationFile.Failure>, _ name: String, _ baseDirectory: String, file: String?
    ) -> LoadedPipeline {
        switch content {
        case .success(let bytes): load(bytes: bytes, name: name, baseDirectory: baseDirectory, file: file)
        case .failure(let failure):
            LoadedPipeline(plan: nil, tests: [], diagnostics: [failure.diagnostic], texts: [], files: [])
        }
    }

    /// Checks a configuration given as text.
    ///
    /// - Parameters:
    ///   - text: The configuration.
    ///   - name: What findings name as the file.
    ///   - baseDirectory: The folder that its relative paths start from.
    public func load(text: String, name: String = "pipeline", baseDirectory: String = ".") -> LoadedPipeline {
        load(bytes: Array(text.utf8), name: name, baseDirectory: baseDirectory)
    }

    /// Checks a configuration given as bytes, which need not be text: what is not is a finding.
    public func load(bytes: [UInt8], name: String, baseDirectory: String = ".") -> LoadedPipeline {
        load(bytes: bytes, name: name, baseDirectory: baseDirectory, file: nil)
    }

    private func load(bytes: [UInt8], name: String, baseDirectory: String, file: String?) -> LoadedPipeline {
        let findings = Findings()
        let (string, text) = ConfigurationText.decode(bytes, file: name, limits: limits, findings: findings)
        let texts = settings.isEmpty ? [text] : [text, Settings.text(of: settings)]
        var checked = GraphChecker.Checked()
        if let string, let composed = YAMLComposer.compose(string, text, limits: limits, findings: findings) {
            let interpolated = Interpolation.apply(
                to: composed, environment: environment, text: text, findings: findings)
            let root = Settings.apply(settings, to: interpolated, limits: limits, findings: findings)
            checked = GraphChecker.check(
                root, registry: registry, baseDirectory: baseDirectory, file: file, findings: findings)
        }
        let ordered = Self.ordered(findings.diagnostics, first: name)
        return LoadedPipeline(
            plan: findings.hasErrors ? nil : checked.plan, tests: findings.hasErrors ? [] : checked.tests,
            diagnostics: ordered, texts: texts, files: checked.files, addresses: checked.addresses,
            serve: checked.serve)
    }

    /// Findings in the order of the text, those on one place as found; what stands nowhere goes last.
    private static func ordered(_ diagnostics: [Diagnostic], first file: String) -> [Diagnostic] {
        func key(_ diagnostic: Diagnostic) -> (Int, SourcePosition) {
            guard let span = diagnostic.span else { return (2, SourcePosition(line: 0, column: 0)) }
            return (span.file == file ? 0 : 1, span.start)
        }
        return diagnostics.enumerated().sorted { a, b in
            let (left, right) = (key(a.element), key(b.element))
            if left.0 != right.0 { return left.0 < right.0 }
            return left.1 == right.1 ? a.offset < b.offset : left.1 < right.1
        }.map(\.element)
    }
}

/// What came of reading a configuration.
public struct LoadedPipeline: Sendable {
    /// The plan; `nil` when an error was found.
    public let plan: Plan?

    /// The tests that stand beside the pipeline; none when an error was found.
    public let tests: [PipelineTest]

    /// Everything that was found, in the order of the text.
    public let diagnostics: [Diagnostic]

    /// The texts that findings point into.
    public let texts: [SourceText]

    /// The files that the configuration names, and its own, if it was read from one.
    public let files: [FileUse]

    /// The addresses that it names.
    package var addresses: [AddressUse] = []

    /// Where a run of it can be looked into, if anywhere.
    public var serve: ServeOptions?

    /// Whether there is an error, and every error is one of the environment: a file that is not there (exit code 3).
    public var isEnvironmentProblem: Bool {
        let errors = diagnostics.filter { $0.severity == .error }
        return !errors.isEmpty && errors.allSatisfy(\.isEnvironmental)
    }
}
