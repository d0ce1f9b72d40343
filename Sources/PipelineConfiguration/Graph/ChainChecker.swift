import Pipeline
import PipelineComponents

/// Checks the types in a chain, which is a list of stages inside a component, and creates its stages.
struct ChainChecker {
    private let checker: ComponentChecker
    private let mode: Mode
    /// The `id` of the component that runs the chain.
    private let owner: String

    init(_ checker: ComponentChecker, mode: Mode, owner: String) {
        self.checker = checker
        self.mode = mode
        self.owner = owner
    }

    /// Returns the chain, or `nil` with a finding if there is an error. O(stages).
    ///
    /// - Parameters:
    ///   - element: The input type of the first stage.
    ///   - ports: The accepted output types. The last stage must emit one of them.
    func chain(of items: [StageListReader.Item?], taking element: PortType, making ports: [PortType]) -> NestedChain? {
        var chain = NestedChain(taking: element)
        var isPure: [Bool] = []
        for item in items {
            // The types after a stage with errors are unknown, so the rest is not checked.
            guard let item, let node = node(item, chain, isPure) else { return nil }
            chain.nodes.append(node)
            isPure.append(item.entry.manifest.isPure)
        }
        guard let last = chain.nodes.last else { return nil }
        if ports.contains(where: { $0.isSamePayload(as: last.output) }) { return chain }
        let wanted = ports.map(\.kind.rawValue).joined(separator: " or ")
        checker.findings.error(
            "chain.output",
            "\"\(owner)\" takes \(wanted) from its stages, and \"\(last.id)\" makes \(last.output.kind)",
            at: last.span, path: last.path, help: checker.help(from: last.output, to: ports, put: "after it"))
        return nil
    }

    private func node(_ item: StageListReader.Item, _ chain: NestedChain, _ isPure: [Bool]) -> NestedChain.Node? {
        let component = item.description
        let (input, above) = (chain.output, chain.nodes.last?.id ?? owner)
        guard checker.accepts(input, component, .init(names: [above], span: nil), item.entry, item.options) else {
            return nil
        }
        let run = isPure.reversed().prefix { $0 }.count
        let context = BuildContext(
            id: component.id, mode: mode, node: item.node, decoding: checker.context(of: component),
            upstream: pureRun(chain, run))
        let errorsBefore = checker.findings.errorCount
        do {
            let (body, output) = try checker.make(item.entry, item.options, input, component, context)
            if case .asyncStage = body {
                checker.findings.error(
                    "chain.asynchronous",
                    "\"\(component.id)\" waits for another program, which a stage in a list of stages must not do",
                    at: component.nameSpan, path: component.path,
                    help: "put it before or after \"\(owner)\"")
            }
            guard case .stage(let stage) = body, let output else { return nil }
            if stage.renamesStreams {
                checker.findings.error(
                    "chain.renames",
                    "\"\(component.id)\" renames streams, but a list of stages has no streams",
                    at: component.nameSpan, path: component.path, help: "put it after \"\(owner)\"")
            }
            guard checker.findings.errorCount == errorsBefore else { return nil }
            var node = NestedChain.Node(
                id: component.id, component: item.entry.manifest.name, stage: stage, input: input, output: output,
                onError: component.onError)
            (node.span, node.path) = (component.nameSpan, component.path)
            return node
        } catch {
            checker.report(error, component)
            return nil
        }
    }

    /// Returns the last `count` stages of the unfinished chain, which must be pure.
    private func pureRun(_ chain: NestedChain, _ count: Int) -> PureRun {
        let stages = chain.nodes.suffix(count)
        let above = chain.nodes.dropLast(count).last?.id ?? owner
        return PureRun(stages: stages.map(\.stage), input: stages.first?.input ?? chain.output, above: above)
    }
}
