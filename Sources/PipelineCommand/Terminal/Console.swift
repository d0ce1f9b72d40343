import Connectors
import Pipeline
import Stages

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Where a command writes: results on one side, messages for a person on the other.
struct Console: Sendable {
    /// Writes results. Throws ``OutputLost`` when they cannot be written.
    let writeResult: @Sendable (String) throws -> Void
    /// Writes messages.
    let writeMessage: @Sendable (String) -> Void
    /// How results look: color only where a person reads them.
    let resultStyle: Style
    /// How messages look.
    let messageStyle: Style
    /// Whether results go to a terminal.
    let resultsAreLive: Bool
    /// Whether messages go to a terminal, where a line can be written over.
    let messagesAreLive: Bool
    /// How wide the terminal is.
    let width: Int
    /// The variables of the environment.
    let environment: [String: String]
    /// What lines of a log begin with where messages go.
    var lineStart = LineStart.nothing
    /// The clock on the wall.
    var now: @Sendable () -> TimeOfDay = { .now }
    /// How important a message has to be.
    var level = Log.Level.info
    /// How messages are written.
    var logFormat = LogFormat.text
    /// Whether messages are a log: of a verb that goes on for long.
    var isLog = false
    /// The program that speaks.
    var program = "pipectl"

    /// Writes a result, with a line end.
    func print(_ text: String) throws { try writeResult(text + "\n") }

    /// Writes what a verdict is about. A reader that has left is no error, and does not change the exit code, which says the verdict
    /// too.
    ///
    /// - Throws: ``OutputLost`` when it cannot be written for another reason.
    func writeVerdict(_ text: String) throws {
        do { try writeResult(text) } catch let lost as OutputLost where lost.isClosedPipe {}
    }

    /// Whether messages of a level are written.
    func shows(_ level: Log.Level) -> Bool { level >= self.level }

    /// Whether work shows on a terminal how it is doing, in a line that is written over.
    var showsStatus: Bool { messagesAreLive && logFormat == .text }

    /// Says something, if it is important enough.
    func say(_ message: Notice) {
        guard shows(message.level) else { return }
        guard logFormat == .text else {
            let start = lineStart == .priority ? message.level.priority : ""
            return writeMessage(start + message.json(at: now().text, program: program))
        }
        // It is written over the line that says how work is doing, which is drawn again at once.
        let erasing = messagesAreLive ? "\r\u{1B}[K" : ""
        writeMessage(erasing + message.lines(messageStyle, program: program, start: start(of: message.level)))
    }

    /// Says a line that `-q` keeps back.
    func say(_ text: String) { say(Notice(.info, text)) }

    /// Says what stands in several lines for a person, and in one with data for a program.
    ///
    /// - Parameter lines: The lines, line ends and all.
    func say(_ message: Notice, _ lines: @autoclosure () -> String) {
        guard logFormat == .text else { return say(message) }
        guard shows(message.level) else { return }
        guard isLog, lineStart == .priority else { return writeMessage(lines()) }
        // The journal takes each line for itself.
        let parts = lines().split(separator: "\n").map { message.level.priority + $0 + "\n" }
        writeMessage(parts.joined())
    }

    /// Says a line that only `-v` shows.
    func detail(_ text: String) { say(Notice(.debug, text)) }

    /// Says what went wrong; nothing keeps it back.
    func error(_ message: String, code: String? = nil, help: [String] = []) {
        var said = Notice(.error, message)
        (said.code, said.help) = (code, help)
        say(said)
    }

    /// Says what might be wrong, unless `-q` was given.
    func warning(_ message: String) { say(Notice(.warning, message)) }

    private func start(of level: Log.Level) -> String {
        switch isLog ? lineStart : .nothing {
        case .nothing: ""
        case .time: now().text + " "
        case .priority: level.priority
        }
    }
}

/// Thrown when standard output takes nothing any more.
struct OutputLost: Error {
    /// The system's error number.
    let code: Int32

    /// Whether the reader of a pipe has left, which is a normal end.
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
