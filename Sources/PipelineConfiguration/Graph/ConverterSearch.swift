import Pipeline
import PipelineComponents

/// Finds stages that convert one type to another, for the help text of a type mismatch.
struct ConverterSearch {
    private let registry: Registry

    /// Creates a search among the stages of a registry.
    init(_ registry: Registry) { self.registry = registry }

    /// Returns the names of the stages that accept `found` and emit one of `wanted`, in order of registration.
    ///
    /// To find out what a stage emits, the stage is created with default options. If it has required options, the output types
    /// that it declares are used instead.
    func stages(from found: PortType, to wanted: [PortType]) -> [String] {
        registry.entries.filter { $0.role == .stage }.compactMap { entry in
            guard let options = defaults(of: entry), takes(found, entry, options) else { return nil }
            let fits: Bool
            if let made = output(of: entry, options, for: found) {
                fits = wanted.contains { made.isSamePayload(as: $0) && made.conflicts(with: $0).isEmpty }
            } else {
                fits = wanted.contains { makes($0, entry, from: found) }
            }
            return fits ? entry.manifest.name : nil
        }
    }

    /// Returns a stage, with its options in YAML, that keeps the kind of `found` and fixes the first conflicting attribute:
    /// `convert: { flip_y: true, space: normalized }`. Its options also fix as many of the other conflicts as possible.
    ///
    /// An option fixes an attribute in two cases: the option has the attribute's name and accepts the wanted value, or the option
    /// is a boolean and the stage emits the wanted value if the option is true.
    func proposal(from found: PortType, conflicts: [(name: String, found: String, wanted: String)]) -> String? {
        for entry in registry.entries where entry.role == .stage {
            guard let options = defaults(of: entry), takes(found, entry, options), makes(found, entry, from: found)
            else { continue }
            let mended = conflicts.map { conflict in
                entry.options.lazy.compactMap { mending(conflict, $0, entry, found) }.first
            }
            guard mended.first.flatMap({ $0 }) != nil else { continue }
            return "\(entry.manifest.name): { \(mended.compactMap { $0 }.joined(separator: ", ")) }"
        }
        return nil
    }

    private func mending(
        _ conflict: (name: String, found: String, wanted: String), _ option: OptionDescription, _ entry: Registry.Entry,
        _ found: PortType
    ) -> String? {
        if option.name == conflict.name, Self.admits(conflict.wanted, option.schema) {
            return "\(option.name): \(conflict.wanted)"
        }
        guard option.schema == .boolean else { return nil }
        let node = Self.node(.mapping([.init(key: option.name, keySpan: Self.nowhere, value: Self.yes)]))
        // A stage that cannot be created with this option alone is not proposed. Findings of this attempt are discarded.
        guard let options = decoded(node, entry), case .stage(let make) = entry.make,
            let stage = try? make(
                options, found, BuildContext(id: entry.manifest.name, node: node, decoding: scratch())),
            stage.output(for: found).attributes[conflict.name] == conflict.wanted
        else { return nil }
        return "\(option.name): true"
    }

    private static func admits(_ value: String, _ schema: ValueSchema) -> Bool {
        switch schema {
        case .choice(let names): names.contains(value)
        case .string: true
        case .anyOf(let shapes): shapes.contains { admits(value, $0) }
        default: false
        }
    }

    private func defaults(of entry: Registry.Entry) -> (any ComponentOptions)? {
        entry.decode(Self.node(.mapping([])), scratch())
    }

    private func decoded(_ node: ConfigNode, _ entry: Registry.Entry) -> (any ComponentOptions)? {
        let context = scratch()
        let options = entry.decode(node, context)
        return context.findings.hasErrors ? nil : options
    }

    /// Returns whether a component can emit the payload of `wanted` when `found` arrives.
    private func makes(_ wanted: PortType, _ entry: Registry.Entry, from found: PortType) -> Bool {
        entry.production?.ports(for: found).contains { $0.isSamePayload(as: wanted) } ?? false
    }

    /// Returns whether a component accepts `found`. A stage that accepts any type does not count, because it converts nothing.
    private func takes(_ found: PortType, _ entry: Registry.Entry, _ options: any ComponentOptions) -> Bool {
        guard case .one(let ports) = entry.accepts(options) else { return false }
        return ports.contains { found.isSamePayload(as: $0) && found.conflicts(with: $0).isEmpty }
    }

    private func output(of entry: Registry.Entry, _ options: any ComponentOptions, for found: PortType) -> PortType? {
        guard case .stage(let make) = entry.make, !entry.options.contains(where: \.isRequired) else { return nil }
        let context = BuildContext(id: entry.manifest.name, node: Self.node(.mapping([])), decoding: scratch())
        guard let stage = try? make(options, found, context), !context.decoding.findings.hasErrors else { return nil }
        return stage.output(for: found)
    }

    private func scratch() -> DecodingContext {
        DecodingContext(findings: Findings(), path: "", baseDirectory: ".", known: registry.known)
    }

    private static let nowhere = SourceSpan(
        file: "", start: .init(line: 1, column: 1), end: .init(line: 1, column: 1))

    private static let yes = node(.scalar(.init(text: "true", isPlain: true)))

    private static func node(_ value: ConfigNode.Value) -> ConfigNode { ConfigNode(value, span: nowhere) }
}
