/// An error that says what is wrong, where, and how to mend it.
///
/// Components throw this one type. The category decides what becomes of the run and which exit code a program gives.
public struct PipelineError: Error, Sendable, CustomStringConvertible {
    /// Who can mend it.
    public enum Category: String, Sendable {
        /// The configuration is wrong (exit code 2).
        case configuration

        /// The environment is: a port taken, a file missing (exit code 3).
        case environment

        /// A frame cannot be decoded or processed; the component's `on_error` decides.
        case frame

        /// A promise of the engine or of a component is broken: a defect.
        case defect
    }

    /// Who can mend it.
    public var category: Category

    /// A stable dotted code, as in `file.not_found`.
    public var code: String

    /// One line, without a full stop, that names the thing: `expected a number, found "abc"`.
    public var message: String

    /// Where: `session.jsonl, line 12`, `message 812, byte 40`.
    public var location: String?

    /// How to mend it.
    public var help: String?

    /// The option that a component was made with and cannot be made with: `library`, `decode.columns`. Findings then stand
    /// at its value, wherever that was given.
    public var option: String?

    /// Describes an error.
    public init(
        _ category: Category, _ code: String, _ message: String, location: String? = nil, help: String? = nil
    ) {
        self.category = category
        self.code = code
        self.message = message
        self.location = location
        self.help = help
    }

    /// The same error, about an option.
    public func about(option: String) -> PipelineError {
        var error = self
        error.option = option
        return error
    }

    /// A frame that cannot be decoded or processed.
    public static func frame(
        _ code: String, _ message: String, location: String? = nil, help: String? = nil
    ) -> PipelineError {
        PipelineError(.frame, code, message, location: location, help: help)
    }

    /// Something in the environment that is not as the configuration needs it.
    public static func environment(
        _ code: String, _ message: String, location: String? = nil, help: String? = nil
    ) -> PipelineError {
        PipelineError(.environment, code, message, location: location, help: help)
    }

    /// `location: message [code] (help)`.
    public var description: String {
        var text = location.map { "\($0): " } ?? ""
        text += "\(message) [\(code)]"
        if let help { text += " (\(help))" }
        return text
    }
}

extension PipelineError {
    /// The same error with the place around its own: `byte 40` in `session.jsonl, line 12`.
    package func located(in place: String) -> PipelineError {
        var error = self
        error.location = location.map { "\(place), \($0)" } ?? place
        return error
    }
}
