import Pipeline
import PipelineComponents

/// One finding of `pipectl doctor`.
struct Finding: Sendable {
    /// The severity of a finding.
    enum State: String, Sendable {
        case good, warning, error
    }

    /// What was checked: `libzmq`, `clock`, `out.jsonl`.
    let subject: String
    let state: State
    /// The result of the check, in one line.
    let text: String
    /// The code of the problem, if there is one.
    var code: String?
    /// The remedy for the problem, if there is one.
    var remedy: String?

    /// Returns a finding without a problem.
    static func good(_ subject: String, _ text: String) -> Finding {
        Finding(subject: subject, state: .good, text: text)
    }

    /// Returns a finding about something that may fail.
    static func warning(_ subject: String, _ code: String, _ text: String, _ remedy: String) -> Finding {
        Finding(subject: subject, state: .warning, text: text, code: code, remedy: remedy)
    }

    /// Returns a finding about something that will fail.
    static func error(_ subject: String, _ code: String, _ text: String, _ remedy: String) -> Finding {
        Finding(subject: subject, state: .error, text: text, code: code, remedy: remedy)
    }

    /// Returns the finding as lines of text, with the subject padded to a width.
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

    /// The finding as JSON.
    var json: JSONValue {
        .object([
            ("subject", .string(subject)), ("state", .string(state.rawValue)), ("message", .string(text)),
            ("code", .optional(code)), ("help", .optional(remedy)),
        ])
    }
}
