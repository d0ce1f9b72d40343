import MCAP
import Pipeline

extension MCAPError {
    /// Returns the error of a file that could not be written.
    func writing(_ path: String) -> PipelineError {
        if let systemError { return SystemError(number: systemError).writing(path) }
        return .environment("file.unwritable", "\(path) cannot be written: \(message)")
    }

    /// The code of the error that reports this problem. Codes are written out in full, so that a search finds them.
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

    /// Returns the error of a recording that could not be read.
    package func reading(_ path: String) -> PipelineError {
        if let systemError { return SystemError(number: systemError).reading(path) }
        return .environment(
            codeOfReading,
            code == .system ? "\(path) cannot be read: \(message)" : "\(path): \(description)")
    }
}
