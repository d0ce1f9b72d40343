import Pipeline

/// The schema of an option's value.
public indirect enum ValueSchema: Sendable, Equatable {
    case boolean
    case integer(min: Int?, max: Int?)
    case number(min: Double?, max: Double?)
    case string
    /// A path, relative to the configuration file.
    case path
    case choice([String])
    /// The name of a registered payload type. In the entries of a registry, it is a choice of these names.
    case payload
    case list(of: ValueSchema)
    case map(of: ValueSchema)
    /// A mapping with named options of its own.
    case group([OptionDescription])
    /// Alternative schemas, of which the first that fits a value applies. An empty list accepts any value.
    case anyOf([ValueSchema])
    /// A list of stages, in the same form as at the top level.
    case stages

    /// The type in a few words, as the reference shows it: `integer, 2 … 4096`.
    public var summary: String {
        switch self {
        case .boolean: "boolean"
        case .integer(let min, let max): "integer" + Self.range(min.map(String.init), max.map(String.init))
        case .number(let min, let max): "number" + Self.range(min.map(shortDecimal), max.map(shortDecimal))
        case .string: "string"
        case .path: "path"
        case .choice(let names): names.joined(separator: " | ")
        case .payload: "name of a payload"
        case .list(let element): "list of \(element.summary)"
        case .map(let value): "mapping of names to \(value.summary)"
        case .group: "mapping"
        case .anyOf(let shapes): shapes.map(\.summary).joined(separator: ", or ")
        case .stages: "list of stages"
        }
    }

    /// Returns the schema with the names of payload types as choices.
    func choosing(payloads names: [String]) -> ValueSchema {
        switch self {
        case .payload: .choice(names)
        case .list(let element): .list(of: element.choosing(payloads: names))
        case .map(let value): .map(of: value.choosing(payloads: names))
        case .group(let options): .group(options.map { $0.choosing(payloads: names) })
        case .anyOf(let shapes): .anyOf(shapes.map { $0.choosing(payloads: names) })
        default: self
        }
    }

    private static func range(_ min: String?, _ max: String?) -> String {
        switch (min, max) {
        case (let min?, let max?): ", \(min) … \(max)"
        case (let min?, nil): ", at least \(min)"
        case (nil, let max?): ", at most \(max)"
        case (nil, nil): ""
        }
    }

    /// The range of a number, for use in a sentence: `2 to 4096`.
    var allowed: String {
        let (min, max): (String?, String?) =
            switch self {
            case .integer(let min, let max): (min.map(String.init), max.map(String.init))
            case .number(let min, let max): (min.map(shortDecimal), max.map(shortDecimal))
            default: (nil, nil)
            }
        return switch (min, max) {
        case (let min?, let max?): "\(min) to \(max)"
        case (let min?, nil): "at least \(min)"
        case (nil, let max?): "at most \(max)"
        case (nil, nil): "any"
        }
    }

    /// Whether the value is a number, whole or not.
    var isNumber: Bool {
        switch self {
        case .integer, .number: true
        default: false
        }
    }
}
