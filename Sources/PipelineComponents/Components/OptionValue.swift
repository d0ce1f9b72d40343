import Pipeline

/// A type that an option can have: how it is read from a configuration, described and shown.
public protocol OptionValue: Sendable {
    /// What is accepted, for the JSON Schema and the reference.
    static var schema: ValueSchema { get }

    /// Reads a value; reports what is wrong and returns `nil` when it cannot.
    static func decode(_ node: ConfigNode, _ context: DecodingContext) -> Self?

    /// The value as YAML, to show a default; `nil` when there is nothing to show.
    var yaml: String? { get }
}

/// The shape of an option's value.
public indirect enum ValueSchema: Sendable, Equatable {
    case boolean
    case integer(min: Int?, max: Int?)
    case number(min: Double?, max: Double?)
    case string
    /// A path, relative to the configuration's file.
    case path
    case choice([String])
    /// The name of a payload type that is registered: in a registry's entries, a choice of these.
    case payload
    case list(of: ValueSchema)
    case map(of: ValueSchema)
    /// A mapping with named options of its own.
    case group([OptionDescription])
    /// Any of several shapes: the first that fits.
    case anyOf([ValueSchema])
    /// A list of stages, written as at the top level.
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

    /// The same, with the names of payload types as choices.
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

    /// The range of a number, as a sentence has it: `2 to 4096`.
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

    /// Whether it is a whole number or any number.
    var isNumber: Bool {
        switch self {
        case .integer, .number: true
        default: false
        }
    }
}

/// What decoding an option needs to know, and where it reports.
public struct DecodingContext {
    /// Where findings go.
    public let findings: Findings

    /// The place in the structure: `stages[2].resample.points`.
    public let path: String

    /// The folder that relative paths start from.
    public let baseDirectory: String

    /// What options that name components can name; `nil` where there is no configuration.
    package let registry: Registry?

    /// What reads lists of stages; `nil` where there is no configuration.
    let stageLists: StageList.Reader?

    /// Where the files that options name are noted; `nil` where nobody asks.
    package let files: FileUses?

    /// The `id` of the component whose options are read.
    package let owner: String

    /// Makes a context.
    public init(findings: Findings, path: String, baseDirectory: String) {
        self.init(findings: findings, path: path, baseDirectory: baseDirectory, registry: nil)
    }

    package init(
        findings: Findings, path: String, baseDirectory: String, registry: Registry?,
        stageLists: StageList.Reader? = nil, files: FileUses? = nil, owner: String = ""
    ) {
        self.findings = findings
        self.path = path
        self.baseDirectory = baseDirectory
        self.registry = registry
        self.stageLists = stageLists
        self.files = files
        self.owner = owner
    }

    /// The payload types that options can name; `nil` where there is no configuration.
    package var payloads: [any Payload.Type]? { registry?.payloads }

    /// Reads one of a few names; reports a name that is none of them, with the one that was probably meant.
    package func choice(_ node: ConfigNode, of names: [String]) -> String? {
        guard let scalar = node.scalar else {
            mismatch(node, wanted: "one of \(names.joined(separator: ", "))")
            return nil
        }
        if names.contains(scalar.text) { return scalar.text }
        let near = nearestName(to: scalar.text, among: names)
        findings.error(
            "option.choice", "\"\(scalar.text)\" is not one of \(names.joined(separator: ", "))", at: node.span,
            path: path, help: near.map { "did you mean \"\($0)\"?" },
            fix: near.map { .init(title: "write \($0)", span: node.span, replacement: $0) })
        return nil
    }

    /// The folder that a relative path starts from which stands at a node: that of the configuration's file, and the current one where
    /// it was given on the command line.
    public func folder(of node: ConfigNode) -> String { node.span.isSetting ? "." : baseDirectory }

    /// The context one level down.
    public func descending(_ step: String) -> DecodingContext {
        DecodingContext(
            findings: findings, path: path + (step.hasPrefix("[") || path.isEmpty ? "" : ".") + step,
            baseDirectory: baseDirectory, registry: registry, stageLists: stageLists, files: files, owner: owner)
    }

    /// Reports that `node` is not what was wanted.
    public func mismatch(_ node: ConfigNode, wanted: String, help: String? = nil) {
        findings.error(
            "option.type", "expected \(wanted), found \(node.described)", at: node.span, path: path, help: help)
    }
}

extension Bool: OptionValue {
    public static var schema: ValueSchema { .boolean }
    public var yaml: String? { self ? "true" : "false" }

    public static func decode(_ node: ConfigNode, _ context: DecodingContext) -> Bool? {
        if let scalar = node.scalar, scalar.isPlain {
            switch scalar.text {
            case "true", "True", "TRUE": return true
            case "false", "False", "FALSE": return false
            case "yes", "Yes", "on", "On", "no", "No", "off", "Off", "y", "n":
                let meant =
                    ["y", "o"].contains(scalar.text.lowercased().first ?? " ") && scalar.text.lowercased() != "off"
                context.mismatch(
                    node, wanted: "true or false",
                    help: "in YAML 1.2 \"\(scalar.text)\" is a string; write \(meant ? "true" : "false")")
                return nil
            default: break
            }
        }
        context.mismatch(node, wanted: "true or false")
        return nil
    }
}

/// A number that an option can have within a range: `Int` or `Double`.
public protocol OptionNumber: OptionValue, Comparable {
    /// What is accepted within a range.
    static func schema(in range: ClosedRange<Self>) -> ValueSchema
}

extension Int: OptionNumber {
    public static func schema(in range: ClosedRange<Int>) -> ValueSchema {
        .integer(
            min: range.lowerBound == .min ? nil : range.lowerBound,
            max: range.upperBound == .max ? nil : range.upperBound)
    }
}

extension Double: OptionNumber {
    public static func schema(in range: ClosedRange<Double>) -> ValueSchema {
        .number(
            min: range.lowerBound == -.infinity ? nil : range.lowerBound,
            max: range.upperBound == .infinity ? nil : range.upperBound)
    }
}

extension Int: OptionValue {
    public static var schema: ValueSchema { .integer(min: nil, max: nil) }
    public var yaml: String? { String(self) }

    public static func decode(_ node: ConfigNode, _ context: DecodingContext) -> Int? {
        if let scalar = node.scalar, scalar.isPlain, let value = Int(scalar.text) { return value }
        context.mismatch(
            node, wanted: "a whole number",
            help: node.scalar.flatMap { $0.isPlain ? nil : Int($0.text) }.map { "write \($0) without quotes" })
        return nil
    }
}

extension Double: OptionValue {
    public static var schema: ValueSchema { .number(min: nil, max: nil) }
    public var yaml: String? { shortDecimal(self) }

    public static func decode(_ node: ConfigNode, _ context: DecodingContext) -> Double? {
        if let scalar = node.scalar, scalar.isPlain, let value = Double(scalar.text) {
            if value.isFinite { return value }
            context.mismatch(node, wanted: "a finite number")
            return nil
        }
        context.mismatch(node, wanted: "a number")
        return nil
    }
}

extension String: OptionValue {
    public static var schema: ValueSchema { .string }
    public var yaml: String? { YAMLScalar.text(self) }

    public static func decode(_ node: ConfigNode, _ context: DecodingContext) -> String? {
        if let scalar = node.scalar, !node.isNull { return scalar.text }
        context.mismatch(node, wanted: "a string")
        return nil
    }
}

extension Optional: OptionValue where Wrapped: OptionValue {
    public static var schema: ValueSchema { Wrapped.schema }
    public var yaml: String? { self?.yaml }

    public static func decode(_ node: ConfigNode, _ context: DecodingContext) -> Wrapped?? {
        if node.isNull { return .some(.none) }
        return Wrapped.decode(node, context).map { .some($0) }
    }
}

extension Array: OptionValue where Element: OptionValue {
    public static var schema: ValueSchema { .list(of: Element.schema) }
    public var yaml: String? { isEmpty ? nil : "[" + compactMap(\.yaml).joined(separator: ", ") + "]" }

    /// Reads a list, or one element without its brackets.
    public static func decode(_ node: ConfigNode, _ context: DecodingContext) -> [Element]? {
        guard let nodes = node.sequence else { return Element.decode(node, context).map { [$0] } }
        let values = nodes.enumerated().map { Element.decode($1, context.descending("[\($0)]")) }
        return values.contains { $0 == nil } ? nil : values.compactMap { $0 }
    }
}

/// An option that is one of a few names: conform a `String` enumeration to it.
public protocol OptionChoice: OptionValue, CaseIterable, RawRepresentable where RawValue == String {}

extension OptionChoice {
    public static var schema: ValueSchema { .choice(allCases.map(\.rawValue)) }
    public var yaml: String? { rawValue }

    public static func decode(_ node: ConfigNode, _ context: DecodingContext) -> Self? {
        context.choice(node, of: allCases.map(\.rawValue)).flatMap(Self.init(rawValue:))
    }
}
