import Pipeline
import Stages

/// Evaluates every setting of a pipeline on the same trials. Each core evaluates one setting at a time.
struct TuneRun {
    private let pipelines: [(settings: [String], pipeline: EvaluatedPipeline)]
    private let items: [EvaluationItem]
    private let options: EvaluationOptions

    /// The settings that were evaluated before the work ended or was interrupted.
    struct Judged: Sendable {
        /// The evaluated settings, in the order of the grid.
        var candidates: [Tuning.Candidate] = []
        /// The report about the last of them.
        var report: EvaluationReport?
    }

    init(
        _ pipelines: [(settings: [String], pipeline: EvaluatedPipeline)], _ items: [EvaluationItem],
        _ options: EvaluationOptions
    ) {
        // Errors name the settings, too.
        self.pipelines = pipelines.map { settings, pipeline in
            var pipeline = pipeline
            pipeline.name = ([pipeline.name] + settings).joined(separator: " ")
            return (settings, pipeline)
        }
        (self.items, self.options) = (items, options)
    }

    /// Evaluates all settings. The first interrupt ends the work; the settings evaluated so far are returned.
    func judge(_ console: Console) async throws -> Judged {
        let progress = Progress()
        let total = Int64(pipelines.count)
        progress.update(done: 0, total: total)
        let work = Task { [self] in try await judge(progress) }
        Signals.listen(console) { work.cancel() }
        let reporter = ProgressReporter(
            measure: {
                var bar = ProgressBar("settings")
                (bar.done, bar.total, bar.items) = (progress.done, total, progress.done)
                return bar
            }, console: console)
        return try await reporter.during { try await work.value }
    }

    private func judge(_ progress: Progress) async throws -> Judged {
        let (items, options) = (items, options)
        var reports = [EvaluationReport?](repeating: nil, count: pipelines.count)
        try await withThrowingTaskGroup(of: (Int, EvaluationReport?).self) { group in
            var next = 0
            func add() {
                guard next < pipelines.count, !Task.isCancelled else { return }
                let (index, pipeline) = (next, pipelines[next].pipeline)
                next += 1
                group.addTask {
                    do {
                        return (index, try await Evaluation(pipeline, options: options).run(items, cores: 1))
                    } catch is CancellationError {
                        return (index, nil)
                    }
                }
            }
            for _ in 0..<machineCores { add() }
            var done: Int64 = 0
            while let (index, report) = try await group.next() {
                reports[index] = report
                done += 1
                progress.update(done: done, total: Int64(pipelines.count))
                add()
            }
        }
        var judged = Judged()
        for (pipeline, report) in zip(pipelines, reports) {
            guard let report else { continue }
            judged.candidates.append(Tuning.Candidate(settings: pipeline.settings, report))
            judged.report = report
        }
        return judged
    }
}
