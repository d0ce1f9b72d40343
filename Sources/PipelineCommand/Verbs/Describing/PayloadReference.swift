import Connectors
import Pipeline
import PipelineComponents
import Stages

/// Writes the reference of payloads and of their keys in messages: as text for a terminal, as Markdown, and as JSON.
enum PayloadReference {
    private static let heading = "Payloads"

    /// Returns a list of all payloads, one line each.
    static func list(_ kinds: [PayloadKind], _ style: Style) -> String {
        let width = kinds.map(\.name.count).max() ?? 0
        return style.strong(heading) + "\n"
            + kinds.map { kind in
                let blanks = String(repeating: " ", count: width - kind.name.count)
                return "  \(kind.name)\(blanks)  \(kind.type.summary)\n"
            }.joined()
    }

    /// Returns the full description of one payload.
    static func text(_ kind: PayloadKind, _ style: Style) -> String {
        "\(style.strong(kind.name)) (payload): \(kind.type.summary)\n\n"
            + style.strong("Keys of its messages, in addition to those of every frame") + "\n"
            + kind.type.messageFields.map { field in
                let facts = [field.type.rawValue, field.unit, field.isOptional ? nil : "required"]
                return "  \(field.name) (\(facts.compactMap { $0 }.joined(separator: ", ")))\n      "
                    + WrappedText.wrap(field.summary, width: 100, indent: 6) + "\n"
            }.joined()
    }

    /// Returns the payloads as a part of the reference page.
    static func markdown(_ kinds: [PayloadKind]) -> String {
        """
        ## \(heading)

        The data that sources read and sinks write, as it appears in [messages](Formats.md#json-lines).

        ### Keys of every frame

        \(table(PayloadKind.envelope))
        """ + kinds.map { "\n" + markdown($0) }.joined()
    }

    /// Returns one payload as a part of the reference page.
    static func markdown(_ kind: PayloadKind) -> String {
        "### `\(kind.name)`\n\n\(kind.type.summary).\n\n" + table(kind.type.messageFields)
    }

    /// Returns a payload as JSON.
    static func json(_ kind: PayloadKind) -> JSONValue {
        .object([
            ("name", .string(kind.name)), ("role", .string("payload")), ("summary", .string(kind.type.summary)),
            (
                "fields",
                .array(
                    kind.type.messageFields.map { field in
                        .object([
                            ("name", .string(field.name)), ("type", .string(field.type.rawValue)),
                            ("unit", .optional(field.unit)), ("required", .boolean(!field.isOptional)),
                            ("summary", .string(field.summary)),
                        ])
                    })
            ),
        ])
    }

    private static func table(_ fields: [FieldDescription]) -> String {
        "| key | type | unit | |\n| --- | --- | --- | --- |\n"
            + fields.map { field in
                let type = field.type.rawValue + (field.isOptional ? "" : ", required")
                return "| `\(field.name)` | \(type) | \(field.unit ?? "") | \(field.summary) |\n"
            }.joined()
    }
}
