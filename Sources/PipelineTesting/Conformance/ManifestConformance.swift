import Pipeline
import PipelineComponents
import PipelineConfiguration

/// Checks a component's manifest for completeness and correctness.
public enum ManifestConformance {
    /// Returns the violations for everything that is missing or wrong in a manifest.
    ///
    /// - Parameters:
    ///   - entry: The component.
    ///   - registry: The registry with the component and everything that its example uses.
    ///   - baseDirectory: The folder that relative paths in the example refer to.
    public static func violations(
        of entry: Registry.Entry, in registry: Registry, baseDirectory: String
    ) -> [Violation] {
        let manifest = entry.manifest
        var found: [Violation] = []
        func require(_ condition: Bool, _ rule: String, _ detail: String) {
            if !condition { found.append(Violation(rule, detail)) }
        }
        require(isSnakeCase(manifest.name), "name_is_snake_case", manifest.name)
        require(!manifest.summary.isEmpty, "has_a_summary", "it is empty")
        require(!manifest.summary.hasSuffix("."), "summary_has_no_full_stop", manifest.summary)
        require(!manifest.details.isEmpty, "has_details", "they are empty")
        for option in entry.options {
            require(isSnakeCase(option.name), "name_is_snake_case", option.name)
            require(option.summary.hasSuffix("."), "an_option_has_a_sentence", option.name)
        }
        let names = entry.options.map(\.name)
        require(Set(names).count == names.count, "option_names_are_unique", names.joined(separator: ", "))
        require(manifest.example.contains(manifest.name), "its_example_uses_it", manifest.example)
        let loader = PipelineLoader(registry: registry)
        let loaded = loader.load(text: manifest.example, name: "example", baseDirectory: baseDirectory)
        found += loaded.diagnostics.map {
            Violation("its_example_is_valid", "line \($0.span?.start.line ?? 0): \($0.message)")
        }
        if let plan = loaded.plan {
            let node = plan.nodes.first { $0.component == manifest.name }
            require(node != nil, "its_example_uses_it", "no node is a \(manifest.name)")
            if let made = node?.output, case .one(let ports)? = entry.production {
                require(
                    ports.contains { made.isSamePayload(as: $0) }, "makes_what_it_says",
                    "\(made.kind) and not \(entry.makes)")
            }
        }
        return found
    }

    private static func isSnakeCase(_ name: String) -> Bool {
        !name.isEmpty
            && name.unicodeScalars.allSatisfy {
                ("a"..."z").contains($0) || ("0"..."9").contains($0) || $0 == "_"
            }
    }
}
