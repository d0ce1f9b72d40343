/// A positional argument: a word of the command line that is not a flag.
struct Argument: Sendable {
    /// The number of words that an argument accepts.
    enum Arity: Sendable {
        /// Exactly one.
        case one
        /// One or none.
        case optional
        /// At least one. At most one argument of a command can have this arity.
        case many
        /// Any number. Only the last argument can have this arity.
        case any
    }

    /// What a shell offers when it completes an argument.
    enum Completion: Sendable {
        case nothing
        /// Files. The list contains the expected name endings. Completion scripts do not use it, and offer all files.
        case files([String])
        /// Names, computed when the completion script is written.
        case names(@Sendable (CommandLineTool) -> [String])
    }

    /// The name that the help shows: `CONFIG`.
    let name: String
    /// What the argument is, in one line.
    let summary: String
    /// The number of words that it accepts.
    let arity: Arity
    /// What a shell offers for it.
    let completion: Completion

    /// Creates an argument.
    init(_ name: String, _ summary: String, arity: Arity = .one, completion: Completion = .nothing) {
        self.name = name
        self.summary = summary
        self.arity = arity
        self.completion = completion
    }

    /// The argument as a usage line shows it: `CONFIG…`, `[NAME]`.
    var usage: String {
        switch arity {
        case .one: name
        case .optional: "[\(name)]"
        case .many: "\(name)…"
        case .any: "[\(name)…]"
        }
    }

    var isRequired: Bool {
        switch arity {
        case .one, .many: true
        case .optional, .any: false
        }
    }
}
