import Connectors
import Pipeline
import PipelineComponents

/// Writes the reference of components from their manifests: as text for a terminal, as Markdown, and as JSON.
enum ComponentReference {
    /// The width of text in columns. It does not depend on the terminal.
    private static let width = 100

    /// Returns a list of all components by role, one line each.
    static func list(_ entries: [Registry.Entry], _ style: Style) -> String {
        let width = entries.map(\.manifest.name.count).max() ?? 0
        let sections = Plan.Role.allCases.compactMap { role -> String? in
            let lines = entries.filter { $0.role == role }.map { entry in
                let name = entry.manifest.name
                return "  \(name)\(String(repeating: " ", count: width - name.count))  \(entry.manifest.summary)\n"
            }
            return lines.isEmpty ? nil : style.strong(heading(role)) + "\n" + lines.joined()
        }
        return sections.joined(separator: "\n")
    }

    /// Returns the full description of one component.
    static func text(_ entry: Registry.Entry, _ style: Style) -> String {
        let manifest = entry.manifest
        var sections = ["\(style.strong(manifest.name)) (\(entry.role)): \(manifest.summary)\n"]
        sections.append(ports(entry) + "\n")
        if !manifest.details.isEmpty {
            sections.append(WrappedText.wrapMarkdown(manifest.details, width: width) + "\n")
        }
        sections += OptionRows(entry.options).text(style, width: width)
        if PresetReference.applies(to: entry) { sections.append(PresetReference.section(style, width: width)) }
        let example = manifest.example.split(separator: "\n", omittingEmptySubsequences: false)
        sections.append(
            style.strong("Example") + "\n"
                + example.map { $0.isEmpty ? "\n" : "  \($0)\n" }.joined().trimmingBlankEnd())
        return sections.joined(separator: "\n")
    }

    /// Returns components as a part of the reference page, by role.
    static func markdown(_ entries: [Registry.Entry]) -> String {
        Plan.Role.allCases.compactMap { role -> String? in
            let chosen = entries.filter { $0.role == role }
            if chosen.isEmpty { return nil }
            return "## \(heading(role))\n\n" + chosen.map(markdown).joined(separator: "\n")
        }.joined(separator: "\n")
    }

    private static func markdown(_ entry: Registry.Entry) -> String {
        let manifest = entry.manifest
        var text = "### `\(manifest.name)`\n\n\(manifest.summary).\n\n"
        text += ports(entry) + "\n\n"
        if !manifest.details.isEmpty { text += manifest.details + "\n\n" }
        text += OptionRows(entry.options).markdown
        return text + "```yaml\n\(manifest.example.trimmingBlankEnd())```\n"
    }

    /// Returns a component as JSON.
    static func json(_ entry: Registry.Entry) -> JSONValue {
        let manifest = entry.manifest
        return .object([
            ("name", .string(manifest.name)), ("role", .string(entry.role.rawValue)),
            ("summary", .string(manifest.summary)), ("details", .string(manifest.details)),
            ("takes", .string(entry.takes)), ("makes", .string(entry.makes)), ("pure", .boolean(manifest.isPure)),
            ("drops", .array(manifest.drops.map { .string($0.rawValue) })),
            (
                "options",
                .array(
                    OptionRows(entry.options).all.map { row in
                        .object([
                            ("name", .string(row.name)), ("type", .string(row.option.type)),
                            ("required", .boolean(row.option.isRequired)),
                            ("default", .optional(row.option.defaultYAML)), ("summary", .string(row.option.summary)),
                        ])
                    })
            ),
            (
                "presets",
                .array(PresetReference.applies(to: entry) ? DecodePreset.allCases.map(PresetReference.json) : [])
            ),
            ("example", .string(manifest.example)),
        ])
    }

    private static func ports(_ entry: Registry.Entry) -> String {
        let takes = entry.takes.isEmpty ? nil : "Takes \(entry.takes)"
        let makes = entry.makes.isEmpty ? nil : "\(takes == nil ? "M" : "m")akes \(entry.makes)"
        let pure =
            entry.manifest.isPure
            ? " It is pure: it makes one output from each input, which depends only on that input's payload." : ""
        let drops = entry.manifest.drops.map { "`\($0)`" }.joined(separator: ", ")
        return [takes, makes].compactMap { $0 }.joined(separator: ", ") + "." + pure
            + (drops.isEmpty ? "" : " Reasons for drops: \(drops).")
    }

    private static func heading(_ role: Plan.Role) -> String {
        switch role {
        case .source: "Sources"
        case .stage: "Stages"
        case .sink: "Sinks"
        }
    }
}

extension String {
    /// Returns the text with exactly one newline at its end.
    fileprivate func trimmingBlankEnd() -> String {
        var text = self
        while text.last == "\n" || text.last == " " { text.removeLast() }
        return text + "\n"
    }
}
