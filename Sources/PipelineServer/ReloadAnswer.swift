import Pipeline
import PipelineComponents

/// What came of reading a configuration again.
public struct ReloadAnswer: Sendable {
    /// Something that was found wrong.
    public struct Problem: Sendable {
        let code: String
        let message: String
        let place: String?
        let help: String?

        public init(code: String, message: String, place: String? = nil, help: String? = nil) {
            (self.code, self.message, self.place, self.help) = (code, message, place, help)
        }
    }

    /// What has changed; `nil` when the run goes on with the configuration that it had.
    let change: PlanChange?
    let problems: [Problem]

    /// The run has changed.
    public init(_ change: PlanChange) { (self.change, problems) = (change, []) }

    /// The run goes on as it was.
    public init(refused problems: [Problem]) { (change, self.problems) = (nil, problems) }

    var response: WebResponse {
        func list(_ names: [String]?) -> JSONValue { .array((names ?? []).map { .string($0) }) }
        var members: [(key: String, value: JSONValue)] = [("reloaded", .boolean(change != nil))]
        if let change {
            members += [
                ("added", list(change.added)), ("changed", list(change.changed)), ("removed", list(change.removed)),
            ]
        } else {
            members.append(("findings", .array(problems.map(\.json))))
        }
        return .json(.object(members), status: change == nil ? 409 : 200)
    }
}

extension ReloadAnswer.Problem {
    fileprivate var json: JSONValue {
        func text(_ text: String?) -> JSONValue { text.map { .outside($0) } ?? .null }
        return .object([
            ("code", .string(code)), ("message", .outside(message)), ("place", text(place)), ("help", text(help)),
        ])
    }
}
