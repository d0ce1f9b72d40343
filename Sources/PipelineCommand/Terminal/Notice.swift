import Pipeline
import PipelineComponents

/// Something that is said to a person, or to a program that reads what is said.
struct Notice: Sendable {
    /// How important it is.
    let level: Log.Level
    /// What is said, in one line without a full stop.
    let text: String
    /// The component that it is about.
    var node: String?
    /// The code of the error.
    var code: String?
    /// How to mend it, a line each.
    var help: [String] = []
    /// What else a program is told.
    var data: [(key: String, value: JSONValue)] = []

    init(_ level: Log.Level, _ text: String) { (self.level, self.text) = (level, text) }

    /// What a component of a run says.
    init(_ line: Log.Line) {
        (level, text) = (line.level, line.message)
        (node, code) = (line.node, line.code)
    }

    /// The message for a person, with line ends. Files, senders and workers have a say in it: it neither ends the line nor
    /// speaks to the terminal.
    ///
    /// - Parameter start: What each of its lines begins with.
    func lines(_ style: Style, program: String, start: String) -> String {
        let head =
            switch level {
            case .debug, .info: ""
            case .warning: style.warning("warning") + ": "
            // A code says what an error is. A warning speaks of what has a code of its own.
            case .error: style.error("error" + (code.map { "[\($0)]" } ?? "")) + ": "
            }
        let words = (node.map { "\($0): " } ?? "") + text
        return start + head + words.naming(program).shown + "\n"
            + help.map { start + "  = help: " + $0.naming(program).shown + "\n" }.joined()
    }

    /// The message for a program: one line, with the same keys in the same order whenever they are there.
    func json(at time: String, program: String) -> String {
        var members: [(key: String, value: JSONValue)] = [
            ("time", .string(time)), ("level", .string(level.rawValue)),
        ]
        if let node { members.append(("node", .string(node))) }
        if let code { members.append(("code", .string(code))) }
        members.append(("message", .string(text.naming(program))))
        if !help.isEmpty { members.append(("help", .array(help.map { .string($0.naming(program)) }))) }
        return JSONValue.object(members + data).line
    }
}
