import Pipeline
import PipelineConfiguration
import Stages

/// Derives the exit code and the error messages from the report of a run.
enum RunOutcome {
    /// Returns the exit code. The first of these that applies decides:
    ///
    /// - The ledger does not balance, which is a defect: 1.
    /// - A node failed: the code for the category of the first failure.
    /// - A node did not end in time: 4.
    /// - Frames were lost, or may have been, and `failOnLoss` is set: 1.
    static func code(of report: RunReport, failOnLoss: Bool) -> ExitCode {
        if !report.violations.isEmpty { return .failed }
        if let cause = report.failures.first { return ExitCode(cause.error.category) }
        if !report.notEnded.isEmpty { return .forced }
        let mayHaveLost = report.ledger.losses > 0 || !report.ledger.unknownLosses.isEmpty
        return failOnLoss && mayHaveLost ? .failed : .done
    }

    /// Returns the problems of a run. Later failures are usually consequences of the first one, so they are listed in its help.
    static func problems(of report: RunReport, in plan: Plan? = nil, failOnLoss: Bool) -> [Notice] {
        var problems: [Notice] = []
        func add(_ text: String, _ code: String, help: [String] = [], node: String? = nil) {
            var problem = Notice(.error, text)
            (problem.code, problem.help, problem.node) = (code, help, node)
            problems.append(problem)
        }
        if let cause = report.failures.first {
            let span = plan?.nodes.first { $0.id == cause.node }?.span
            let remedy = span == nil ? cause.error.help : cause.error.helpInConfiguration
            var help = remedy.map { [$0] } ?? []
            if let span {
                help.append("\(cause.node) is configured at \(span.file):\(span.start.line)")
            }
            help += report.failures.dropFirst().map { "then \($0.node): \($0.error.message) [\($0.error.code)]" }
            let place = cause.error.location.map { "\($0): " } ?? ""
            add(place + cause.error.message, cause.error.code, help: help, node: cause.node)
        }
        if !report.notEnded.isEmpty {
            add(
                "had to be ended by force: \(report.notEnded.joined(separator: ", "))", "run.forced",
                help: ["a larger shutdown_timeout_ms in the configuration gives them more time"])
        }
        if !report.violations.isEmpty {
            add(
                "the ledger does not balance: \(report.violations.joined(separator: "; "))", "run.ledger",
                help: ["this is a defect of pipectl; please report it with the configuration"])
        }
        if failOnLoss, report.ledger.losses > 0 {
            let losses = ProgressBar.grouped(report.ledger.losses)
            add("\(losses) frames were lost, which --fail-on-loss forbids", "run.loss")
        }
        if failOnLoss, !report.ledger.unknownLosses.isEmpty {
            let nodes = report.ledger.unknownLosses.joined(separator: ", ")
            add("frames of \(nodes) may have been lost, which --fail-on-loss forbids", "run.unknown_loss")
        }
        return problems
    }
}
