/// One verb of the command line, declared once. Parsing, help, completion and the reference are derived from it.
struct Command: Sendable {
    /// A command line as a user types it, and what it does.
    struct Example: Sendable {
        let command: String
        let meaning: String

        init(_ command: String, _ meaning: String) {
            self.command = command
            self.meaning = meaning
        }
    }

    /// The code that runs a command.
    typealias Action = @Sendable (Invocation, Console) async throws -> ExitCode

    /// The word that invokes the command.
    let name: String
    /// What the command does, in one line without a period.
    let summary: String
    /// What else the user should know. Each line is a paragraph of the help.
    let details: String
    /// The positional arguments, in order.
    let arguments: [Argument]
    /// The flags of this command, without those that every command accepts.
    let flags: [FlagDescription]
    /// The examples, shown first in the help.
    let examples: [Example]
    /// The verbs of a family of verbs; empty for a verb.
    let subcommands: [Command]
    /// The code that runs the command; `nil` for a family of verbs.
    let action: Action?

    /// Creates a verb.
    init(
        _ name: String, _ summary: String, details: String = "", arguments: [Argument] = [],
        flags: [FlagDescription] = [], examples: [Example], action: @escaping Action
    ) {
        self.name = name
        self.summary = summary
        self.details = details
        self.arguments = arguments
        self.flags = flags
        self.examples = examples
        self.subcommands = []
        self.action = action
    }

    /// Creates a family of verbs.
    init(_ name: String, _ summary: String, details: String = "", examples: [Example], subcommands: [Command]) {
        self.name = name
        self.summary = summary
        self.details = details
        self.arguments = []
        self.flags = []
        self.examples = examples
        self.subcommands = subcommands
        self.action = nil
    }

    /// Returns the subcommand with the given name.
    func subcommand(_ name: String) -> Command? { subcommands.first { $0.name == name } }

    /// Returns the flags of the command, followed by those that every command accepts or, for the root, by those that are valid
    /// without a verb.
    func allFlags(isRoot: Bool) -> [FlagDescription] { flags + (isRoot ? Flags.ofRoot : Flags.ofEveryCommand) }
}
