import Pipeline

/// One finding about a configuration.
public struct Diagnostic: Sendable {
    /// How bad it is.
    public enum Severity: String, Sendable, Comparable {
        case warning
        case error

        /// A warning is less than an error.
        public static func < (a: Severity, b: Severity) -> Bool { a == .warning && b == .error }
    }

    /// A change that mends it, applicable by a machine: replace the text of `span` by `replacement`.
    public struct Fix: Sendable {
        /// What the fix does: `rename it to "resample"`.
        public var title: String

        /// What to replace.
        public var span: SourceSpan

        /// By what.
        public var replacement: String

        /// Describes a fix.
        public init(title: String, span: SourceSpan, replacement: String) {
            self.title = title
            self.span = span
            self.replacement = replacement
        }
    }

    /// How bad it is.
    public var severity: Severity

    /// A stable dotted code: `yaml.duplicate_key`, `option.range`, `graph.type_mismatch`.
    public var code: String

    /// What is wrong, in one line without a full stop.
    public var message: String

    /// Where it stands; `nil` when it stands nowhere in the file.
    public var span: SourceSpan?

    /// What the caret line says beside the carets, if anything.
    public var label: String?

    /// Where in the structure: `stages[2].resample.points`.
    public var path: String

    /// How to mend it.
    public var help: String?

    /// A change that mends it.
    public var fix: Fix?

    /// Whether the environment has to change, not the configuration: a file that is not there (exit code 3, not 2).
    public var isEnvironmental = false

    /// Describes a finding.
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
    /// What was found, in the order found.
    public private(set) var diagnostics: [Diagnostic] = []

    /// Starts with none.
    public init() {}

    /// How many of them are errors.
    public private(set) var errorCount = 0

    /// Whether so much was found that nobody reads on: searching for the name that was meant, once for each of many
    /// thousands, would only take time.
    package var isCrowded: Bool { diagnostics.count >= 500 }

    private var unreadable: Set<SourceSpan> = []

    /// Notes that what stands at `span` could not be read and was reported, so that nothing is said of it again.
    package func markUnreadable(_ span: SourceSpan) { unreadable.insert(span) }

    /// Adds one.
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

    /// Whether anything found makes the configuration unusable.
    public var hasErrors: Bool { errorCount > 0 }
}
