import Pipeline

/// The exit code of the process.
enum ExitCode: Int32, Sendable, CaseIterable {
    /// All work was done.
    case done = 0
    /// The run failed, lost frames although `--fail-on-loss` forbids it, or has a ledger that does not balance. Also a negative
    /// verdict, such as a failed test.
    case failed = 1
    /// The configuration or the command line is wrong.
    case configuration = 2
    /// The environment is wrong: a port is taken, a file is missing, or data cannot be read.
    case environment = 3
    /// Something still ran when the shutdown timeout expired, and was ended by force.
    case forced = 4
    /// Part of a damaged recording could not be saved.
    case partly = 5
    /// The user interrupted twice.
    case interrupted = 130

    /// What the code means, for the help.
    var meaning: String {
        switch self {
        case .done: "done"
        case .failed: "the run failed"
        case .configuration: "the configuration or the command line is wrong"
        case .environment: "the environment is wrong: a port taken, a file missing or unreadable"
        case .forced: "shutdown had to be forced"
        case .partly: "part of a damaged recording is lost"
        case .interrupted: "interrupted twice"
        }
    }
}

extension ExitCode {
    /// Creates the exit code for an error that ends a run.
    init(_ category: PipelineError.Category) {
        switch category {
        case .configuration: self = .configuration
        case .environment: self = .environment
        case .frame, .defect: self = .failed
        }
    }
}
