import Connectors
import Pipeline
import PipelineComponents

/// Shows what a component says about itself: for a terminal, as Markdown, as data.
enum ComponentReference {
    /// How wide text is written, whatever the terminal.
    private static let width = 100

    /// One option, flattened: a group's options follow it, their names joined by dots.
    private struct Row {
        let name: String
        let option: OptionDescription

        /// `default 4` or `required`; nothing when there is nothing to say.
        var defaultNote: String? {
            option.isRequired ? "required" : option.defaultYAML.map { "default \($0)" }
        }

        /// The cell of a table for it.
        var defaultText: String { option.isRequired ? "required" : option.defaultYAML ?? "" }
    }

    private static func rows(_ options: [OptionDescription], prefix: String = "") -> [Row] {
        options.flatMap { option in
            let row = Row(name: prefix + option.name, option: option)
            return [row] + rows(group(in: option.schema), prefix: row.name + ".")
        }
    }

    private static func group(in schema: ValueSchema) -> [OptionDescription] {
        switch schema {
        case .group(let options): options
        case .anyOf(let shapes): shapes.flatMap(group)
        default: []
        }
    }

    /// All components, a line each, by role.
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

    /// One component, whole.
    static func text(_ entry: Registry.Entry, _ style: Style) -> String {
        let manifest = entry.manifest
        var sections = ["\(style.strong(manifest.name)) (\(entry.role)): \(manifest.summary)\n"]
        if !manifest.takes.isEmpty || !manifest.makes.isEmpty { sections.append(ports(manifest) + "\n") }
        if !manifest.details.isEmpty {
            sections.append(WrappedText.wrapMarkdown(manifest.details, width: width) + "\n")
        }
        if !entry.options.isEmpty {
            var text = style.strong("Options") + "\n"
            for row in rows(entry.options) {
                let facts = [row.option.schema.summary, row.defaultNote].compactMap { $0 }.joined(separator: "; ")
                text += "  " + WrappedText.wrap("\(row.name) (\(facts))", width: width, indent: 6) + "\n"
                text += "      " + WrappedText.wrap(row.option.summary, width: width, indent: 6) + "\n"
            }
            sections.append(text)
        }
        if PresetReference.concerns(entry) { sections.append(PresetReference.section(style, width: width)) }
        let example = manifest.example.split(separator: "\n", omittingEmptySubsequences: false)
        sections.append(
            style.strong("Example") + "\n"
                + example.map { $0.isEmpty ? "\n" : "  \($0)\n" }.joined().trimmingBlankEnd())
        return sections.joined(separator: "\n")
    }

    /// The reference page of some components.
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
        if !manifest.takes.isEmpty || !manifest.makes.isEmpty { text += ports(manifest) + "\n\n" }
        if !manifest.details.isEmpty { text += manifest.details + "\n\n" }
        if !entry.options.isEmpty {
            text += "| option | type | default | |\n| --- | --- | --- | --- |\n"
            for row in rows(entry.options) {
                let shown = row.option.isRequired || row.defaultText.isEmpty ? row.defaultText : "`\(row.defaultText)`"
                let cells = ["`\(row.name)`", row.option.schema.summary, shown, row.option.summary]
                text += "| " + cells.map(escapeCell).joined(separator: " | ") + " |\n"
            }
            text += "\n"
        }
        return text + "```yaml\n\(manifest.example.trimmingBlankEnd())```\n"
    }

    /// A component as data.
    static func json(_ entry: Registry.Entry) -> JSONValue {
        let manifest = entry.manifest
        return .object([
            ("name", .string(manifest.name)), ("role", .string(entry.role.rawValue)),
            ("summary", .string(manifest.summary)), ("details", .string(manifest.details)),
            ("takes", .string(manifest.takes)), ("makes", .string(manifest.makes)), ("pure", .boolean(manifest.isPure)),
            (
                "options",
                .array(
                    rows(entry.options).map { row in
                        .object([
                            ("name", .string(row.name)), ("type", .string(row.option.schema.summary)),
                            ("required", .boolean(row.option.isRequired)),
                            ("default", .optional(row.option.defaultYAML)), ("summary", .string(row.option.summary)),
                        ])
                    })
            ),
            (
                "presets",
                .array(PresetReference.concerns(entry) ? DecodePreset.allCases.map(PresetReference.json) : [])
            ),
            ("example", .string(manifest.example)),
        ])
    }

    private static func ports(_ manifest: Manifest) -> String {
        let takes = manifest.takes.isEmpty ? nil : "Takes \(manifest.takes)"
        let makes = manifest.makes.isEmpty ? nil : "\(takes == nil ? "M" : "m")akes \(manifest.makes)"
        let pure = manifest.isPure ? " It is pure: one output per input, decided by that payload alone." : ""
        return [takes, makes].compactMap { $0 }.joined(separator: ", ") + "." + pure
    }

    private static func heading(_ role: Plan.Role) -> String {
        switch role {
        case .source: "Sources"
        case .stage: "Stages"
        case .sink: "Sinks"
        }
    }

    private static func escapeCell(_ text: String) -> String {
        text.map { $0 == "|" ? "\\|" : String($0) }.joined()
    }
}

extension String {
    /// The text with exactly one line end behind it.
    fileprivate func trimmingBlankEnd() -> String {
        var text = self
        while text.last == "\n" || text.last == " " { text.removeLast() }
        return text + "\n"
    }
}
