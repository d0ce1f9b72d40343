/// The meaning of an error or finding code, for a user who meets it for the first time.
///
/// Every code in the sources of this project has an explanation, which a test checks. A program with components of its own adds
/// explanations of their codes: see ``CommandLineTool/init(_:version:registry:explanations:)``.
public struct Explanation: Sendable {
    /// The way in which a code is reported.
    public enum Kind: String, Sendable, CaseIterable {
        /// An error in the configuration or the command line.
        case configuration
        /// A finding about something that is probably not intended. The pipeline runs anyway.
        case warning
        /// An error of the environment: a file, a port, a permission.
        case environment
        /// An error of one frame, for which the component's `on_error` applies.
        case frame
        /// A bug in the program or in a component.
        case defect
        /// The negative result of a command that has done its work, such as a comparison that finds differences.
        case verdict
        /// The answer of a served run to a request that it refuses.
        case answer
    }

    /// An example of the code's occurrence.
    enum Example: Sendable {
        /// A complete configuration for which `validate` reports this code and no other.
        case configuration(String)

        /// Printed output. It starts with the command that prints it, where that helps.
        case output(String)
    }

    /// Codes about one subject.
    public struct Family: Sendable {
        /// The subject, as a heading.
        public let title: String
        /// The explanations of the codes.
        public let explanations: [Explanation]

        /// Creates a family.
        public init(_ title: String, _ explanations: [Explanation]) {
            self.title = title
            self.explanations = explanations
        }
    }

    /// The code: `graph.unknown_component`.
    public let code: String
    /// The ways in which the code is reported. A few codes are an error in one place and a warning in another.
    let kinds: [Kind]
    /// What is wrong, in one sentence.
    let meaning: String
    /// Why the error happens.
    let cause: String
    /// An example of the code's occurrence.
    let example: Example
    /// What to do.
    let remedy: String

    /// Creates an explanation of a code that the check of a configuration reports.
    init(
        _ code: String, _ kinds: [Kind], _ meaning: String, cause: String, configuration: String, remedy: String
    ) {
        self.init(code, kinds, meaning, cause: cause, .configuration(configuration + "\n"), remedy: remedy)
    }

    /// Creates an explanation of a code that is not reported by the check of a configuration.
    ///
    /// - Parameters:
    ///   - code: The code: `thin.not_finite`.
    ///   - kinds: The ways in which the code is reported.
    ///   - meaning: What is wrong, in one sentence.
    ///   - cause: Why the error happens.
    ///   - output: What the program prints when the error occurs.
    ///   - remedy: What to do.
    public init(_ code: String, _ kinds: [Kind], _ meaning: String, cause: String, output: String, remedy: String) {
        self.init(code, kinds, meaning, cause: cause, .output(output + "\n"), remedy: remedy)
    }

    private init(
        _ code: String, _ kinds: [Kind], _ meaning: String, cause: String, _ example: Example, remedy: String
    ) {
        self.code = code
        self.kinds = kinds
        self.meaning = meaning
        self.cause = cause
        self.example = example
        self.remedy = remedy
    }
}

extension Explanation.Kind {
    /// The name of the kind, as users read it.
    var name: String {
        switch self {
        case .configuration: "configuration error"
        case .warning: "warning"
        case .environment: "environment error"
        case .frame: "frame error"
        case .defect: "defect"
        case .verdict: "verdict"
        case .answer: "answer of a server"
        }
    }

    /// The effect on the run.
    var consequence: String {
        switch self {
        case .configuration:
            """
            The configuration or the command line is invalid. This is usually found before anything runs. The exit code \
            is 2.
            """
        case .warning: "Something is probably not intended. The pipeline runs anyway."
        case .environment:
            "The configuration may be right, but its environment is not: a file, a port, a permission. The exit code is 3."
        case .frame:
            """
            One frame cannot be read or processed. `on_error` of the component decides: `fail` ends the run with exit \
            code 1, `skip` continues without the frame, `route` passes it on. A command that reads a file without a pipeline \
            skips such a frame and says so, or ends with exit code 1 or 3.
            """
        case .defect: "The program, or a component that was added to it, has a bug. The exit code is 1."
        case .answer: "A served run refuses a request, and reports this to the client. The run continues."
        case .verdict:
            "The command has done its work, and the result is negative. The exit code is 1 unless stated otherwise."
        }
    }
}
