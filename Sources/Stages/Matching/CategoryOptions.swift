import Pipeline
import PipelineComponents

/// Which gestures a matcher reports, and how many.
public struct CategoryOptions: SharedOptions {
    public static let title = "Category options"

    @Option("Largest number of categories to report; -1 for all.", in: -1...100_000)
    public var maxResults = -1

    @Option(
        "Categories that count; all when empty.", name: "category_allowlist", example: "[circle, star]")
    public var allowlist: [String] = []

    @Option(
        "Categories that do not count. Not together with the allowlist.", name: "category_denylist",
        example: "[check]")
    public var denylist: [String] = []

    public init() {}

    /// The most categories that are reported.
    var most: Int { maxResults < 0 ? .max : maxResults }

    /// Whether the lists let a category count.
    func counts(_ name: String) -> Bool {
        allowlist.isEmpty ? !denylist.contains(name) : allowlist.contains(name)
    }

    public func check(_ node: ConfigNode, _ context: DecodingContext) {
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
}
