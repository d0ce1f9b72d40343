import Pipeline

/// One option of a component, declared once, on the property that holds it.
///
/// ```swift
/// @Option("Number of points after resampling.", in: 2...65_536) public var points = 64
/// ```
///
/// Decoding, checking, `pipectl stages`, the JSON Schema, completion and the reference come from this line. The name in YAML is
/// the property's (`holdMs` is `hold_ms`), the default its initial value, the unit the ending of its name.
///
/// A value is in its range, whoever gives it: a configuration with another one has a finding, and a program that assigns one
/// stops with a message that says where the option is declared and what it takes.
@propertyWrapper
public struct Option<Value: OptionValue>: Sendable {
    @usableFromInline var box: OptionBox<Value>

    /// The value. Assigning one outside the range is a programmer's error, and stops the program.
    public var wrappedValue: Value {
        @inlinable get { box.value }
        set {
            box.require(newValue)
            if isKnownUniquelyReferenced(&box) {
                box.value = newValue
            } else {
                box = OptionBox(newValue, box.declaration)
            }
        }
    }

    private init(_ value: Value, _ declaration: OptionDeclaration<Value>) {
        box = OptionBox(value, declaration)
        box.require(value)
    }

    /// Declares an option of any value.
    ///
    /// - Parameters:
    ///   - wrappedValue: The default.
    ///   - summary: One sentence.
    ///   - name: The key in YAML, where it is not the property's name.
    ///   - isRequired: Whether a configuration must give it.
    ///   - example: A value for the documentation, as YAML, when the default does not do.
    ///   - file: Where it is declared, for the message about a value out of range.
    ///   - line: The line of the declaration.
    public init(
        wrappedValue: Value, _ summary: String, name: String? = nil, isRequired: Bool = false, example: String? = nil,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(
            wrappedValue,
            OptionDeclaration(
                summary, name: name, isRequired: isRequired, example: example, file: file, line: line))
    }

    /// Declares an option that may be absent, and is by default.
    public init<Wrapped>(
        _ summary: String, name: String? = nil, example: String? = nil, file: StaticString = #fileID,
        line: UInt = #line
    ) where Value == Wrapped? {
        self.init(nil, OptionDeclaration(summary, name: name, example: example, file: file, line: line))
    }

    /// Declares a number with its range.
    public init(
        wrappedValue: Value, _ summary: String, name: String? = nil, in range: ClosedRange<Value>,
        isRequired: Bool = false, example: String? = nil, file: StaticString = #fileID, line: UInt = #line
    ) where Value: OptionNumber {
        self.init(
            wrappedValue,
            OptionDeclaration(
                summary, name: name, isRequired: isRequired, example: example, file: file, line: line,
                schema: { Value.schema(in: range) }, contains: { range.contains($0) }))
    }

    /// Declares a number that may be absent, and is by default, with its range.
    public init<Number: OptionNumber>(
        _ summary: String, name: String? = nil, in range: ClosedRange<Number>, example: String? = nil,
        file: StaticString = #fileID, line: UInt = #line
    ) where Value == Number? {
        self.init(
            nil,
            OptionDeclaration(
                summary, name: name, example: example, file: file, line: line,
                schema: { Number.schema(in: range) }, contains: { $0.map(range.contains) ?? true }))
    }

    /// Declares that every key which is no other option is a value under a name of the user's. In the documentation `anyName`
    /// stands for such a name.
    public init<Element>(
        wrappedValue: Value, anyName placeholder: String, _ summary: String, example: String? = nil,
        file: StaticString = #fileID, line: UInt = #line
    ) where Value == NamedOptions<Element> {
        self.init(
            wrappedValue,
            OptionDeclaration(
                summary, name: placeholder, isAnyName: true, example: example, file: file, line: line))
    }

    /// Declares an option whose owner reads it, with the shape it has.
    package init(
        _ summary: String, name: String? = nil, shape: @escaping @autoclosure @Sendable () -> ValueSchema,
        isRequired: Bool = false, example: String? = nil, file: StaticString = #fileID, line: UInt = #line
    ) where Value == ConfigNode? {
        self.init(
            nil,
            OptionDeclaration(
                summary, name: name, isRequired: isRequired, example: example, file: file, line: line, schema: shape))
    }
}

extension Option: Equatable where Value: Equatable {
    /// Whether the values are equal.
    public static func == (a: Option, b: Option) -> Bool { a.box.value == b.box.value }
}

extension Option: Hashable where Value: Hashable {
    public func hash(into hasher: inout Hasher) { hasher.combine(box.value) }
}

/// Where the value of an option is, so that decoding can reach it through a mirror of the options.
@usableFromInline
final class OptionBox<Value: OptionValue>: @unchecked Sendable {
    // Two values of an option share a box only until one of them is assigned to, and a box is written to by the one that owns it
    // alone. That is why it may be sent, and why reading it need not be guarded.
    @exclusivity(unchecked) @usableFromInline final var value: Value
    let declaration: OptionDeclaration<Value>

    init(_ value: Value, _ declaration: OptionDeclaration<Value>) {
        self.value = value
        self.declaration = declaration
    }

    /// Stops the program when a value is out of range.
    func require(_ value: Value) {
        guard let contains = declaration.contains, !contains(value) else { return }
        // A precondition would say nothing in a release build.
        fatalError(
            "the option \"\(declaration.summary)\" must be \(declaration.schema.allowed), not \(value.yaml ?? "absent")",
            file: declaration.file, line: declaration.line)
    }
}

/// What is said of an option where it is declared.
final class OptionDeclaration<Value: OptionValue>: Sendable {
    let summary: String
    let name: String?
    let isAnyName: Bool
    let isRequired: Bool
    let example: String?
    let file: StaticString
    let line: UInt
    let contains: (@Sendable (Value) -> Bool)?
    private let shape: (@Sendable () -> ValueSchema)?

    /// What values it takes.
    var schema: ValueSchema { shape?() ?? Value.schema }

    init(
        _ summary: String, name: String?, isAnyName: Bool = false, isRequired: Bool = false, example: String?,
        file: StaticString, line: UInt, schema: (@Sendable () -> ValueSchema)? = nil,
        contains: (@Sendable (Value) -> Bool)? = nil
    ) {
        (self.summary, self.name, self.isAnyName) = (summary, name, isAnyName)
        (self.isRequired, self.example) = (isRequired, example)
        (self.file, self.line) = (file, line)
        (shape, self.contains) = (schema, contains)
    }
}
