import Pipeline

/// What is known of an option without its type.
public struct OptionDescription: Sendable, Equatable {
    /// The key in YAML.
    public let name: String

    /// One sentence.
    public let summary: String

    /// What values it takes.
    public let schema: ValueSchema

    /// Whether a configuration must give it.
    public let isRequired: Bool

    /// The default as YAML; `nil` when there is none.
    public let defaultYAML: String?

    /// A value for the documentation.
    public let example: String?

    /// Whether the name only stands for names of the user's.
    public let isAnyName: Bool

    /// The title of the ``SharedOptions`` that it belongs to; `nil` for an option of one component.
    public let section: String?

    /// The unit of a number, by the end of the name: `hold_ms` is in `ms`; `nil` where the name says none.
    public var unit: String? {
        guard schema.isNumber, let end = name.split(separator: "_").last else { return nil }
        return Self.units[String(end)]
    }

    /// The type in a few words, with the unit: `number, 0 … 1000 ms`.
    public var type: String {
        guard let unit else { return schema.summary }
        return schema.summary + (schema.summary.contains(",") ? " \(unit)" : ", \(unit)")
    }

    /// The same, where it names payload types with these as choices.
    func choosing(payloads names: [String]) -> OptionDescription {
        OptionDescription(
            name: name, summary: summary, schema: schema.choosing(payloads: names), isRequired: isRequired,
            defaultYAML: defaultYAML, example: example, isAnyName: isAnyName, section: section)
    }

    private static let units = [
        "ms": "ms", "us": "µs", "s": "s", "hz": "Hz", "deg": "°", "rad": "rad", "bytes": "bytes",
    ]
}
