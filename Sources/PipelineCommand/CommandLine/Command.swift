/// One verb of the command line, declared once: parsing, help, completion and the reference are made from it.
struct Command: Sendable {
    /// A command as a person would type it, and what it does.
    struct Example: Sendable {
        let command: String
        let meaning: String

        init(_ command: String, _ meaning: String) {
            self.command = command
            self.meaning = meaning
        }
    }

    /// What a command does.
    typealias Action = @Sendable (Invocation, Console) async throws -> ExitCode

    /// The word that calls it.
    let name: String
    /// What it does, in one line without a full stop.
    let summary: String
    /// What else a person should know.
    let details: String
    /// What follows the word, in order.
    let arguments: [Argument]
    /// The flags it takes beside those that every command takes.
    let flags: [FlagDescription]
    /// Shown first in its help.
    let examples: [Example]
    /// The verbs below it, when it is a family of them.
    let subcommands: [Command]
    /// What it does; `nil` for a family of verbs.
    let action: Action?

    /// Declares a verb.
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

    /// Declares a family of verbs.
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

    /// The verb of a name below this one.
    func subcommand(_ name: String) -> Command? { subcommands.first { $0.name == name } }

    /// The flags it takes, those of every command last.
    func allFlags(isRoot: Bool) -> [FlagDescription] { flags + (isRoot ? Flags.ofRoot : Flags.ofEveryCommand) }
}
