import Connectors
import Pipeline
import PipelineComponents
import Stages
import Synchronization

/// The file of `run --report`, which contains the outcome of a run as JSON. The file is valid JSON at any time. `ended` and
/// `exit_code` are null until the run ends, and stay null if the process is killed. If the disk is full when the run begins, the
/// file is unchanged until the run ends.
final class ReportFile: Sendable {
    private let path: String
    private let head: [(key: String, value: JSONValue)]
    private let hasEnded = Lock(false)

    /// Creates the file, and writes that the run is in progress. A full disk is only a warning.
    ///
    /// - Throws: An environment error if the file cannot be written for another reason.
    init(_ path: String, of plan: Plan, config: String, _ tool: CommandLineTool, _ console: Console) throws {
        self.path = path
        head = [
            ("version", .integer(1)), ("program", .string(tool.name)), ("program_version", .string(tool.version)),
            ("name", .string(plan.name)), ("configuration", .string(config)), ("began", .string(TimeOfDay.now.text)),
        ]
        do {
            try WholeFile.replace(path, with: text([("ended", .null), ("exit_code", .null)]))
        } catch let error as SystemError {
            let said = error.writing(path)
            guard error.isFull else { throw said }
            console.warning("\(said.message); the report is written when the run ends", code: "run.report_postponed")
        }
    }

    /// Writes the outcome of the run. Only the first call has an effect. If a second interrupt ends the process, the call comes
    /// from the signal thread.
    ///
    /// - Throws: An environment error if the file cannot be written.
    func end(_ summary: RunReportText, _ code: ExitCode) throws {
        // The lock is held during the write. A second interrupt also calls this function before it ends the process, so it waits
        // for the end of the write.
        try hasEnded.withLock { hasEnded in
            guard !hasEnded else { return }
            hasEnded = true
            let members: [(key: String, value: JSONValue)] = [
                ("ended", .string(TimeOfDay.now.text)), ("exit_code", .integer(Int(code.rawValue))),
            ]
            try WholeFile.write(text(members + summary.members.filter { $0.key != "version" }), to: path)
        }
    }

    /// Returns the contents of the file, with further members.
    private func text(_ members: [(key: String, value: JSONValue)]) -> [UInt8] {
        Array(JSONValue.object(head + members).document.utf8)
    }
}
