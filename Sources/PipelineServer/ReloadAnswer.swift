import Pipeline
import PipelineComponents

/// The outcome of a request to reload a run's configuration.
public struct ReloadAnswer: Sendable {
    /// A reason why the configuration was refused.
    public struct Problem: Sendable {
        let code: String
        let message: String
        let place: String?
        let help: String?

        /// Creates a problem. `place` is its location in the configuration: `demo.yaml:4:19`.
        public init(code: String, message: String, place: String? = nil, help: String? = nil) {
            (self.code, self.message, self.place, self.help) = (code, message, place, help)
        }
    }

    /// The difference between the old and the new plan; `nil` if the run continues with the old configuration.
    let change: PlanChange?
    let problems: [Problem]

    /// Creates the outcome of a reload that was applied to the run.
    public init(_ change: PlanChange) { (self.change, problems) = (change, []) }

    /// Creates the outcome of a reload that was refused. The run continues with the old configuration.
    public init(refused problems: [Problem]) { (change, self.problems) = (nil, problems) }

    /// The response to the client: status 200 if the reload was applied, and 409 if it was refused.
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
