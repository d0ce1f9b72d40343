import Pipeline

extension Run {
    /// Runs to the end of the input, for a verb whose result must not be a part of it, and shows the progress. The first signal
    /// stops the run.
    ///
    /// - Parameter interruption: What an interrupted run lacks, for the error: `p.yaml has not read all of a.jsonl`.
    /// - Throws: An environment error if a signal arrived before the end.
    func finished(_ console: Console, else interruption: (RunReport) -> String) async throws -> RunReport {
        let interrupted = StopSignal()
        Signals.listen(console) {
            interrupted.request()
            self.stop()
        }
        let report = await ProgressReporter(measure: { RunProgress.measure(self) }, console: console).during {
            await finished()
        }
        guard !interrupted.isRequested else {
            throw PipelineError.interrupted(interruption(report))
        }
        return report
    }
}

extension PipelineError {
    /// Returns the error of a verb that a signal ended before its result was whole.
    ///
    /// - Parameter lack: What the result lacks.
    static func interrupted(_ lack: String) -> PipelineError {
        .environment("run.interrupted", "interrupted: \(lack)")
    }
}
