import Pipeline
import PipelineComponents

/// The options that all matchers have in common: the library, the categories to report, and what recognitions contain.
protocol MatcherOptions: ComponentOptions {
    var library: FilePath { get }
    var categories: CategoryOptions { get }
    var noneClass: String { get }
    var emitNone: Bool { get }
    var displayNames: String? { get }
    var subject: Bool { get }
}

extension MatcherOptions {
    /// Calls a closure that creates a stage. An error that names no option is attributed to `library`: the problem is in the
    /// library, or in its preparation by the upstream stages.
    func making<Made>(_ body: () throws -> Made) throws -> Made {
        do {
            return try body()
        } catch let error as PipelineError {
            throw error.option == nil ? error.about(option: "library") : error
        }
    }
}

/// Warns about an option that another option overrides.
func warnOfTwoLimits(_ unused: String, _ used: String, _ node: ConfigNode, _ context: DecodingContext) {
    context.findings.warning(
        "option.unused", "\"\(unused)\" has no effect beside \"\(used)\"", at: node[unused]?.span,
        path: context.descending(unused).path,
        help: "one sets a fixed limit, the other scales learned limits: keep one of them")
}
