import Pipeline
import PipelineComponents

/// What every matcher can be told: its library, which categories count, and what is reported of them.
protocol MatcherOptions: ComponentOptions {
    var library: FilePath { get }
    var categories: CategoryOptions { get }
    var emitNone: Bool { get }
    var displayNames: String? { get }
    var subject: Bool { get }
}

extension MatcherOptions {
    /// What `body` makes. Whatever is wrong then is wrong with the library, or with its way through the stages above, unless the
    /// error says otherwise.
    func making<Made>(_ body: () throws -> Made) throws -> Made {
        do {
            return try body()
        } catch let error as PipelineError {
            throw error.option == nil ? error.about(option: "library") : error
        }
    }
}

/// Warns of an option that another one takes the place of.
func warnOfTwoLimits(_ unused: String, _ used: String, _ node: ConfigNode, _ context: DecodingContext) {
    context.findings.warning(
        "option.unused", "\"\(unused)\" means nothing beside \"\(used)\"", at: node[unused]?.span,
        path: context.descending(unused).path,
        help: "one is a limit that is given, the other means limits that are learned: keep one of them")
}
