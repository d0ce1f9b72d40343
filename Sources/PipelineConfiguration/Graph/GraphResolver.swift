import Pipeline
import PipelineComponents

/// Connects components by their `id`s, and sorts them so that each component comes after its upstream components.
struct GraphResolver {
    /// An incoming edge of a component.
    struct Edge {
        /// The index of the upstream component.
        let from: Int
        /// The reference in the configuration that created the edge.
        let reference: ComponentDescription.Reference
    }

    private let components: [ComponentDescription]
    private let description: PipelineDescription
    private let findings: Findings

    /// The incoming edges of each component.
    private(set) var edges: [[Edge]] = []
    /// For each component, whether it lacks an edge because one of its references could not be resolved.
    private(set) var isIncomplete: [Bool] = []

    /// The indices of the components in topological order. Where that leaves a choice, the order of the configuration decides.
    /// Components on a cycle or downstream of one are left out.
    private(set) var order: [Int] = []

    /// Whether the graph has a cycle.
    private(set) var hasCycle = false

    /// Resolves all names. O(components · edges).
    init(_ description: PipelineDescription, findings: Findings) {
        self.description = description
        components = description.components
        self.findings = findings
        Self.reportDuplicates(among: components, findings)
        for index in components.indices { resolve(index) }
        sort()
    }

    // MARK: - Ids

    /// Reports each component that has the `id` of an earlier component. Components whose `id` is unknown are left out.
    static func reportDuplicates(among components: [ComponentDescription], _ findings: Findings) {
        var seen: [String: Int] = [:]
        var taken = Set(components.map(\.id))
        for component in components where !component.isBroken && !component.hasUnknownID {
            guard let first = seen[component.id] else {
                seen[component.id] = component.nameSpan.start.line
                continue
            }
            let free = (2...).lazy.map { "\(component.id)_\($0)" }.first { !taken.contains($0) } ?? component.id
            taken.insert(free)
            // An alias gives several components the same text as their id.
            let isShared = components.count { $0.idSpan == component.idSpan } > 1
            findings.error(
                "graph.duplicate_id", "a second component is called \"\(component.id)\"",
                at: isShared ? component.nameSpan : component.idSpan, path: component.path,
                label: "the first is on line \(first)",
                help: component.hasExplicitID && !isShared
                    ? "call it \(free)" : "give it an id of its own, as in id: \(free)",
                fix: isShared ? nil : fix(component, id: free))
        }
    }

    private static func fix(_ component: ComponentDescription, id: String) -> Diagnostic.Fix? {
        let title = "call it \(id)"
        let (name, value) = (component.nameSpan, component.value)
        // The value of an alias, or of an override, is at another place.
        guard value.span.file == name.file, value.span.end >= name.end else { return nil }
        if component.hasExplicitID {
            let place = component.idSpan
            guard place.file == name.file, place.start >= value.span.start, place.end <= value.span.end else {
                return nil
            }
            return .init(title: title, span: place, replacement: id)
        }
        guard let key = value.mapping?.first?.keySpan else {
            let whole = SourceSpan(file: name.file, start: name.start, end: value.span.end)
            return .init(title: title, span: whole, replacement: "\(component.name): { id: \(id) }")
        }
        let separator: String
        if value.span.start == key.start {
            separator = "\n" + String(repeating: " ", count: max(0, key.start.column - 1))
        } else if value.span.start.line == key.start.line, key.file == name.file {
            separator = ", "
        } else {
            // It is unknown whether the mapping is in braces.
            return nil
        }
        let start = SourceSpan(file: name.file, start: key.start, end: key.start)
        return .init(title: title, span: start, replacement: "id: \(id)\(separator)")
    }

    // MARK: - Edges

    private mutating func resolve(_ index: Int) {
        let component = components[index]
        guard component.role != .source, !component.isBroken else {
            edges.append([])
            isIncomplete.append(component.isBroken)
            return
        }
        let references = component.from ?? defaults(for: index)
        var resolved: [Edge] = []
        for reference in references {
            guard let from = find(reference, for: index) else { continue }
            if resolved.contains(where: { $0.from == from && $0.reference.port == reference.port }) {
                findings.error(
                    "graph.duplicate_edge", "\"\(reference.id)\" is named twice", at: reference.span,
                    path: reference.path)
                continue
            }
            resolved.append(Edge(from: from, reference: reference))
        }
        edges.append(resolved)
        isIncomplete.append(resolved.count < references.count || references.isEmpty)
    }

    private func defaults(for index: Int) -> [ComponentDescription.Reference] {
        let sources = description.indices(of: .source)
        let stages = description.indices(of: .stage)
        let from: [Int]
        if components[index].role == .stage {
            from = index == stages.first ? sources : [index - 1]
        } else {
            from = stages.last.map { [$0] } ?? sources
        }
        return from.map { .init(id: components[$0].id, port: .output, path: components[index].path, index: $0) }
    }

    private func find(_ reference: ComponentDescription.Reference, for receiver: Int) -> Int? {
        // An implicit connection refers to a position in the lists, not to an `id`, which several components may have by mistake.
        if let index = reference.index { return components[index].isBroken ? nil : index }
        guard let index = components.firstIndex(where: { $0.id == reference.id && !$0.isBroken }) else {
            reportUnknown(reference, for: receiver)
            return nil
        }
        let target = components[index]
        if target.role == .sink {
            findings.error(
                "graph.from_sink", "\"\(target.id)\" is a sink, so nothing comes out of it", at: reference.span,
                path: reference.path)
            return nil
        }
        if reference.port == .errors, target.onError != .route {
            findings.error(
                "graph.no_errors", "\"\(target.id)\" has no output for errors", at: reference.span,
                path: reference.path, help: "give \(target.id) the key on_error: route")
            return nil
        }
        return index
    }

    private func reportUnknown(_ reference: ComponentDescription.Reference, for receiver: Int) {
        // The name may be the `id` that could not be read.
        guard !components.contains(where: \.hasUnknownID) else { return }
        let known = components.enumerated().filter { $1.role != .sink && !$1.isBroken && $0 != receiver }.map(\.1)
        let routed = reference.port == .errors ? [] : known.filter { $0.onError == .route }.map { $0.id + ".errors" }
        let names = known.map(\.id) + routed
        let near = findings.hasTooManyForDetail ? nil : nearestName(to: reference.id, among: names)
        let suffix = reference.port == .errors ? ".errors" : ""
        findings.error(
            "graph.unknown_id", "nothing is called \"\(reference.id)\"", at: reference.span, path: reference.path,
            help: findings.hasTooManyForDetail ? nil : suggestion(for: reference.id, among: names, list: "known"),
            fix: near.flatMap { name in
                reference.span.map { .init(title: "take from \(name)", span: $0, replacement: name + suffix) }
            })
    }

    // MARK: - Order

    private mutating func sort() {
        var waiting = Set(components.indices)
        while !waiting.isEmpty {
            let ready = components.indices.first { index in
                waiting.contains(index) && edges[index].allSatisfy { !waiting.contains($0.from) }
            }
            if let ready {
                order.append(ready)
                waiting.remove(ready)
            } else {
                let cycle = findCycle(in: waiting)
                hasCycle = true
                reportCycle(cycle)
                removeDownstream(cycle, from: &waiting)
            }
        }
    }

    /// Returns a cycle in the direction of the flow, starting with its first component in the configuration.
    ///
    /// - Parameter waiting: A set in which every component has an edge from a component of the set, so that a cycle exists.
    private func findCycle(in waiting: Set<Int>) -> [Int] {
        guard var current = waiting.min() else { return [] }
        var path: [Int] = []
        while !path.contains(current) {
            path.append(current)
            guard let next = edges[current].first(where: { waiting.contains($0.from) })?.from else { return path }
            current = next
        }
        guard let start = path.firstIndex(of: current) else { return path }
        let cycle = Array(path[start...].reversed())
        guard let first = cycle.min(), let rotation = cycle.firstIndex(of: first) else { return cycle }
        return Array(cycle[rotation...] + cycle[..<rotation])
    }

    private func reportCycle(_ cycle: [Int]) {
        guard let first = cycle.first else { return }
        // Report the edge that leads back to the first component. If it is implicit, report an explicit edge of the cycle.
        let closing = edges[first].first { cycle.contains($0.from) }?.reference.span
        let written =
            closing
            ?? cycle.lazy.compactMap { index in
                edges[index].first { cycle.contains($0.from) }?.reference.span
            }.first
        findings.error(
            "graph.cycle",
            "the graph has a cycle: "
                + (cycle + [first]).map { components[$0].id }.joined(separator: " → "),
            at: written ?? components[first].nameSpan, path: components[first].path,
            help: "remove one of these edges: from must not lead back to the component itself")
    }

    private func removeDownstream(_ cycle: [Int], from waiting: inout Set<Int>) {
        var reached = cycle
        while let index = reached.popLast() {
            guard waiting.remove(index) != nil else { continue }
            reached += components.indices.filter { other in edges[other].contains { $0.from == index } }
        }
    }
}
