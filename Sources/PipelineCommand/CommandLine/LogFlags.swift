import Pipeline

/// The flags of long-running verbs, whose messages may be kept as a log.
enum LogFlags {
    private static let format = Flag<LogFormat>.choice("log-format", default: .text, "The format of messages")
    private static let level = Flag<Log.Level>.choice(
        "log-level", default: .info, "The lowest level of messages that are written; -q is error, -v is debug")

    static let all = [format.description, level.description]

    /// Sets the level and the format of a console's messages as the flags say.
    ///
    /// - Throws: A usage error if `--log-level` is combined with `-q` or `-v`.
    static func apply(_ invocation: Invocation, to console: inout Console) throws(UsageError) {
        let short = invocation[Flags.quiet] ? "-q" : invocation[Flags.verbose] ? "-v" : nil
        if let short, invocation[level] != nil {
            throw UsageError("\(short) and --log-level both set the level of messages", help: "leave one of them out")
        }
        if invocation[Flags.quiet] { console.level = .error }
        if invocation[Flags.verbose] { console.level = .debug }
        if let level = invocation[level] { console.level = level }
        if let format = invocation[format] { console.logFormat = format }
        console.isLog = invocation.command.flags.contains { $0.name == format.description.name }
    }
}
