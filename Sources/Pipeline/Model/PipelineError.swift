/// An error that describes what is wrong, where, and how to fix it.
///
/// All components throw this type. The category determines how the run continues and the exit code of the program.
public struct PipelineError: Error, Sendable, CustomStringConvertible {
    /// The cause of an error. It tells who can fix the error.
    public enum Category: String, Sendable {
        /// The configuration is wrong (exit code 2).
        case configuration

        /// The environment is wrong: a port is in use, a file is missing (exit code 3).
        case environment

        /// A frame cannot be decoded or processed. The component's `on_error` determines what happens next.
        case frame

        /// The engine or a component violates its contract: a defect of the program.
        case defect
    }

    /// The category, which tells who can fix the error.
    public var category: Category

    /// A stable dotted code, as in `file.not_found`.
    public var code: String

    /// One line without a period at its end, with the concrete values: `expected a number, found "abc"`.
    public var message: String

    /// The location: `session.jsonl, line 12`, `message 812, byte 40`.
    public var location: String?

    /// How to fix the error.
    public var help: String?

    /// The option whose value caused the error, for example `library` or `decode.columns`. If it is set, the finding is shown at
    /// the position of this value.
    public var option: String?

    /// Creates an error.
    public init(
        _ category: Category, _ code: String, _ message: String, location: String? = nil, help: String? = nil
    ) {
        self.category = category
        self.code = code
        self.message = message
        self.location = location
        self.help = help
    }

    /// Returns the same error with `option` set.
    public func about(option: String) -> PipelineError {
        var error = self
        error.option = option
        return error
    }

    /// Returns an error about a frame that cannot be decoded or processed.
    public static func frame(
        _ code: String, _ message: String, location: String? = nil, help: String? = nil
    ) -> PipelineError {
        PipelineError(.frame, code, message, location: location, help: help)
    }

    /// Returns an error about the environment: a port is in use, a file is missing.
    public static func environment(
        _ code: String, _ message: String, location: String? = nil, help: String? = nil
    ) -> PipelineError {
        PipelineError(.environment, code, message, location: location, help: help)
    }

    /// The error in the form `location: message [code] (help)`.
    public var description: String { text(" [\(code)]") }

    /// The error without its code, which a line of a log holds separately: `location: message (help)`.
    var words: String { text("") }

    private func text(_ code: String) -> String {
        (location.map { "\($0): " } ?? "") + message + code + (help.map { " (\($0))" } ?? "")
    }
}

extension PipelineError {
    /// Returns the same error with an outer location before its own: `byte 40` becomes `session.jsonl, line 12, byte 40`.
    package func located(in place: String) -> PipelineError {
        var error = self
        error.location = location.map { "\(place), \($0)" } ?? place
        return error
    }
}

extension PipelineError {
    /// Creates an error from any error that a component threw. A `PipelineError` is kept as it is, and any other error is wrapped.
    package init(wrapping error: any Error) {
        self = error as? PipelineError ?? .frame("component.error", String(describing: error))
    }
}
