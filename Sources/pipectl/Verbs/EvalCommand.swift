import Pipeline
import Stages

extension Command {
    /// What keeps the strokes apart that are drawn from together.
    private enum Pool: String, CaseIterable, Sendable {
        /// The person, and the folder of the file: data sets keep speeds and devices apart in folders.
        case folder
        /// The person alone.
        case subject
    }

    /// A matcher with the stages that its paper puts before it.
    private enum Method: String, CaseIterable, Sendable {
        case protractor, dollar1, bitmap

        /// What is evaluated, as the flags say it.
        func evaluation(_ invocation: Invocation, _ options: Evaluation.Options) throws -> Evaluation {
            switch self {
            case .protractor:
                try refuse([score.description], in: invocation)
                return Evaluation(
                    stages: [Resample(points: invocation[points] ?? 16), Normalize(scale: .none), Vectorize()],
                    match: match(.protractor, invocation), options: options)
            case .dollar1:
                try refuse([score.description], in: invocation)
                return Evaluation(
                    stages: [Resample(points: invocation[points] ?? 64), Normalize(rotate: .indicative)],
                    match: match(.dollar1, invocation), options: options)
            case .bitmap:
                try refuse([points.description, tolerance.description], in: invocation)
                var match = MatchBitmap.Options()
                if let score = invocation[score] { match.score = score }
                return Evaluation(matchBitmap: match, options: options)
            }
        }

        private func match(_ method: Match.Method, _ invocation: Invocation) -> Match.Options {
            var options = Match.Options()
            options.method = method
            options.rotationToleranceDeg = invocation[tolerance] ?? 180
            return options
        }

        private func refuse(_ flags: [FlagDescription], in invocation: Invocation) throws {
            for flag in flags where invocation.values[flag.name] != nil {
                throw UsageError("--\(flag.name) means nothing for --method=\(rawValue)")
            }
        }
    }

    private static let method = Flag<Method>.choice("method", default: .protractor, "Which matcher is evaluated")
    private static let points = Flag.integer(
        "points", in: 2...65_536, defaultText: "16 for protractor, 64 for dollar1", "Resamples strokes to N points")
    private static let tolerance = Flag.positive(
        "rotation-tolerance", placeholder: "DEG",
        "How far a stroke may be turned to fit; protractor turns any way without it")
    private static let score = Flag<MatchBitmap.Score>.choice("score", default: .dice, "How bitmaps are compared")
    private static let design = Flag<Evaluation.Design>.choice(
        "design", default: .userDependent, "Whose strokes the templates are: the tested user's own, or others'")
    private static let pool = Flag<Pool>.choice(
        "pool", default: .folder,
        "Draws among one person's strokes of one folder (data sets keep speeds apart in folders), or of one person")
    private static let templates = Flag.integers(
        "templates", placeholder: "N,N…", in: 1...1000, defaultText: "1,2,3,4,5,6,7,8,9", "Templates of each class")
    private static let users = Flag.integers(
        "users", placeholder: "N,N…", in: 1...1000, defaultText: "1", "Users who give templates, for user_independent")
    private static let repetitions = Flag.integer(
        "repetitions", in: 1...1_000_000, defaultText: "100", "Draws, for each user or each number of users")
    private static let seed = Flag.integer("seed", in: 0...(.max), defaultText: "1", "Where the random numbers begin")
    private static let library = Flag.text(
        "library", placeholder: "LIBRARY", "Evaluates this gesture library as it stands: DATA are the tests")
    private static let plot = Flag.text("svg", placeholder: "FILE", "Draws accuracy over templates into FILE as well")

    /// `pipectl eval DATA…`.
    static let eval: Command = Command(
        "eval", "measure how well gestures are recognised",
        details: """
            Templates and tests are drawn at random from labelled strokes, again and again, as in the papers of the field: user-dependent \
            (T samples of each class as templates, one other sample of each class tested, for every user) or user-independent (templates of P \
            other users).
            With --library nothing is drawn: all of its samples are templates, and each stroke of DATA is tested once; those of \
            classes that it does not have tell how many strangers are accepted.
            The same data, flags and seed give the same figures.
            """,
        arguments: [
            Argument(
                "DATA", "labelled strokes: gesture libraries, JSON Lines, CSV or XML; files, folders, globs",
                arity: .many,
                completion: .files([]))
        ],
        flags: [
            library.description,
            method.description, points.description, tolerance.description, score.description, design.description,
            pool.description,
            templates.description, users.description, repetitions.description, seed.description, plot.description,
            Flags.format.description,
        ],
        examples: [
            Example(
                "pipectl eval Samples/shapes.json --templates=1,3", "Evaluates protractor on a library's samples"),
            Example(
                "pipectl eval recorded/ --method=dollar1 --svg=accuracy.svg", "Evaluates $1 on a folder, with a plot"),
            Example(
                "pipectl eval recorded/ --method=bitmap --score=overlap", "Evaluates the comparison of 8×8 bitmaps"),
            Example(
                "pipectl eval --library Samples/shapes.json Samples/session.jsonl",
                "Tests a library on recorded strokes"
            ),
        ]
    ) { invocation, console in
        var options = Evaluation.Options()
        if let design = invocation[design] { options.design = design }
        // Whoever gives templates to others is a person, at whatever speed.
        let pool = options.design == .userDependent ? invocation[pool] ?? .folder : .subject
        let given = try invocation[library].map { path in
            let drawing = [design.description, Command.pool.description, templates.description, users.description]
            for flag in drawing + [repetitions.description, seed.description] where invocation.values[flag.name] != nil
            {
                throw UsageError(
                    "--\(flag.name) means nothing with --library", help: "nothing is drawn then: leave one of them out")
            }
            return try GestureLibrary(readingFrom: path)
        }
        let items = try await read(invocation.words, pool, console)
        if let templates = invocation[templates] { options.templates = templates }
        if let users = invocation[users] { options.users = users }
        if let repetitions = invocation[repetitions] { options.repetitions = repetitions }
        if let seed = invocation[seed] { options.seed = UInt64(seed) }
        let evaluation = try (invocation[method] ?? .protractor).evaluation(invocation, options)
        let report = try await evaluate(evaluation, items, given, console)
        if let file = invocation[plot] {
            try OutputFile.replace(file, with: report.svg)
            console.say("\(file) written")
        }
        try console.writeResult(invocation[Flags.format] == .json ? report.json : report.table)
        return .done
    }

    /// The folder of the file a stroke came from.
    private static func folder(of frame: Frame<Stroke>) -> String {
        let file = frame.origin?.file ?? ""
        return file.lastIndex(of: "/").map { String(file[..<$0]) } ?? ""
    }

    private static func evaluate(
        _ evaluation: Evaluation, _ items: [Evaluation.Item], _ library: GestureLibrary?, _ console: Console
    ) async throws -> EvaluationReport {
        let progress = Progress()
        let reporter = ProgressReporter(
            measure: {
                var bar = ProgressBar("draws")
                (bar.done, bar.total, bar.items) = (progress.done, progress.total, progress.done)
                return bar
            }, console: console)
        return try await reporter.during {
            let tell = { (done: Int, total: Int) in progress.update(done: Int64(done), total: Int64(total)) }
            guard let library else { return try evaluation(items, progress: tell) }
            return try evaluation(items, library: library, progress: tell)
        }
    }

    /// The labelled strokes of all data. A document that ends in `.json` is a gesture library.
    private static func read(_ paths: [String], _ pool: Pool, _ console: Console) async throws -> [Evaluation.Item] {
        var items: [Evaluation.Item] = []
        var (unlabelled, bare) = (0, 0)
        for path in paths {
            if path.hasSuffix(".json") {
                for gesture in try GestureLibrary(readingFrom: path).gestures {
                    bare += gesture.patterns.count
                    items += gesture.samples.map {
                        Evaluation.Item(label: gesture.name, user: $0.subject ?? "", stroke: $0)
                    }
                }
            } else {
                let strokes = try await StrokeReading.strokes(in: path, console)
                let labelled = strokes.compactMap { frame in
                    Evaluation.Item(frame.payload).map { item in
                        var item = item
                        if pool == .folder { item.user += "/" + folder(of: frame) }
                        return item
                    }
                }
                unlabelled += strokes.count - labelled.count
                items += labelled
            }
        }
        if unlabelled > 0 { console.warning("\(unlabelled) strokes without a label left out") }
        if bare > 0 { console.warning("\(Counted.text(bare, "bare bitmap")) left out: strokes are evaluated") }
        guard !items.isEmpty else {
            throw PipelineError.environment("eval.no_labels", "no labelled stroke in \(paths.joined(separator: ", "))")
        }
        return items
    }
}
