import Pipeline
import PipelineComponents

/// Reads chains: lists of stages that are the values of options.
struct StageListReader {
    private let registry: Registry

    init(_ registry: Registry) { self.registry = registry }

    /// A stage of the list, with its options read.
    struct Item: Sendable {
        let description: ComponentDescription
        let entry: Registry.Entry
        let node: ConfigNode
        let options: any ComponentOptions
    }

    /// Reads a list and reports all errors. O(stages · options). Once the input type is known, the component creates its chain from
    /// the result.
    func list(_ node: ConfigNode, _ context: DecodingContext) -> StageList {
        let findings = context.findings
        let errorsBefore = findings.errorCount
        let components = DescriptionParser.chain(node, path: context.path, findings: findings)
        if components.isEmpty, findings.errorCount == errorsBefore {
            findings.error(
                "chain.empty", "the list of stages is empty", at: node.span, path: context.path,
                help: "name a stage, as in stages: [smooth]")
        }
        GraphResolver.reportDuplicates(among: components, findings)
        let checker = ComponentChecker(registry, in: context)
        let items = components.map { Self.item($0, checker) }
        return StageList { [registry] context, element, ports in
            ChainChecker(ComponentChecker(registry, in: context.decoding), mode: context.mode, owner: context.id)
                .chain(of: items, taking: element, making: ports)
        }
    }

    private static func item(_ component: ComponentDescription, _ checker: ComponentChecker) -> Item? {
        let findings = checker.findings
        if let from = component.fromSpan {
            findings.error(
                "chain.from", "inside a list of stages every stage takes from the one before it", at: from,
                path: "\(component.path).from", help: "remove from; branches belong to the top level")
        }
        if component.onError == .route {
            findings.error(
                "chain.route", "a stage inside a list of stages has no output for errors",
                at: component.onErrorSpan ?? component.nameSpan, path: "\(component.path).on_error",
                help: "route them from the stage that contains the list")
        }
        if let workers = component.workersSpan {
            findings.error(
                "chain.workers", "the stages in a list are called by the stage that contains the list",
                at: workers,
                path: "\(component.path).workers", help: "give workers to that stage: they share its streams")
        }
        guard let entry = checker.entry(of: component) else { return nil }
        let errorsBefore = findings.errorCount
        let node = checker.withoutMisspelledKeys(component, entry, common: ["id", "on_error"])
        let options = entry.decode(node, checker.context(of: component))
        guard findings.errorCount == errorsBefore else { return nil }
        return Item(description: component, entry: entry, node: node, options: options)
    }
}
