import Pipeline
import PipelineComponents

/// Reads and checks a configuration, and creates the plan that it describes. All verbs of `pipectl` that read configurations use
/// it.
///
/// ```swift
/// let loaded = PipelineLoader(registry: .standard).load(file: "strokes.yaml")
/// guard let plan = loaded.plan else { print(DiagnosticRenderer(texts: loaded.texts).render(loaded.diagnostics)) … }
/// ```
public struct PipelineLoader: Sendable {
    /// The components that configurations can use.
    public var registry: Registry

    /// The values of the variables, which a configuration refers to as `${NAME}`.
    public var environment: [String: String]

    /// Overrides of the form `ID.OPTION=VALUE`.
    public var overrides: [String]

    /// The limits of a configuration's size.
    public var limits: YAMLLimits

    /// The codes of the errors that a run can fail with. A test that expects another code gets a warning. If the array is empty,
    /// codes are not checked.
    public var errorCodes: [String] = []

    /// Creates a loader.
    public init(
        registry: Registry, environment: [String: String] = [:], overrides: [String] = [],
        limits: YAMLLimits = YAMLLimits()
    ) {
        self.registry = registry
        self.environment = environment
        self.overrides = overrides
        self.limits = limits
    }

    /// Reads the file at `path` and checks it. If the file cannot be read, this is reported as a finding.
    public func load(file path: String) -> LoadedPipeline {
        let slash = path.lastIndex(of: "/")
        let directory = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        return load(ConfigurationFile.read(path, limit: limits.bytes), path, directory, file: path)
    }

    /// Reads an open file or pipe to its end and checks it. Read errors are reported as findings.
    ///
    /// - Parameters:
    ///   - descriptor: The file descriptor, which stays open.
    ///   - name: The file name to use in findings.
    ///   - baseDirectory: The folder that relative paths in the configuration refer to.
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
    ///   - name: The file name to use in findings.
    ///   - baseDirectory: The folder that relative paths in the configuration refer to.
    public func load(text: String, name: String = "pipeline", baseDirectory: String = ".") -> LoadedPipeline {
        load(bytes: Array(text.utf8), name: name, baseDirectory: baseDirectory)
    }

    /// Checks a configuration given as bytes. If they are not valid text, this is reported as a finding.
    public func load(bytes: [UInt8], name: String, baseDirectory: String = ".") -> LoadedPipeline {
        load(bytes: bytes, name: name, baseDirectory: baseDirectory, file: nil)
    }

    private func load(bytes: [UInt8], name: String, baseDirectory: String, file: String?) -> LoadedPipeline {
        let findings = Findings()
        let (string, text) = ConfigurationText.decode(bytes, file: name, limits: limits, findings: findings)
        let texts = overrides.isEmpty ? [text] : [text, Overrides.text(of: overrides)]
        var checked = GraphChecker.Checked()
        if let string, let composed = YAMLComposer.compose(string, text, limits: limits, findings: findings) {
            let root = Interpolation.apply(
                to: composed, environment: environment, text: text, findings: findings
            ) { Overrides.apply(overrides, to: $0, limits: limits, findings: findings) }
            checked = GraphChecker.check(
                root, registry: registry, baseDirectory: baseDirectory, file: file, errorCodes: errorCodes,
                findings: findings)
        }
        let ordered = Self.ordered(findings.diagnostics, first: name)
        return LoadedPipeline(
            plan: findings.hasErrors ? nil : checked.plan, tests: findings.hasErrors ? [] : checked.tests,
            diagnostics: ordered, texts: texts, files: checked.files, addresses: checked.addresses,
            serve: checked.serve, componentTexts: checked.componentTexts, preparations: checked.preparations)
    }

    /// Returns the findings in the order of the text, then those about overrides, then those without a position. Findings at the
    /// same position keep their order.
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

/// The result of reading a configuration.
public struct LoadedPipeline: Sendable {
    /// The plan; `nil` if there is an error.
    public let plan: Plan?

    /// The tests that the configuration contains; empty if there is an error.
    public let tests: [PipelineTest]

    /// All errors and warnings, in the order of the text.
    public let diagnostics: [Diagnostic]

    /// The texts that findings refer to: the configuration and, if there are any, the overrides.
    public let texts: [SourceText]

    /// The files that the configuration refers to, and the configuration's own file, if any.
    public let files: [FileUse]

    /// The network addresses that the configuration refers to.
    package var addresses: [AddressUse] = []

    /// The options under `serve`; `nil` if the configuration has none.
    public var serve: ServeOptions?

    /// A text for each component, by its `id`. Components with the same text have the same configuration, except for the contents
    /// of the files that they read.
    package var componentTexts: [String: String] = [:]

    /// The `id`s of the pure stages upstream of each component that depends on them, by the component's `id`.
    package var preparations: [String: [String]] = [:]

    /// Whether there are errors and all of them concern the environment, for example a missing file (exit code 3).
    public var isEnvironmentProblem: Bool {
        let errors = diagnostics.filter { $0.severity == .error }
        return !errors.isEmpty && errors.allSatisfy(\.isEnvironmental)
    }
}
