import Pipeline
import PipelineComponents

/// What `pipectl doctor` has found out about one thing.
struct Finding: Sendable {
    /// How good it is.
    enum State: String, Sendable {
        case good, warning, error
    }

    /// What was looked at: `libzmq`, `clock`, `out.jsonl`.
    let subject: String
    let state: State
    /// What is so, in one line.
    let text: String
    /// The code of what is wrong.
    var code: String?
    /// How to mend what is wrong.
    var remedy: String?

    /// Nothing is wrong.
    static func good(_ subject: String, _ text: String) -> Finding {
        Finding(subject: subject, state: .good, text: text)
    }

    /// Something may go wrong.
    static func warning(_ subject: String, _ code: String, _ text: String, _ remedy: String) -> Finding {
        Finding(subject: subject, state: .warning, text: text, code: code, remedy: remedy)
    }

    /// Something will go wrong.
    static func error(_ subject: String, _ code: String, _ text: String, _ remedy: String) -> Finding {
        Finding(subject: subject, state: .error, text: text, code: code, remedy: remedy)
    }

    /// The lines for a person, the subject as wide as the widest.
    func lines(width: Int, _ style: Style) -> String {
        let mark =
            switch state {
            case .good: style.good("✓")
            case .warning: style.warning("!")
            case .error: style.error("✗")
            }
        let name = subject.shown + String(repeating: " ", count: max(0, width - subject.shown.count))
        var text = "\(mark) \(name)  \(self.text.shown)" + (code.map { " [\($0)]" } ?? "") + "\n"
        if let remedy { text += String(repeating: " ", count: width + 4) + "= help: \(remedy.shown)\n" }
        return text
    }

    /// The finding for a program.
    var json: JSONValue {
        .object([
            ("subject", .string(subject)), ("state", .string(state.rawValue)), ("message", .string(text)),
            ("code", .optional(code)), ("help", .optional(remedy)),
        ])
    }
}
