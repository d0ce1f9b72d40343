import Pipeline

/// What the process answers when it ends.
enum ExitCode: Int32, Sendable, CaseIterable {
    /// Everything was done.
    case done = 0
    /// The run failed, lost frames where that was forbidden, or broke a promise of the engine.
    case failed = 1
    /// The configuration, or the command line, is wrong.
    case configuration = 2
    /// The environment is: a port taken, a file missing, data that cannot be read.
    case environment = 3
    /// What was still running when the time to shut down was over had to be ended by force.
    case forced = 4
    /// Something of a damaged recording could not be saved.
    case partly = 5
    /// Interrupted twice.
    case interrupted = 130

    /// What the code means, for the help.
    var meaning: String {
        switch self {
        case .done: "done"
        case .failed: "the run failed"
        case .configuration: "the configuration or the command line is wrong"
        case .environment: "the environment is: a port taken, a file missing or unreadable"
        case .forced: "shutdown had to be forced"
        case .partly: "something of a damaged recording is lost"
        case .interrupted: "interrupted twice"
        }
    }
}

extension ExitCode {
    /// The code for an error that ends a run.
    init(_ category: PipelineError.Category) {
        switch category {
        case .configuration: self = .configuration
        case .environment: self = .environment
        case .frame, .defect: self = .failed
        }
    }
}
