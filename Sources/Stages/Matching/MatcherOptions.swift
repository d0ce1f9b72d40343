import Pipeline
import PipelineComponents

/// What every matcher can be told: its library, which categories count, and what is reported of them.
protocol MatcherOptions: ComponentOptions {
    /// The gesture library's file.
    var library: FilePath { get set }
    /// How many categories to report at most; −1 for all.
    var maxResults: Int { get set }
    /// The lowest score that is a match.
    var scoreThreshold: Double { get set }
    /// The only categories that count; all when it is empty.
    var categoryAllowlist: [String] { get set }
    /// Categories that do not count.
    var categoryDenylist: [String] { get set }
    /// Whether None is emitted when nothing matches.
    var emitNone: Bool { get set }
    /// The locale of the display names.
    var displayNames: String? { get set }
    /// Whether recognitions carry what was recognised.
    var subject: Bool { get set }
}

extension MatcherOptions {
    /// The declaration of the library.
    static var libraryOption: Option<Self> {
        Option("library", \.library, "The gesture library's file.", isRequired: true, example: "gestures.json")
    }

    /// The declarations of all others.
    @OptionList<Self>
    static var categoryOptions: [Option<Self>] {
        Option("max_results", \.maxResults, in: -1...100_000, "How many categories to report at most; -1 for all.")
        Option("score_threshold", \.scoreThreshold, in: 0...1, "The lowest score that is a match.")
        Option(
            "category_allowlist", \.categoryAllowlist, "The only categories that count; all when it is empty.",
            example: "[circle, star]")
        Option(
            "category_denylist", \.categoryDenylist,
            "Categories that do not count; not together with the allowlist.",
            example: "[check]")
        Option(
            "emit_none", \.emitNone,
            "Whether the category None is emitted when nothing matches; otherwise the frame is dropped as no_match."
        )
        Option("display_names", \.displayNames, "The locale of the display names.", example: "de")
        Option("subject", \.subject, "Whether recognitions carry what was recognised.")
    }

    /// Whether the lists let a gesture count.
    func counts(_ name: String) -> Bool {
        if !categoryAllowlist.isEmpty { return categoryAllowlist.contains(name) }
        return !categoryDenylist.contains(name)
    }

    /// What `body` makes. Whatever is wrong then is wrong with the library, or with its way through the stages above, unless the
    /// error says otherwise.
    func making<Made>(_ body: () throws -> Made) throws -> Made {
        do {
            return try body()
        } catch let error as PipelineError {
            throw error.option == nil ? error.about(option: "library") : error
        }
    }

    /// Reports what makes no sense among the options of categories.
    func checkCategories(_ node: ConfigNode, _ context: DecodingContext) {
        checkCategoryRules(maxResults, categoryAllowlist, categoryDenylist, node, context)
    }
}

/// Warns of an option that another one takes the place of.
func warnOfTwoLimits(_ unused: String, _ used: String, _ node: ConfigNode, _ context: DecodingContext) {
    context.findings.warning(
        "option.unused", "\"\(unused)\" means nothing beside \"\(used)\"", at: node[unused]?.span,
        path: context.descending(unused).path,
        help: "one is a limit that is given, the other means limits that are learned: keep one of them")
}

/// Reports what makes no sense among `max_results`, `category_allowlist` and `category_denylist`.
func checkCategoryRules(
    _ maxResults: Int, _ allowlist: [String], _ denylist: [String], _ node: ConfigNode, _ context: DecodingContext
) {
    if maxResults == 0 {
        context.findings.error(
            "option.range", "max_results 0 would report nothing", at: node["max_results"]?.span,
            path: context.descending("max_results").path, help: "-1 reports all categories, 1 the best")
    }
    if !allowlist.isEmpty, !denylist.isEmpty {
        context.findings.error(
            "option.conflict", "category_allowlist and category_denylist exclude each other",
            at: node["category_denylist"]?.span, path: context.descending("category_denylist").path,
            help: "keep one of them")
    }
}
