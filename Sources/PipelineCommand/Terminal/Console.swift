import Pipeline
import Stages

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Where a command writes: results on one side, messages for a person on the other.
struct Console: Sendable {
    /// How much is said beside results and errors.
    enum Verbosity: Int, Sendable, Comparable {
        case quiet, normal, verbose

        static func < (a: Verbosity, b: Verbosity) -> Bool { a.rawValue < b.rawValue }
    }

    /// Writes results. Throws ``OutputLost`` when they cannot be written.
    let writeResult: @Sendable (String) throws -> Void
    /// Writes messages.
    let writeMessage: @Sendable (String) -> Void
    /// How results look: colour only where a person reads them.
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
    /// How much is said.
    var verbosity: Verbosity = .normal
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

    /// Says a line that `-q` keeps back.
    func say(_ text: String) { if verbosity > .quiet { writeMessage(line("", text)) } }

    /// Says several lines, line ends and all, that `-q` keeps back.
    func sayWhole(_ text: String) { if verbosity > .quiet { writeMessage(text) } }

    /// Says a line that only `-v` shows.
    func detail(_ text: String) { if verbosity == .verbose { writeMessage(line("", text)) } }

    /// Says what went wrong; nothing keeps it back.
    func error(_ message: String, code: String? = nil, help: [String] = []) {
        let head = messageStyle.error("error" + (code.map { "[\($0)]" } ?? "")) + ": "
        writeMessage(line(head, message) + help.map { line("  = help: ", $0) }.joined())
    }

    /// Says what might be wrong, unless `-q` was given.
    func warning(_ message: String) {
        if verbosity > .quiet { writeMessage(line(messageStyle.warning("warning") + ": ", message)) }
    }

    /// A line of messages. Files, senders and workers have a say in `text`: it neither ends the line nor speaks to the terminal.
    private func line(_ head: String, _ text: String) -> String {
        // It is written over the line that says how work is doing, which is drawn again at once.
        (messagesAreLive ? "\r\u{1B}[K" : "") + head + text.naming(program).shown + "\n"
    }
}

/// Thrown when standard output takes nothing any more.
struct OutputLost: Error {
    /// The system's error number.
    let code: Int32

    /// Whether the reader of a pipe has left, which is a normal end.
    var isClosedPipe: Bool { code == EPIPE }
}

/// Colours, or none.
struct Style: Sendable {
    /// Whether escape sequences are written.
    let isColoured: Bool

    static let plain = Style(isColoured: false)

    func error(_ text: String) -> String { paint(text, "1;31") }
    func warning(_ text: String) -> String { paint(text, "1;33") }
    func good(_ text: String) -> String { paint(text, "32") }
    func strong(_ text: String) -> String { paint(text, "1") }
    func faint(_ text: String) -> String { paint(text, "2") }

    private func paint(_ text: String, _ code: String) -> String {
        isColoured ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
