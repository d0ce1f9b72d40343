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

    private static let method = Flag<EvaluatedMethod>.choice(
        "method", default: .cloud, "Which matcher is evaluated; of hands cosine where nothing is said")
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
    private static let testsAll = Flag.toggle(
        "test-all", "Tests all samples that a draw leaves, not one of each class; for user_dependent")
    private static let kind = Flag<GestureLibrary.GestureKind>.choice(
        "kind", default: .stroke,
        "Evaluates strokes, hands, or motions, which are rows of a table; hands by themselves where the data holds nothing else"
    )
    private static let seed = Flag.integer("seed", in: 0...(.max), defaultText: "1", "Where the random numbers begin")
    private static let library = Flag.text(
        "library", placeholder: "LIBRARY", "Evaluates this gesture library as it stands: DATA are the tests")
    private static let svg = Flag.text(
        "svg", placeholder: "FILE", "Draws accuracy over templates into an SVG file as well")
    private static let png = Flag.text("png", placeholder: "FILE", "Draws it into a PNG file as well")

    /// `pipectl eval DATA…`.
    static let eval: Command = Command(
        "eval", "measure how well gestures are recognised",
        details: """
            Templates and tests are drawn at random from labelled strokes, again and again, as in the papers of the field: user-dependent \
            (T samples of each class as templates, one other sample of each class tested, for every user) or user-independent (templates of P \
            other users).
            With --library nothing is drawn: all of its samples are templates, and each stroke of DATA is tested once; those of \
            classes that it does not have tell how many strangers are accepted.
            With --design=blocks the first three quarters of each class are templates and the rest is tested, once: the honest way where \
            neighbouring samples are nearly the same.
            The same data, flags and seed give the same figures.
            """,
        arguments: [
            Argument(
                "DATA", "labelled strokes or hands: gesture libraries, JSON Lines, CSV or XML; files, folders, globs",
                arity: .many,
                completion: .files([]))
        ],
        flags: [
            library.description, method.description,
        ] + EvaluatedMethod.flags + [
            kind.description, LibraryFile.labelsFlag.description, design.description, pool.description,
            templates.description, users.description, repetitions.description, testsAll.description, seed.description,
            svg.description, png.description, Flags.format.description,
        ],
        examples: [
            Example(
                "pipectl eval Samples/shapes.json --templates=1,3", "Evaluates cloud on a library's samples"),
            Example(
                "pipectl eval recorded/ --method=dollar1 --svg=accuracy.svg", "Evaluates $1 on a folder, with a plot"),
            Example(
                "pipectl eval recorded/ --method=bitmap --score=overlap", "Evaluates the comparison of 8×8 bitmaps"),
            Example(
                "pipectl eval --library Samples/shapes.json Samples/session.jsonl",
                "Tests a library on recorded strokes"
            ),
            Example(
                "pipectl eval keypoint.csv --labels=names.csv --design=blocks",
                "Evaluates nearest neighbours on a table of hands"),
        ]
    ) { invocation, console in
        try OutputFile.checkEnding(of: invocation[svg], "svg", "write --png=FILE for a PNG file")
        try OutputFile.checkEnding(of: invocation[png], "png", "write --svg=FILE for an SVG file")
        var options = Evaluation.Options()
        if let design = invocation[design] { options.design = design }
        for (flag, file) in [(svg.description, invocation[svg]), (png.description, invocation[png])] {
            let names = [invocation[library], invocation[LibraryFile.labelsFlag]].compactMap { $0 }
            if let file { try OutputFile.refuse(file, of: flag, over: invocation.words + names) }
        }
        let given = try invocation[library].map { path in
            let drawing = [design.description, pool.description, templates.description, users.description]
            for flag in drawing + [repetitions.description, seed.description, testsAll.description]
            where invocation.values[flag.name] != nil {
                throw UsageError(
                    "--\(flag.name) means nothing with --library", help: "nothing is drawn then: leave one of them out")
            }
            return try GestureLibrary(readingFrom: path)
        }
        let reading = GestureReading.Reading(labels: invocation[LibraryFile.labelsFlag])
        let items = try await EvaluationItems.read(
            invocation.words, invocation[kind], reading, console, byFolder: (invocation[pool] ?? .folder) == .folder)
        if let templates = invocation[templates] { options.templates = templates }
        if let users = invocation[users] { options.users = users }
        if let repetitions = invocation[repetitions] { options.repetitions = repetitions }
        if let seed = invocation[seed] { options.seed = UInt64(seed) }
        options.testsAll = invocation[testsAll] ?? false
        let holdsHands = items.contains { if case .landmarks = $0.sample { true } else { false } }
        let chosen = invocation[method] ?? (holdsHands ? .cosine : .cloud)
        let evaluation = try chosen.evaluation(invocation, options, ofHands: holdsHands, invocation[kind] == .motion)
        let report = try await evaluate(evaluation, items, given, console)
        if let file = invocation[svg] {
            try WholeFile.write(Array(report.svg.utf8), to: file)
            console.say("\(file) written")
        }
        if let file = invocation[png] {
            try WholeFile.write(try report.png(), to: file)
            console.say("\(file) written")
        }
        try console.writeResult(invocation[Flags.format] == .json ? report.json : report.table)
        return .done
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
}
