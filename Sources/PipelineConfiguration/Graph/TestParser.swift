import Pipeline
import PipelineComponents

/// Reads the `tests` of a configuration and checks them against its graph.
///
/// All mistakes that can be found without running a test are reported here: unknown names, letters that are missing in the legend,
/// and fields that do not describe a valid payload of the source.
struct TestParser {
    /// The known properties of a component. Some are `nil` if the component has errors.
    struct Node {
        let id: String
        let role: Plan.Role
        let source: (any Source)?
        let input: PortType?
        let output: PortType?
        let routesErrors: Bool
        /// The reasons for which frames can be dropped at the component.
        let drops: [DropReason]
        /// The stages in the component's chain, named as in the ledger: `each.gate`.
        let parts: [Place]
        /// The edges to the component: `pen -> resample`, `pen.errors -> stdout`.
        let edges: [Place]
    }

    /// A component, a stage in the chain of a component, or an edge.
    struct Place {
        let id: String
        /// The reasons for which frames, or parts of frames, can be dropped there.
        let drops: [DropReason]
    }

    let registry: Registry
    let findings: Findings
    private let nodes: [Node]
    /// The codes with which a run can fail; empty if they are unknown.
    private let errorCodes: [String]

    init(_ nodes: [Node], registry: Registry, errorCodes: [String], findings: Findings) {
        self.nodes = nodes
        self.registry = registry
        self.errorCodes = errorCodes
        self.findings = findings
    }

    /// Returns the tests of a list. Tests with errors are reported and left out.
    func tests(_ list: ConfigNode) -> [PipelineTest] {
        guard let items = list.sequence else {
            findings.error(
                "config.list", "tests must be a list, and this is \(list.described)", at: list.span, path: "tests",
                help: "write each test on lines of its own, with \"- \" before its name")
            return []
        }
        var names: [String: Int] = [:]
        return items.enumerated().compactMap { index, item in
            let path = "tests[\(index)]"
            let errorsBefore = findings.errorCount
            let test = test(item, path)
            if let test {
                if let line = names[test.name] {
                    findings.error(
                        "test.duplicate_name", "another test is called \"\(test.name)\"", at: test.span, path: path,
                        label: "the first is on line \(line)", help: "give it a name of its own")
                } else {
                    names[test.name] = test.span?.start.line ?? 0
                }
            }
            return findings.errorCount == errorsBefore ? test : nil
        }
    }

    private func test(_ node: ConfigNode, _ path: String) -> PipelineTest? {
        let context = DecodingContext(findings: findings, path: path, baseDirectory: ".")
        let options: TestOptions = .decode(node, context)
        guard node.mapping != nil else { return nil }
        let frames = TestFrames(
            options, legend: legend(options.legend, context.descending("legend")), findings: findings)
        var test = PipelineTest(name: options.name, span: node["name"]?.span ?? node.span)
        test.failure = options.fails
        // Each code of the test is checked once.
        var codes: Set<String> = []
        for (entry, context) in entries(options.input, context.descending("in"), "what sources emit") {
            guard let target = find(entry, roles: [.source], "source", context),
                let items = frames.arrivals(entry.value, context), let source = target.source
            else { continue }
            test.sources[target.id] = replacement(source, items)
            for item in items.items where item.failure != nil {
                checkCode(item.fields["error"], context.descending("error"), besides: &codes)
            }
        }
        checkCode(node["fails"], context.descending("fails"), besides: &codes)
        for (entry, context) in entries(options.output, context.descending("out"), "what comes out") {
            guard let output = output(entry, frames, context) else { continue }
            test.outputs.append(output)
            for item in output.frames.items where output.port == .errors {
                checkCode(item.fields["code"], context.descending("code"), besides: &codes)
            }
        }
        for (entry, context) in entries(options.serviceMs, context.descending("service_ms"), "times") {
            guard let target = find(entry, roles: [.stage, .sink], "stage or sink", context),
                let time = Double.decode(entry.value, context)
            else { continue }
            guard (0...1e9).contains(time) else {
                outOfRange(shortDecimal(time), entry.value, allowed: "0 to 1000000000", context)
                continue
            }
            test.serviceTimes[target.id] = Int64((time * 1e6).rounded())
        }
        for (entry, context) in entries(options.ledger, context.descending("ledger"), "counts") {
            let isPart = nodes.contains { $0.parts.contains { $0.id == entry.key } }
            guard isPart || find(entry, roles: Plan.Role.allCases, "component", context) != nil else { continue }
            for (count, context) in entries(entry.value, context, "counts") {
                guard let figure = figure(count, context), let value = Int.decode(count.value, context) else {
                    continue
                }
                guard value >= 0 else {
                    outOfRange("\(value)", count.value, allowed: "at least 0", context)
                    continue
                }
                test.counts.append(.init(id: entry.key, figure: figure, value: Int64(value)))
            }
        }
        if let drops = options.drops { test.drops = self.drops(drops, frames, context.descending("drops")) }
        checkExpectation(options, test, path)
        return test
    }

    private func checkExpectation(_ options: TestOptions, _ test: PipelineTest, _ path: String) {
        let counts = options.ledger?.mapping?.map(\.value) ?? [options.ledger].compactMap { $0 }
        let expectations = [options.output, options.drops].compactMap { $0 } + counts
        guard options.fails == nil, expectations.allSatisfy({ $0.isNull || $0.mapping?.isEmpty ?? false }) else {
            return
        }
        let name = test.name.isEmpty ? "this test" : "the test \"\(test.name)\""
        findings.warning(
            "test.no_expectation", "\(name) expects nothing, so it always passes", at: test.span, path: path,
            help: "add what is expected: out, drops, ledger or fails")
    }

    // MARK: - Parts of a test

    private func legend(
        _ node: ConfigNode?, _ context: DecodingContext
    ) -> [(letter: Character, fields: ConfigNode)] {
        entries(node, context, "what letters stand for").compactMap { entry, context in
            let scalars = entry.key.unicodeScalars
            guard let scalar = scalars.first, scalars.count == 1, Timeline.isLetter(scalar) else {
                findings.error(
                    "test.letter", "\"\(entry.key)\" is not a letter of a timeline", at: entry.keySpan,
                    path: context.path,
                    help: "one of a to z, A to Z and 0 to 9")
                return nil
            }
            if entry.value.isNull { return (Character(scalar), ConfigNode(.mapping([]), span: entry.value.span)) }
            guard entry.value.mapping != nil else {
                context.mismatch(entry.value, wanted: "the keys of a frame")
                return nil
            }
            return (Character(scalar), entry.value)
        }
    }

    private func figure(_ entry: ConfigNode.Entry, _ context: DecodingContext) -> PipelineTest.Figure? {
        if let figure = PipelineTest.Figure(rawValue: entry.key) { return figure }
        unknown(entry, among: PipelineTest.Figure.allCases.map(\.rawValue), "no count is called", "counts", context)
        return nil
    }

    private func outOfRange(_ value: String, _ node: ConfigNode, allowed: String, _ context: DecodingContext) {
        findings.error(
            "option.range", "\(value) is out of range", at: node.span, path: context.path, label: "allowed: \(allowed)")
    }

    private func output(
        _ entry: ConfigNode.Entry, _ frames: TestFrames, _ context: DecodingContext
    ) -> PipelineTest.Output? {
        let isErrors = entry.key.hasSuffix(".errors")
        let id = isErrors ? String(entry.key.dropLast(7)) : entry.key
        let names = nodes.map(\.id) + nodes.filter(\.routesErrors).map { $0.id + ".errors" }
        guard let target = nodes.first(where: { $0.id == id }), !isErrors || target.routesErrors else {
            unknown(entry, among: names, "no component is called", "known", context)
            return nil
        }
        guard let expected = frames.expected(entry.value, context) else { return nil }
        let type = isErrors ? PortType(FailedFrame.self) : target.role == .sink ? target.input : target.output
        guard let type, let listener = listener(type, entry, context) else { return nil }
        return .init(id: id, port: isErrors ? .errors : .output, frames: expected, listener: listener)
    }

    private func drops(
        _ list: ConfigNode, _ frames: TestFrames, _ context: DecodingContext
    ) -> [PipelineTest.Drops] {
        guard let items = list.sequence else {
            context.mismatch(list, wanted: "a list of drops, each with where, why and frames")
            return []
        }
        let places = nodes.flatMap { [Place(id: $0.id, drops: $0.drops)] + $0.parts } + nodes.flatMap(\.edges)
        return items.enumerated().compactMap { index, item in
            let context = context.descending("[\(index)]")
            let errorsBefore = findings.errorCount
            let options: TestDropOptions = .decode(item, context)
            guard findings.errorCount == errorsBefore, let node = item["frames"] else { return nil }
            let name = options.place.replacingArrow
            guard let place = places.first(where: { $0.id.replacingArrow == name }) else {
                let (span, known) = (item["where"]?.span ?? item.span, places.map(\.id))
                let near = nearestName(to: options.place, among: known)
                findings.error(
                    "test.unknown_place", "there is no component or edge \"\(options.place)\"", at: span,
                    path: context.descending("where").path,
                    help: suggestion(for: options.place, among: known, list: "known"),
                    fix: near.map { .init(title: "write \($0)", span: span, replacement: $0) })
                return nil
            }
            guard let expected = frames.dropped(node, context.descending("frames")) else { return nil }
            let reason = DropReason(rawValue: options.reason)
            checkReason(reason, of: place, at: item["why"]?.span ?? item.span, context.descending("why"))
            return .init(place: name, reason: reason, frames: expected)
        }
    }

    /// Warns if a component or an edge never drops frames for a reason. It is only a warning, because a component need not declare
    /// its reasons.
    private func checkReason(_ reason: DropReason, of place: Place, at span: SourceSpan, _ context: DecodingContext) {
        let known = place.drops.map(\.rawValue)
        guard !known.contains(reason.rawValue) else { return }
        let near = nearestName(to: reason.rawValue, among: known)
        findings.warning(
            "test.unknown_reason", "\"\(place.id)\" drops no frames as \"\(reason)\"", at: span, path: context.path,
            help: suggestion(for: reason.rawValue, among: known, list: "known"),
            fix: near.map { .init(title: "write \($0)", span: span, replacement: $0) })
    }

    /// Warns if no error has a code. It is only a warning, because components can report codes of their own.
    ///
    /// - Parameter checked: The codes that were checked before, to which the code is added.
    private func checkCode(_ node: ConfigNode?, _ context: DecodingContext, besides checked: inout Set<String>) {
        guard let node, !node.isNull, let code = node.scalar?.text, checked.insert(code).inserted else { return }
        guard !errorCodes.isEmpty, !errorCodes.contains(code) else { return }
        let (near, span) = (nearestName(to: code, among: errorCodes), node.span)
        findings.warning(
            "test.unknown_code", "no error has the code \"\(code)\"", at: span, path: context.path,
            help: near.map { "did you mean \"\($0)\"?" } ?? "a failed run shows its code in brackets: error[CODE]",
            fix: near.map { .init(title: "write \($0)", span: span, replacement: $0) })
    }

    // MARK: - Names

    /// Returns the entries of a mapping, each with its context. If the value is not a mapping, reports a finding and returns none.
    private func entries(
        _ node: ConfigNode?, _ context: DecodingContext, _ what: String
    ) -> [(ConfigNode.Entry, DecodingContext)] {
        guard let node, !node.isNull else { return [] }
        guard let entries = node.mapping else {
            context.mismatch(node, wanted: "a mapping of names to \(what)")
            return []
        }
        return entries.map { ($0, context.descending($0.key)) }
    }

    private func find(
        _ entry: ConfigNode.Entry, roles: [Plan.Role], _ what: String, _ context: DecodingContext
    ) -> Node? {
        if let node = nodes.first(where: { $0.id == entry.key }), roles.contains(node.role) { return node }
        let known = nodes.filter { roles.contains($0.role) }
        let names = known.map(\.id) + (roles.count > 2 ? known.flatMap { $0.parts.map(\.id) } : [])
        unknown(entry, among: names, "no \(what) is called", "known", context)
        return nil
    }

    private func unknown(
        _ entry: ConfigNode.Entry, among names: [String], _ message: String, _ list: String, _ context: DecodingContext
    ) {
        let near = nearestName(to: entry.key, among: names)
        findings.error(
            "test.unknown_name", "\(message) \"\(entry.key)\"", at: entry.keySpan, path: context.path,
            help: suggestion(for: entry.key, among: names, list: list),
            fix: near.map { .init(title: "write \($0)", span: entry.keySpan, replacement: $0) })
    }
}

extension String {
    /// The text with an ASCII arrow replaced, as the ledger names edges: `pen → resample` for `pen -> resample`.
    fileprivate var replacingArrow: String {
        guard let arrow = firstRange(of: "->") else { return self }
        let before = self[..<arrow.lowerBound].reversed().drop { $0 == " " }.reversed()
        let after = self[arrow.upperBound...].drop { $0 == " " }
        return String(before) + " → " + String(after)
    }
}
