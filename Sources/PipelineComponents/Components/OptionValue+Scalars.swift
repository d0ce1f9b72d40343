import Pipeline

extension Bool: OptionValue {
    public static var schema: ValueSchema { .boolean }
    public var yaml: String? { self ? "true" : "false" }

    public static func decode(_ node: ConfigNode, _ context: DecodingContext) -> Bool? {
        if let value = node.scalar?.boolean { return value }
        if let scalar = node.scalar, scalar.isPlain {
            switch scalar.text {
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

/// A number type for options with a range: `Int` or `Double`.
public protocol OptionNumber: OptionValue, Comparable {
    /// Returns the schema of the numbers in a range.
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
        if let value = node.scalar?.integer { return value }
        // As a double, the number just below the range is in the range.
        if let number = node.scalar?.number, number.isFinite, abs(number) >= 0x1p63 {
            context.mismatch(node, wanted: "a whole number from \(Int.min) to \(Int.max)")
            return nil
        }
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
        if let value = node.scalar?.number {
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
