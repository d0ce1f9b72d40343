import Pipeline
import PipelineComponents

/// A message to the user, which can be written as text or as JSON.
struct Notice: Sendable {
    /// The severity.
    let level: Log.Level
    /// The message, in one line without a period.
    let text: String
    /// The `id` of the component that the message is about.
    var node: String?
    /// The error code.
    var code: String?
    /// How to correct the problem, one line each.
    var help: [String] = []
    /// Additional members of the JSON object.
    var data: [(key: String, value: JSONValue)] = []

    init(_ level: Log.Level, _ text: String) { (self.level, self.text) = (level, text) }

    /// Creates a notice from a log line of a component.
    init(_ line: Log.Line) {
        (level, text) = (line.level, line.message)
        (node, code) = (line.node, line.code)
    }

    /// Returns the message as lines of text, each with its newline. Control characters are escaped, because parts of the message
    /// may come from files, senders and workers, and must neither end a line nor control the terminal.
    ///
    /// - Parameter start: The text that each line starts with.
    func lines(_ style: Style, program: String, start: String) -> String {
        let mark = code.map { "[\($0)]" } ?? ""
        let head =
            switch level {
            case .debug, .info: ""
            case .warning: style.warning("warning" + mark) + ": "
            case .error: style.error("error" + mark) + ": "
            }
        let words = (node.map { Self.isFile($0) && text.hasPrefix($0) ? "" : "\($0): " } ?? "") + text
        return start + head + words.naming(program).shown + "\n"
            + help.map { start + "  = help: " + $0.naming(program).shown + "\n" }.joined()
    }

    /// Whether the name of a node is the path of its file. Many messages already begin with that path. The `id`s in a
    /// configuration contain neither dots nor slashes.
    private static func isFile(_ node: String) -> Bool { node.contains { $0 == "." || $0 == "/" } }

    /// Returns the message as one line of JSON. The keys always have the same order. Keys without a value are left out.
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
