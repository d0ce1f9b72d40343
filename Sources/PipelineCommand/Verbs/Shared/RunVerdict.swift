import Pipeline
import Stages

/// What the end of a run means for the exit code, and what must be said about it.
enum RunVerdict {
    /// One thing that went wrong.
    struct Problem {
        let message: String
        var code: String?
        var help: [String] = []

        func say(on console: Console) { console.error(message, code: code, help: help) }
    }

    /// The exit code. A broken ledger is a defect and always 1; after that the root cause decides.
    static func code(of report: RunReport, failOnLoss: Bool) -> ExitCode {
        if !report.violations.isEmpty { return .failed }
        if let cause = report.failures.first { return ExitCode(cause.error.category) }
        if !report.notEnded.isEmpty { return .forced }
        let mayHaveLost = report.ledger.losses > 0 || !report.ledger.unknownLosses.isEmpty
        return failOnLoss && mayHaveLost ? .failed : .done
    }

    /// What went wrong, the root cause first; what followed from it is attached as help, not shown instead.
    static func problems(of report: RunReport, failOnLoss: Bool) -> [Problem] {
        var problems: [Problem] = []
        if let cause = report.failures.first {
            var help = cause.error.help.map { [$0] } ?? []
            help += report.failures.dropFirst().map { "then \($0.node): \($0.error.message) [\($0.error.code)]" }
            problems.append(
                Problem(message: message(cause.node, cause.error), code: cause.error.code, help: help))
        }
        if !report.notEnded.isEmpty {
            problems.append(
                Problem(
                    message: "had to be ended by force: \(report.notEnded.joined(separator: ", "))",
                    code: "run.forced", help: ["shutdown_timeout_ms in the configuration gives it more time"]))
        }
        if !report.violations.isEmpty {
            problems.append(
                Problem(
                    message: "the account of frames does not close: \(report.violations.joined(separator: "; "))",
                    code: "run.ledger", help: ["this is a defect of pipectl; please report it with the configuration"]))
        }
        if failOnLoss, report.ledger.losses > 0 {
            let losses = ProgressBar.grouped(report.ledger.losses)
            problems.append(
                Problem(message: "\(losses) frames were lost, which --fail-on-loss forbids", code: "run.loss"))
        }
        if failOnLoss, !report.ledger.unknownLosses.isEmpty {
            let nodes = report.ledger.unknownLosses.joined(separator: ", ")
            problems.append(
                Problem(
                    message: "what \(nodes) wrote may not all have arrived, which --fail-on-loss forbids",
                    code: "run.unknown_loss"))
        }
        return problems
    }

    private static func message(_ node: String, _ error: PipelineError) -> String {
        "\(node): " + (error.location.map { "\($0): " } ?? "") + error.message
    }
}
