import Connectors
import Pipeline
import PipelineComponents

/// Writes the reference of the presets of `decode`, with the options that each stands for: as text for a terminal, as Markdown, and
/// as JSON.
enum PresetReference {
    private static let heading = "Presets of decode"

    /// Whether a component has a `decode` option that accepts presets.
    static func applies(to entry: Registry.Entry) -> Bool {
        entry.options.contains { option in
            guard option.name == "decode", case .group(let inner) = option.schema else { return false }
            return inner.contains { $0.name == "preset" }
        }
    }

    /// Returns a list of all presets, one line each.
    static func list(_ style: Style) -> String {
        let width = DecodePreset.allCases.map(\.rawValue.count).max() ?? 0
        return style.strong(heading) + "\n"
            + DecodePreset.allCases.map { preset in
                let name = preset.rawValue
                return "  \(name)\(String(repeating: " ", count: width - name.count))  \(preset.summary)\n"
            }.joined()
    }

    /// Returns all presets with the options that they stand for, as a part of a component's description.
    static func section(_ style: Style, width: Int) -> String {
        style.strong(heading) + "\n"
            + DecodePreset.allCases.map { preset in
                "  " + WrappedText.wrap("\(preset.rawValue): \(preset.summary)", width: width, indent: 4) + "\n"
                    + blocks(preset, indent: 6).joined(separator: "\n")
            }.joined()
    }

    /// Returns the full description of one preset.
    static func text(_ preset: DecodePreset, _ style: Style) -> String {
        let blocks = blocks(preset, indent: 2)
        return "\(style.strong(preset.rawValue)) (preset of decode): \(preset.summary)\n"
            + (blocks.isEmpty ? "" : "\n\(style.strong("It stands for"))\n" + blocks.joined(separator: "\n"))
    }

    /// Returns the presets as a part of the reference page.
    static func markdown(_ presets: [DecodePreset] = DecodePreset.allCases) -> String {
        let sections = presets.map { preset in
            "\n### `\(preset.rawValue)`\n\n\(preset.summary).\n"
                + preset.kinds.map { "\n```yaml fragment\n\(preset.text(for: $0))```\n" }.joined()
        }
        return """
            ## Presets of `decode`

            A preset fills in options that a source does not set. It consists only of these options, which you can also write
            yourself and change; see [messages of other shapes](Formats.md#messages-of-other-shapes).

            """ + sections.joined()
    }

    /// Returns a preset as JSON.
    static func json(_ preset: DecodePreset) -> JSONValue {
        .object([
            ("name", .string(preset.rawValue)), ("role", .string("preset")), ("summary", .string(preset.summary)),
            (
                "stands_for",
                .array(
                    preset.kinds.map { kind in
                        .object([("kind", .string(kind.name)), ("yaml", .string(preset.text(for: kind)))])
                    })
            ),
        ])
    }

    private static func blocks(_ preset: DecodePreset, indent: Int) -> [String] {
        preset.kinds.map { kind in
            preset.text(for: kind).split(separator: "\n")
                .map { String(repeating: " ", count: indent) + $0 + "\n" }.joined()
        }
    }
}
