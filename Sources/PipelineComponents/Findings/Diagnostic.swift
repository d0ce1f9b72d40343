import Pipeline

/// One finding about a configuration.
public struct Diagnostic: Sendable {
    /// The severity of a finding.
    public enum Severity: String, Sendable, Comparable {
        case warning
        case error

        /// Returns whether `a` is a warning and `b` is an error.
        public static func < (a: Severity, b: Severity) -> Bool { a == .warning && b == .error }
    }

    /// A correction that a tool can apply: replace the text in `span` with `replacement`.
    public struct Fix: Sendable {
        /// What the fix does: `rename it to "resample"`.
        public var title: String

        /// The text to replace.
        public var span: SourceSpan

        /// The replacement.
        public var replacement: String

        /// Creates a fix.
        public init(title: String, span: SourceSpan, replacement: String) {
            self.title = title
            self.span = span
            self.replacement = replacement
        }
    }

    /// The severity.
    public var severity: Severity

    /// A stable dotted code: `yaml.duplicate_key`, `option.range`, `graph.type_mismatch`.
    public var code: String

    /// The problem, in one line without a period at the end.
    public var message: String

    /// The location in the file; `nil` if the finding has none.
    public var span: SourceSpan?

    /// The text next to the carets that mark the location, if any.
    public var label: String?

    /// The location in the structure: `stages[2].resample.points`.
    public var path: String

    /// How to correct the problem.
    public var help: String?

    /// A correction that a tool can apply.
    public var fix: Fix?

    /// Whether the environment must change, not the configuration, for example because a file is missing. The exit code is then 3
    /// instead of 2.
    public var isEnvironmental = false

    /// Creates a finding.
    public init(
        _ severity: Severity, _ code: String, _ message: String, span: SourceSpan? = nil, label: String? = nil,
        path: String = "", help: String? = nil, fix: Fix? = nil
    ) {
        self.severity = severity
        self.code = code
        self.message = message
        self.span = span
        self.label = label
        self.path = path
        self.help = help
        self.fix = fix
    }
}

/// Collects findings, so that one pass reports all of them and not only the first.
public final class Findings {
    /// The findings, in the order in which they were added.
    public private(set) var diagnostics: [Diagnostic] = []

    /// Creates an empty collection.
    public init() {}

    /// The number of errors among the findings.
    public private(set) var errorCount = 0

    /// Whether there are so many findings that more detail is not useful. Searching for the closest name would then only take
    /// time.
    package var hasTooManyForDetail: Bool { diagnostics.count >= 500 }

    private var unreadable: Set<SourceSpan> = []

    /// Records that the text in `span` could not be read and was reported. Later findings at this location are ignored.
    package func markUnreadable(_ span: SourceSpan) { unreadable.insert(span) }

    /// Returns whether the text in `span` could not be read.
    package func isUnreadable(_ span: SourceSpan) -> Bool { unreadable.contains(span) }

    /// Adds a finding.
    public func add(_ diagnostic: Diagnostic) {
        if let span = diagnostic.span, unreadable.contains(span) { return }
        diagnostics.append(diagnostic)
        if diagnostic.severity == .error { errorCount += 1 }
    }

    /// Adds an error.
    public func error(
        _ code: String, _ message: String, at span: SourceSpan?, path: String = "", label: String? = nil,
        help: String? = nil, fix: Diagnostic.Fix? = nil
    ) {
        add(Diagnostic(.error, code, message, span: span, label: label, path: path, help: help, fix: fix))
    }

    /// Adds a warning.
    public func warning(
        _ code: String, _ message: String, at span: SourceSpan?, path: String = "", label: String? = nil,
        help: String? = nil, fix: Diagnostic.Fix? = nil
    ) {
        add(Diagnostic(.warning, code, message, span: span, label: label, path: path, help: help, fix: fix))
    }

    /// Whether there is an error, which makes the configuration unusable.
    public var hasErrors: Bool { errorCount > 0 }
}
