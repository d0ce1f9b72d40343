import Pipeline

/// Measures how well a pipeline recognizes gestures, with the protocols and figures that the field uses.
///
/// The evaluation uses the pipeline's own parts: its pure stages prepare templates and tests alike, its matcher compares them, and
/// its options decide what is accepted. The same data, options and seed give the same figures on any number of cores.
public struct Evaluation: Sendable {
    private let options: EvaluationOptions
    private let pipeline: EvaluatedPipeline

    /// Creates an evaluation of a pipeline.
    public init(_ pipeline: EvaluatedPipeline, options: EvaluationOptions = EvaluationOptions()) {
        (self.pipeline, self.options) = (pipeline, options)
    }

    /// Creates an evaluation of a matcher without a configuration.
    ///
    /// - Parameters:
    ///   - stages: The pure stages between a stroke and the matcher.
    ///   - match: The matcher's options. The library that they name is not read.
    ///   - options: How templates and tests are drawn.
    public init(stages: [any Stage], match: Match.Options, options: EvaluationOptions = EvaluationOptions()) {
        self.init(EvaluatedPipeline(stages: stages, .match(match)), options: options)
    }

    /// Creates an evaluation of the comparison of bitmaps. For the parameters, see ``init(stages:match:options:)``.
    public init(
        stages: [any Stage] = [Rasterize()], matchBitmap: MatchBitmap.Options,
        options: EvaluationOptions = EvaluationOptions()
    ) {
        self.init(EvaluatedPipeline(stages: stages, .bitmap(matchBitmap)), options: options)
    }

    /// Evaluates a data set: draws templates and tests from it, or tests all of it against a library.
    ///
    /// - Parameters:
    ///   - items: The labeled samples.
    ///   - library: A library that is evaluated as it is: all of its samples are templates, and every item is tested once. Items of
    ///     classes that the library does not have measure how many unknown gestures are accepted.
    ///   - progress: Called with the number of finished draws and the total number of draws.
    /// - Throws: A frame error for a sample that a stage refuses; a configuration error if the data are not sufficient for any
    ///   number of templates or contain no class of the library, or if the number of repetitions is out of range.
    public func callAsFunction(
        _ items: [EvaluationItem], library: GestureLibrary? = nil,
        progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) throws -> EvaluationReport {
        let work = try Work(self, items, library)
        var results: [[EvaluationResult]] = []
        var done = 0
        for row in work.rows {
            results.append(
                try row.draws.map { draw in
                    let result = try work.bench.test(draw)
                    done += 1
                    progress(done, work.total)
                    return result
                })
        }
        return report(work, results)
    }

    /// Evaluates like ``callAsFunction(_:library:progress:)``, on several cores.
    ///
    /// - Parameters:
    ///   - items: The labeled samples.
    ///   - library: A library that is evaluated as it is, if any.
    ///   - cores: The number of tasks that test draws concurrently.
    ///   - progress: The progress to update with the number of finished draws.
    /// - Throws: The errors of ``callAsFunction(_:library:progress:)``, and `CancellationError`.
    public func run(
        _ items: [EvaluationItem], library: GestureLibrary? = nil, cores: Int, progress: Progress? = nil
    ) async throws -> EvaluationReport {
        let work = try Work(self, items, library)
        let draws = work.rows.flatMap(\.draws)
        let bench = work.bench
        var results = [EvaluationResult?](repeating: nil, count: draws.count)
        try await withThrowingTaskGroup(of: (Int, [EvaluationResult]).self) { group in
            // A task takes several draws: one draw alone may take less time than starting the task.
            let size = 8
            var next = 0
            func add() {
                guard next < draws.count else { return }
                let (begin, end) = (next, min(next + size, draws.count))
                next = end
                group.addTask {
                    try Task.checkCancellation()
                    return (begin, try draws[begin..<end].map(bench.test))
                }
            }
            for _ in 0..<max(cores, 1) { add() }
            var done = 0
            while let (begin, part) = try await group.next() {
                for (offset, result) in part.enumerated() { results[begin + offset] = result }
                done += part.count
                progress?.update(done: Int64(done), total: Int64(draws.count))
                add()
            }
        }
        var all = results.compactMap { $0 }[...]
        let byRow = work.rows.map { row in
            let own = Array(all.prefix(row.draws.count))
            all = all.dropFirst(row.draws.count)
            return own
        }
        return report(work, byRow)
    }

    /// Returns the groups of samples that are left out for each number of templates, each with the reason: the person, the group,
    /// or the person in the group. Numbers of templates for which none or all of them are left out are not included.
    package static func leftOut(
        _ items: [EvaluationItem], _ options: EvaluationOptions
    ) -> [(templates: Int, pools: [String])] {
        EvaluationPlan(options).leftOut(of: EvaluationPools(items, byGroup: options.design.drawsFromGroups))
    }

    /// The work of an evaluation: the prepared data, and every draw.
    private struct Work {
        let bench: any EvaluationBench
        let pools: EvaluationPools
        let rows: [(design: EvaluationSetup, draws: [EvaluationDraw])]
        let items: [EvaluationItem]
        /// The items that can be tested: without a library, all of them.
        let tested: [EvaluationItem]
        let design: EvaluationDesign
        let unknownSamples: Int

        var total: Int { rows.reduce(0) { $0 + $1.draws.count } }

        init(_ evaluation: Evaluation, _ items: [EvaluationItem], _ library: GestureLibrary?) throws {
            let options = evaluation.options
            try evaluation.pipeline.check(items)
            tested = items
            guard let library else {
                design = options.design
                pools = EvaluationPools(items, byGroup: options.design.drawsFromGroups)
                rows = try EvaluationPlan(options).rows(of: pools)
                self.items = items
                unknownSamples = 0
                bench = try evaluation.pipeline.bench(items, pools.classes, limits: nil)
                return
            }
            design = .library
            let samples = library.gestures.flatMap(EvaluationItem.items)
            self.items = samples + items
            // The order of the classes in the library decides ties. Classes that the library does not have come last.
            let classes = library.gestures.filter { !$0.samples.isEmpty || !$0.hands.isEmpty }.map(\.name)
            let known = items.count { classes.contains($0.label) }
            guard known > 0 else {
                throw PipelineError(
                    .configuration, "eval.unknown_classes", "no sample is of a class of the library",
                    help: "the library has \(shortList(classes))")
            }
            unknownSamples = items.count - known
            pools = EvaluationPools(self.items, byGroup: false, classes: classes)
            rows = [EvaluationPlan.whole(pools, templates: samples.indices, tests: samples.count..<self.items.count)]
            bench = try evaluation.pipeline.bench(self.items, pools.classes, limits: library.validLimits)
        }
    }

    private func trials(of results: [EvaluationResult]) -> [EvaluationTrial] {
        results.enumerated().flatMap { draw, result in
            result.trials.map { trial in
                var trial = trial
                trial.draw = draw
                return trial
            }
        }
    }

    private func report(_ work: Work, _ results: [[EvaluationResult]]) -> EvaluationReport {
        let matches = results.joined().reduce(0) { $0 + $1.trials.count }
        let nanoseconds = results.joined().reduce(0) { $0 + $1.nanoseconds }
        return EvaluationReport(
            pipeline: pipeline.name, method: work.bench.method, design: work.design, classes: work.pools.classes,
            people: work.pools.people, users: Set(work.tested.map(\.user)).count,
            pools: work.design == .library ? 1 : work.pools.count, samples: work.tested.count, seed: options.seed,
            rows: zip(work.rows, results).map { row, results in
                EvaluationReport.Row(row.design, trials(of: results), work.pools, seed: options.seed, work.design)
            },
            nanosecondsPerMatch: matches == 0 ? 0 : Double(nanoseconds) / Double(matches),
            unknownSamples: work.unknownSamples,
            items: work.items)
    }
}
