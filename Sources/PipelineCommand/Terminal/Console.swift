import Connectors
import Pipeline
import Stages

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The output of a command: one stream for results, and one for messages to the user.
struct Console: Sendable {
    /// Writes results. Throws ``OutputLost`` if they cannot be written.
    let writeResult: @Sendable (String) throws -> Void
    /// Writes messages.
    let writeMessage: @Sendable (String) -> Void
    /// The style of results, which are colored only on a terminal.
    let resultStyle: Style
    /// The style of messages.
    let messageStyle: Style
    /// Whether results go to a terminal.
    let resultsAreLive: Bool
    /// Whether messages go to a terminal that can overwrite a line.
    let messagesAreLive: Bool
    /// The width of the terminal in columns.
    let width: Int
    /// The environment variables.
    let environment: [String: String]
    /// The start of each line of a log.
    var lineStart = LineStart.nothing
    /// The wall clock.
    var now: @Sendable () -> TimeOfDay = { .now }
    /// The lowest level of messages that are written.
    var level = Log.Level.info
    /// The format of messages.
    var logFormat = LogFormat.text
    /// Whether messages form a log, as those of a long-running verb do. The lines of a log begin with ``lineStart``.
    var isLog = false
    /// The name of the program that writes.
    var program = "pipectl"

    /// Writes a result, followed by a newline.
    func print(_ text: String) throws { try writeResult(text + "\n") }

    /// Writes the result of a command whose exit code is a verdict. Does not throw if the reader has closed its end of the pipe,
    /// because the exit code must state the verdict in that case too.
    ///
    /// - Throws: ``OutputLost`` if the result cannot be written for another reason.
    func writeOutcome(_ text: String) throws {
        do { try writeResult(text) } catch let lost as OutputLost where lost.isClosedPipe {}
    }

    /// Whether messages of a level are written.
    func shows(_ level: Log.Level) -> Bool { level >= self.level }

    /// Whether progress is shown on a terminal, in a line that is overwritten in place.
    var showsStatus: Bool { messagesAreLive && logFormat == .text }

    /// Writes a message if its level is high enough.
    func say(_ message: Notice) {
        guard shows(message.level) else { return }
        guard logFormat == .text else {
            let start = lineStart == .priority ? message.level.priority : ""
            return writeMessage(start + message.json(at: now().text, program: program))
        }
        writeMessage(erasing + message.lines(messageStyle, program: program, start: start(of: message.level)))
    }

    /// Writes a line that `-q` suppresses.
    func say(_ text: String) { say(Notice(.info, text)) }

    /// Writes a message that is several lines long in the text format, and a single line with data in the JSON format.
    ///
    /// - Parameter lines: The lines, with their newlines.
    func say(_ message: Notice, _ lines: @autoclosure () -> String) {
        guard logFormat == .text else { return say(message) }
        guard shows(message.level) else { return }
        guard isLog, lineStart == .priority else { return writeMessage(erasing + lines()) }
        // The journal handles each line separately.
        let parts = lines().split(separator: "\n").map { message.level.priority + $0 + "\n" }
        writeMessage(parts.joined())
    }

    /// The text that starts each message. A message overwrites the progress line, which the next progress update draws again.
    private var erasing: String { messagesAreLive ? "\r\u{1B}[K" : "" }

    /// Writes a line that only `-v` shows.
    func detail(_ text: String) { say(Notice(.debug, text)) }

    /// Writes an error. No flag suppresses it.
    func error(_ message: String, code: String? = nil, help: [String] = []) {
        var said = Notice(.error, message)
        (said.code, said.help) = (code, help)
        say(said)
    }

    /// Writes an error with its location, code and help. No flag suppresses it.
    func error(_ error: PipelineError) {
        self.error(
            (error.location.map { "\($0): " } ?? "") + error.message, code: error.code,
            help: error.help.map { [$0] } ?? [])
    }

    /// Writes a warning, unless `-q` was given.
    func warning(_ message: String, code: String? = nil, help: [String] = []) {
        var said = Notice(.warning, message)
        (said.code, said.help) = (code, help)
        say(said)
    }

    private func start(of level: Log.Level) -> String {
        switch isLog ? lineStart : .nothing {
        case .nothing: ""
        case .time: now().text + " "
        case .priority: level.priority
        }
    }
}

/// An error thrown when standard output can no longer be written.
struct OutputLost: Error {
    /// The system's error number.
    let code: Int32

    /// Whether the reader has closed its end of the pipe. The command then ends normally.
    var isClosedPipe: Bool { code == EPIPE }
}

/// Adds colors to text, if the output supports them.
struct Style: Sendable {
    /// Whether escape sequences are written.
    let isColored: Bool

    static let plain = Style(isColored: false)

    func error(_ text: String) -> String { paint(text, "1;31") }
    func warning(_ text: String) -> String { paint(text, "1;33") }
    func good(_ text: String) -> String { paint(text, "32") }
    func strong(_ text: String) -> String { paint(text, "1") }
    func faint(_ text: String) -> String { paint(text, "2") }

    private func paint(_ text: String, _ code: String) -> String {
        isColored ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
