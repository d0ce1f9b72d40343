/// The meaning of an error or finding code, for a user who meets it for the first time.
///
/// Every code of the product has an explanation; a test compares the explanations with the codes in the sources. A program with
/// components of its own adds explanations of their codes: see ``CommandLineTool/init(_:version:registry:explanations:)``.
public struct Explanation: Sendable {
    /// The way in which a code is reported.
    public enum Kind: String, Sendable, CaseIterable {
        case configuration, warning, environment, frame, defect, verdict, answer
    }

    /// An example of the code's occurrence.
    enum Example: Sendable {
        /// A complete configuration for which `validate` reports this code and no other.
        case configuration(String)

        /// Printed output, preceded by the command that prints it where that helps.
        case output(String)
    }

    /// Codes about one subject.
    public struct Family: Sendable {
        /// The subject, as a heading.
        public let title: String
        /// The codes.
        public let explanations: [Explanation]

        /// Creates a family.
        public init(_ title: String, _ explanations: [Explanation]) {
            self.title = title
            self.explanations = explanations
        }
    }

    /// The code: `graph.unknown_component`.
    public let code: String
    /// The ways in which it is reported; a few codes are an error in one place and a warning in another.
    let kinds: [Kind]
    /// What is wrong, in one sentence.
    let meaning: String
    /// Why it happens.
    let cause: String
    /// An example of its occurrence.
    let example: Example
    /// What to do.
    let remedy: String

    /// Creates an explanation of a code that the check of a configuration reports.
    init(
        _ code: String, _ kinds: [Kind], _ meaning: String, cause: String, configuration: String, remedy: String
    ) {
        self.init(code, kinds, meaning, cause: cause, .configuration(configuration + "\n"), remedy: remedy)
    }

    /// Creates an explanation of a code that is reported in any other way.
    ///
    /// - Parameters:
    ///   - code: The code: `thin.not_finite`.
    ///   - kinds: The ways in which it is reported.
    ///   - meaning: What is wrong, in one sentence.
    ///   - cause: Why it happens.
    ///   - output: What is printed when it occurs.
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
            code 1, `skip` continues without the frame, `route` passes it on. In a file given on the command line, the \
            error ends the command with exit code 3.
            """
        case .defect: "The program, or a component that was added to it, has a bug. The exit code is 1."
        case .answer: "A served run refuses a request, and reports this to the client. The run continues."
        case .verdict:
            "The command has done its work, and the result is negative. The exit code is 1 unless stated otherwise."
        }
    }
}
