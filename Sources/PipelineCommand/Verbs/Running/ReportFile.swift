import Connectors
import Pipeline
import PipelineComponents
import Stages
import Synchronization

/// The file of `run --report`: how a run goes and how it ended. It is there whole at any time; a run that was killed has none that
/// says how it ended.
final class ReportFile: Sendable {
    private let path: String
    private let head: [(key: String, value: JSONValue)]
    private let hasEnded = Lock(false)

    /// Makes the file, and writes into it that the run goes on.
    ///
    /// - Throws: An environment error when it cannot be written.
    init(_ path: String, of plan: Plan, config: String, _ tool: CommandLineTool) throws {
        self.path = path
        head = [
            ("version", .integer(1)), ("program", .string(tool.name)), ("program_version", .string(tool.version)),
            ("name", .string(plan.name)), ("configuration", .string(config)), ("began", .string(TimeOfDay.now.text)),
        ]
        try write([("ended", .null), ("exit_code", .null)])
    }

    /// Writes how the run ended. Only the first call does anything: there is one end.
    ///
    /// - Throws: An environment error when it cannot be written.
    func end(_ summary: RunSummary, _ code: ExitCode) throws {
        // Under the lock, so that the process does not end in the middle of it.
        try hasEnded.withLock { hasEnded in
            guard !hasEnded else { return }
            hasEnded = true
            try write(
                [("ended", .string(TimeOfDay.now.text)), ("exit_code", .integer(Int(code.rawValue)))]
                    + summary.members.filter { $0.key != "version" })
        }
    }

    private func write(_ members: [(key: String, value: JSONValue)]) throws {
        try WholeFile.write(Array(JSONValue.object(head + members).document.utf8), to: path)
    }
}
