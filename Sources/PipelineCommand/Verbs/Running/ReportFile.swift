import Connectors
import Pipeline
import PipelineComponents
import Stages
import Synchronization

/// The file of `run --report`: the state of a run and its outcome. The file is complete at any time. The file of a run that was
/// killed contains no outcome.
final class ReportFile: Sendable {
    private let path: String
    private let head: [(key: String, value: JSONValue)]
    private let hasEnded = Lock(false)

    /// Creates the file, and writes that the run is in progress.
    ///
    /// - Throws: An environment error if the file cannot be written.
    init(_ path: String, of plan: Plan, config: String, _ tool: CommandLineTool) throws {
        self.path = path
        head = [
            ("version", .integer(1)), ("program", .string(tool.name)), ("program_version", .string(tool.version)),
            ("name", .string(plan.name)), ("configuration", .string(config)), ("began", .string(TimeOfDay.now.text)),
        ]
        try write([("ended", .null), ("exit_code", .null)])
    }

    /// Writes the outcome of the run. Only the first call has an effect, because a run ends once.
    ///
    /// - Throws: An environment error if the file cannot be written.
    func end(_ summary: RunSummary, _ code: ExitCode) throws {
        // Under the lock, so that the process does not end in the middle of the write.
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
