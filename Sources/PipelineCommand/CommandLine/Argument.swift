/// A word of the command line that is no flag.
struct Argument: Sendable {
    /// How many words it stands for.
    enum Arity: Sendable {
        /// Exactly one.
        case one
        /// One or none.
        case optional
        /// At least one; one argument of a command can be this.
        case many
        /// Any number; only the last argument can be this.
        case any
    }

    /// What a shell offers when it completes it.
    enum Completion: Sendable {
        case nothing
        /// Files whose names end so; all files when empty.
        case files([String])
        /// Names, asked for when the script is written.
        case names(@Sendable (CommandLineTool) -> [String])
    }

    /// How it is shown: `CONFIG`.
    let name: String
    /// What it is, in one line.
    let summary: String
    /// How many words it stands for.
    let arity: Arity
    /// What a shell offers for it.
    let completion: Completion

    /// Declares an argument.
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
