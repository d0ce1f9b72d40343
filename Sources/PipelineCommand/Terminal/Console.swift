import Connectors
import Pipeline
import Stages

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Where a command writes: results to one stream, messages for the user to the other.
struct Console: Sendable {
    /// Writes results. Throws ``OutputLost`` if they cannot be written.
    let writeResult: @Sendable (String) throws -> Void
    /// Writes messages.
    let writeMessage: @Sendable (String) -> Void
    /// The style of results. They have color only where a person reads them.
    let resultStyle: Style
    /// The style of messages.
    let messageStyle: Style
    /// Whether results go to a terminal.
    let resultsAreLive: Bool
    /// Whether messages go to a terminal, where a line can be overwritten.
    let messagesAreLive: Bool
    /// The width of the terminal in columns.
    let width: Int
    /// The environment variables.
    let environment: [String: String]
    /// The start of each line of a log, which depends on where messages go.
    var lineStart = LineStart.nothing
    /// The wall clock.
    var now: @Sendable () -> TimeOfDay = { .now }
    /// The lowest level of messages that are written.
    var level = Log.Level.info
    /// The format of messages.
    var logFormat = LogFormat.text
    /// Whether messages form a log. Those of a long-running verb do.
    var isLog = false
    /// The name of the program that writes.
    var program = "pipectl"

    /// Writes a result, followed by a newline.
    func print(_ text: String) throws { try writeResult(text + "\n") }

    /// Writes a verdict. A reader that closed its end of the pipe is not an error and does not change the exit code, which states
    /// the verdict too.
    ///
    /// - Throws: ``OutputLost`` if the verdict cannot be written for another reason.
    func writeVerdict(_ text: String) throws {
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
        // The message overwrites the progress line, which is drawn again immediately afterwards.
        let erasing = messagesAreLive ? "\r\u{1B}[K" : ""
        writeMessage(erasing + message.lines(messageStyle, program: program, start: start(of: message.level)))
    }

    /// Writes a line that `-q` suppresses.
    func say(_ text: String) { say(Notice(.info, text)) }

    /// Writes a message that has several lines as text, and a single line with data as JSON.
    ///
    /// - Parameter lines: The lines, with their newlines.
    func say(_ message: Notice, _ lines: @autoclosure () -> String) {
        guard logFormat == .text else { return say(message) }
        guard shows(message.level) else { return }
        guard isLog, lineStart == .priority else { return writeMessage(lines()) }
        // The journal handles each line separately.
        let parts = lines().split(separator: "\n").map { message.level.priority + $0 + "\n" }
        writeMessage(parts.joined())
    }

    /// Writes a line that only `-v` shows.
    func detail(_ text: String) { say(Notice(.debug, text)) }

    /// Writes an error. No flag suppresses it.
    func error(_ message: String, code: String? = nil, help: [String] = []) {
        var said = Notice(.error, message)
        (said.code, said.help) = (code, help)
        say(said)
    }

    /// Writes a warning, unless `-q` was given.
    func warning(_ message: String) { say(Notice(.warning, message)) }

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

    /// Whether the reader of a pipe closed its end, which is a normal end.
    var isClosedPipe: Bool { code == EPIPE }
}

/// Colors, or none.
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
