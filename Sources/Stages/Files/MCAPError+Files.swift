import MCAP
import Pipeline

extension MCAPError {
    /// The error of a file that was to be written.
    func writing(_ path: String) -> PipelineError {
        if let systemError { return SystemError(number: systemError).writing(path) }
        return .environment("file.unwritable", "\(path) cannot be written: \(message)")
    }

    /// The error of a recording that was to be read.
    package func reading(_ path: String) -> PipelineError {
        .environment(
            code == .system ? "file.unreadable" : "mcap.\(code.name)",
            code == .system ? "\(path) cannot be read: \(message)" : "\(path): \(description)")
    }
}
