import Pipeline

/// The flags of verbs that go on for long, and whose messages somebody keeps.
enum LogFlags {
    private static let format = Flag<LogFormat>.choice("log-format", default: .text, "How messages are written")
    private static let level = Flag<Log.Level>.choice(
        "log-level", default: .info, "How important a message must be; -q is error, -v is debug")

    static let all = [format.description, level.description]

    /// Lets a console say what a command line asks for.
    ///
    /// - Throws: A usage error when it asks for two things at once.
    static func apply(_ invocation: Invocation, to console: inout Console) throws(UsageError) {
        let short = invocation[Flags.quiet] ? "-q" : invocation[Flags.verbose] ? "-v" : nil
        if let short, invocation[level] != nil {
            throw UsageError("\(short) and --log-level both say how much is said", help: "leave one of them out")
        }
        if invocation[Flags.quiet] { console.level = .error }
        if invocation[Flags.verbose] { console.level = .debug }
        if let level = invocation[level] { console.level = level }
        if let format = invocation[format] { console.logFormat = format }
        console.isLog = invocation.command.flags.contains { $0.name == format.description.name }
    }
}
