import Pipeline

/// The description of an option, independent of its type.
public struct OptionDescription: Sendable, Equatable {
    /// The key in YAML.
    public let name: String

    /// What the option does, in one sentence.
    public let summary: String

    /// The schema of the allowed values.
    public let schema: ValueSchema

    /// Whether a configuration must set the option.
    public let isRequired: Bool

    /// Whether an empty value (`null`) means the same as no value.
    package let acceptsNull: Bool

    /// The default as YAML; `nil` if there is none.
    public let defaultYAML: String?

    /// An example value for the documentation.
    public let example: String?

    /// Whether the name is a placeholder for names that the user chooses.
    public let isAnyName: Bool

    /// The title of the ``SharedOptions`` to which the option belongs; `nil` for an option of one component.
    public let section: String?

    /// The unit of a number, from the suffix of the name: `hold_ms` is in `ms`. `nil` if the name has no known suffix.
    public var unit: String? {
        guard schema.isNumber, let end = name.split(separator: "_").last else { return nil }
        return Self.units[String(end)]
    }

    /// The type in a few words, with the unit: `number, 0 … 1000 ms`.
    public var type: String {
        guard let unit else { return schema.summary }
        return schema.summary + (schema.summary.contains(",") ? " \(unit)" : ", \(unit)")
    }

    /// Returns the description with the given names as the choices for a payload type.
    func choosing(payloads names: [String]) -> OptionDescription {
        OptionDescription(
            name: name, summary: summary, schema: schema.choosing(payloads: names), isRequired: isRequired,
            acceptsNull: acceptsNull, defaultYAML: defaultYAML, example: example, isAnyName: isAnyName,
            section: section)
    }

    private static let units = [
        "ms": "ms", "us": "µs", "s": "s", "hz": "Hz", "deg": "°", "rad": "rad", "bytes": "bytes",
    ]
}
