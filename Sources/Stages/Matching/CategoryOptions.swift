import Pipeline
import PipelineComponents

/// The categories that a matcher reports, and how many.
public struct CategoryOptions: SharedOptions {
    public static let title = "Category options"

    @Option("Largest number of categories to report; -1 for all.", in: -1...100_000)
    public var maxResults = -1

    @Option(
        "Categories to compare with and to report; all if empty.", name: "category_allowlist", example: "[circle, star]"
    )
    public var allowlist: [String] = []

    @Option(
        "Categories not to compare with. Not together with the allowlist.", name: "category_denylist",
        example: "[check]")
    public var denylist: [String] = []

    public init() {}

    /// The maximum number of categories to report.
    var most: Int { maxResults < 0 ? .max : maxResults }

    /// Returns whether the lists allow a category.
    func allows(_ name: String) -> Bool {
        allowlist.isEmpty ? !denylist.contains(name) : allowlist.contains(name)
    }

    /// Returns the gestures of a library to compare with, and their indices: those that the lists allow. The class for unknown
    /// gestures is compared even if the allowlist does not name it, because it is never reported.
    func compared(
        in library: GestureLibrary, noneClass: String
    ) -> [(index: Int, gesture: GestureLibrary.Gesture)] {
        compared(of: library.gestures.map(\.name), noneClass: noneClass).map { ($0, library.gestures[$0]) }
    }

    /// Returns the indices of the classes to compare with; see ``compared(in:noneClass:)``.
    func compared(of names: [String], noneClass: String) -> [Int] {
        let keepsNone = denylist.isEmpty && names.contains(where: allows)
        return names.indices.filter { allows(names[$0]) || keepsNone && names[$0] == noneClass }
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
