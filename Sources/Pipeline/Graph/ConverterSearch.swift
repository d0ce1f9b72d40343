/// Finds the stage that makes what is wanted out of what is there, for the help of a type mismatch.
struct ConverterSearch {
    private let registry: Registry

    /// Searches among the stages of a registry.
    init(_ registry: Registry) { self.registry = registry }

    /// Stages that take `found` and make one of `wanted`, in the order registered.
    ///
    /// What a stage makes is asked of the stage itself, made with its defaults; where these do not suffice, of the words
    /// of its manifest.
    func stages(from found: PortType, to wanted: [PortType]) -> [String] {
        registry.entries.filter { $0.role == .stage }.compactMap { entry in
            guard let options = defaults(of: entry), takes(found, entry, options) else { return nil }
            let fits: Bool
            if let made = output(of: entry, options, for: found) {
                fits = wanted.contains { made.isSamePayload(as: $0) && made.conflicts(with: $0).isEmpty }
            } else {
                let words = entry.manifest.makes.split { !$0.isLetter && $0 != "_" }.map(String.init)
                fits = wanted.contains { words.contains($0.kind.rawValue) }
            }
            return fits ? entry.manifest.name : nil
        }
    }

    /// A stage that keeps the kind of `found` and has an option for the first attribute in conflict, with that option:
    /// `convert: { space: normalized }`.
    func proposal(from found: PortType, conflicts: [(name: String, found: String, wanted: String)]) -> String? {
        guard let conflict = conflicts.first else { return nil }
        for entry in registry.entries where entry.role == .stage {
            let words = entry.manifest.makes.split { !$0.isLetter && $0 != "_" }.map(String.init)
            guard let options = defaults(of: entry), takes(found, entry, options), words.contains(found.kind.rawValue),
                entry.options.contains(where: { $0.name == conflict.name && Self.admits(conflict.wanted, $0.schema) })
            else { continue }
            return "\(entry.manifest.name): { \(conflict.name): \(conflict.wanted) }"
        }
        return nil
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
        entry.decode(Self.nothing, scratch())
    }

    // A stage that takes anything converts nothing.
    private func takes(_ found: PortType, _ entry: Registry.Entry, _ options: any ComponentOptions) -> Bool {
        guard case .one(let ports) = entry.accepts(options) else { return false }
        return ports.contains { found.isSamePayload(as: $0) && found.conflicts(with: $0).isEmpty }
    }

    private func output(of entry: Registry.Entry, _ options: any ComponentOptions, for found: PortType) -> PortType? {
        guard case .stage(let make) = entry.make, !entry.options.contains(where: \.isRequired) else { return nil }
        let context = BuildContext(id: entry.manifest.name, node: Self.nothing, decoding: scratch())
        guard let stage = try? make(options, found, context), !context.decoding.findings.hasErrors else { return nil }
        return stage.output(for: found)
    }

    private func scratch() -> DecodingContext {
        DecodingContext(findings: Findings(), path: "", baseDirectory: ".")
    }

    private static let nothing = ConfigNode(
        .mapping([]),
        span: SourceSpan(file: "", start: .init(line: 1, column: 1), end: .init(line: 1, column: 1)))
}
