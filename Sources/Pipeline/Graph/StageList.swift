/// A list of stages as the value of an option, in the grammar of the top level: what a stage runs on the parts of its frames.
///
/// Names and options are checked where it is read, so that all findings come at once; what flows through it is not known before
/// the component is made, which asks ``BuildContext/chain(of:taking:making:)`` for it.
public struct StageList: OptionValue {
    /// A stage of the list, as far as it could be read.
    struct Item: Sendable {
        let description: ComponentDescription
        let entry: Registry.Entry
        let node: ConfigNode
        let options: any ComponentOptions
    }

    /// The stages; `nil` where something is wrong.
    let items: [Item?]

    /// No stages.
    public init() { items = [] }

    private init(items: [Item?]) { self.items = items }

    public static var schema: ValueSchema { .stages }
    public var yaml: String? { nil }

    public static func decode(_ node: ConfigNode, _ context: DecodingContext) -> StageList? {
        let findings = context.findings
        let errorsBefore = findings.errorCount
        let components = DescriptionParser.chain(node, path: context.path, findings: findings)
        if components.isEmpty, findings.errorCount == errorsBefore {
            findings.error(
                "chain.empty", "a list of stages without a stage", at: node.span, path: context.path,
                help: "name one, as in stages: [smooth]")
        }
        GraphResolver.reportDuplicates(among: components, findings)
        guard let registry = context.registry else { return StageList() }
        let checker = ComponentChecker(registry, findings, baseDirectory: context.baseDirectory)
        return StageList(items: components.map { item($0, checker) })
    }

    private static func item(_ component: ComponentDescription, _ checker: ComponentChecker) -> Item? {
        let findings = checker.findings
        if let from = component.fromSpan {
            findings.error(
                "chain.from", "inside a list of stages every stage takes from the one before it", at: from,
                path: "\(component.path).from", help: "leave from out; branches stand at the top level")
        }
        if component.onError == .route {
            findings.error(
                "chain.route", "a stage inside a list of stages has no output for errors",
                at: component.onErrorSpan ?? component.nameSpan, path: "\(component.path).on_error",
                help: "route them from the stage that the list stands in")
        }
        guard let entry = checker.entry(of: component) else { return nil }
        let errorsBefore = findings.errorCount
        let node = checker.withoutMisspeltKeys(component, entry, common: ["id", "on_error"])
        let options = entry.decode(node, checker.context(of: component))
        guard findings.errorCount == errorsBefore else { return nil }
        return Item(description: component, entry: entry, node: node, options: options)
    }
}

extension BuildContext {
    /// The chain that a list of stages describes, made for what each of its runs takes; `nil` when something is wrong with it,
    /// which is reported.
    ///
    /// - Parameters:
    ///   - list: The value of one of the component's options.
    ///   - element: What arrives at the first stage.
    ///   - ports: What the last stage must make one of.
    public func chain(of list: StageList, taking element: PortType, making ports: [PortType]) -> NestedChain? {
        guard let registry = decoding.registry else { return nil }
        let checker = ComponentChecker(registry, decoding.findings, baseDirectory: decoding.baseDirectory)
        return ChainChecker(checker, mode: mode, owner: id).chain(of: list, taking: element, making: ports)
    }
}
