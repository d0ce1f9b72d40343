import Pipeline

/// The error that ended a run. In contrast to a ``PipelineError`` outside a run, an error about a frame is not about a file that
/// was named on the command line.
struct RunFailure: Error {
    let error: PipelineError

    var code: ExitCode { ExitCode(error.category) }
}
