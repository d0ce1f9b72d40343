import Pipeline
import Stages

/// The flags of `eval` and `tune` that set how templates and tests are drawn.
enum TrialFlags {
    private static let design = Flag<EvaluationDesign>.choice(
        "design", default: .userDependent, "The source of the templates, and what is tested")
    private static let templates = Flag.integers(
        "templates", placeholder: "N,N…", in: 1...1000,
        defaultText: "1,2,3,4,5,6,7,8,9; 1,3,5 for k_shot, 3 for open_set, all for leave_one_person_out",
        "The number of templates of each class")
    private static let users = Flag.integers(
        "users", placeholder: "N,N…", in: 1...1000, defaultText: "1",
        "The number of users who provide templates, for user_independent")
    private static let repetitions = Flag.integer(
        "repetitions", in: EvaluationOptions.allowedRepetitions, defaultText: "100",
        "The number of trials for each user or, with user_independent, for each number of users")
    private static let testsAll = Flag.toggle(
        "test-all", "Tests all samples that are not templates, instead of one of each class; for user_dependent")
    private static let seed = Flag.integer("seed", in: 0...(.max), defaultText: "1", "The seed of the random numbers")

    /// The flags, for a command's description.
    static let flags = [
        design.description, templates.description, users.description, repetitions.description, testsAll.description,
        seed.description,
    ]

    /// Returns the options that the flags specify.
    ///
    /// - Parameter usual: The options for flags that were not given.
    /// - Throws: A usage error for a flag that has no effect on the design.
    static func options(
        _ invocation: Invocation, over usual: EvaluationOptions = EvaluationOptions()
    ) throws -> EvaluationOptions {
        var options = usual
        if let design = invocation[design] { options.design = design }
        if let templates = invocation[templates] { options.templates = templates }
        if let users = invocation[users] { options.users = users }
        if let repetitions = invocation[repetitions] { options.repetitions = repetitions }
        if let seed = invocation[seed] { options.seed = UInt64(seed) }
        options.testsAll = invocation[testsAll]
        for flag in useless(with: options) where invocation.values[flag.name] != nil {
            throw UsageError(
                "--\(flag.name) has no effect with --design=\(options.design.rawValue)",
                help: "leave one of the two out")
        }
        return options
    }

    /// Returns the flags that have no effect with a design.
    private static func useless(with options: EvaluationOptions) -> [FlagDescription] {
        switch options.design {
        case .userDependent: [users.description]
        case .kShot, .openSet: [users.description, testsAll.description]
        case .userIndependent: [testsAll.description]
        case .leaveOnePersonOut:
            // Without a number of templates, all samples are templates, so nothing is drawn.
            [users.description, testsAll.description] + (options.templates == nil ? [repetitions.description] : [])
        case .blocks, .library:
            [templates.description, users.description, repetitions.description, testsAll.description]
        }
    }

    /// Warns of the people and groups that are left out, and of each requested number of templates, and of people who provide
    /// them, for which there are too few samples.
    static func warnOfMissing(
        _ report: EvaluationReport, _ options: EvaluationOptions, _ invocation: Invocation, _ console: Console
    ) {
        for row in Evaluation.leftOut(report.items, options) {
            console.warning("left out with \(Counted.text(row.templates, "template")): \(shortList(row.pools))")
        }
        guard let wanted = invocation[templates] else { return }
        let people = report.design == .userIndependent ? options.users.map { Int?($0) } : [nil]
        for users in people {
            for count in wanted
            where !report.rows.contains(where: { $0.templates == count && users ?? $0.users == $0.users }) {
                let givers = users.map { " of \(Counted.people($0))" } ?? ""
                console.warning(
                    "there are not enough samples for \(Counted.text(count, "template"))\(givers) and a test: left out")
            }
        }
    }

    /// Throws a usage error if one of the flags was given together with `--library`, which draws nothing at random.
    static func refuse(in invocation: Invocation) throws {
        for flag in flags + [EvaluationData.pool.description] where invocation.values[flag.name] != nil {
            throw UsageError(
                "--\(flag.name) has no effect with --library",
                help: "--library tests every stroke of DATA once: leave one of the two out")
        }
    }
}
