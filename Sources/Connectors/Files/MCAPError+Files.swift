import MCAP
import Pipeline

extension MCAPError {
    /// Returns the error to report if a file could not be written because of this error.
    func writing(_ path: String) -> PipelineError {
        if let systemError { return SystemError(number: systemError).writing(path) }
        return .environment("file.unwritable", "\(path) cannot be written: \(message)")
    }

    /// The code with which a `PipelineError` reports this error. Each code is written out, so that a text search finds it.
    package var codeOfReading: String {
        switch code {
        case .notMCAP: "mcap.not_mcap"
        case .truncated: "mcap.truncated"
        case .tooLarge: "mcap.too_large"
        case .checksum: "mcap.checksum"
        case .compression: "mcap.compression"
        case .noIndex: "mcap.no_index"
        case .system: "file.unreadable"
        default: "mcap.malformed"
        }
    }

    /// Returns the error to report if a recording could not be read because of this error.
    package func reading(_ path: String) -> PipelineError {
        if let systemError { return SystemError(number: systemError).reading(path) }
        return .environment(
            codeOfReading,
            code == .system ? "\(path) cannot be read: \(message)" : "\(path): \(description)")
    }
}
