import Pipeline

/// One option of a component, declared once, on the property that stores its value.
///
/// ```swift
/// @Option("Number of points after resampling.", in: 2...65_536) public var points = 64
/// ```
///
/// Decoding, checking, `pipectl stages`, the JSON Schema, completion and the reference are all derived from this declaration. The
/// name in YAML is the name of the property (`holdMs` is `hold_ms`), the default is the property's initial value, and the unit is
/// the suffix of the name.
///
/// A value is always within its range. A configuration with a value out of range gets a finding. A program that assigns a value
/// out of range stops with a message that names the declaration of the option and the allowed values.
@propertyWrapper
public struct Option<Value: OptionValue>: Sendable {
    @usableFromInline var box: OptionBox<Value>

    /// The value. Assigning a value out of range is a programming error and stops the program.
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

    /// Declares an option of any type.
    ///
    /// - Parameters:
    ///   - wrappedValue: The default.
    ///   - summary: One sentence.
    ///   - name: The key in YAML, if it does not follow from the property's name.
    ///   - isRequired: Whether a configuration must set the option.
    ///   - example: A value for the documentation, as YAML, if the default is not a good example.
    ///   - file: The file of the declaration, for the message about a value out of range.
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

    /// Declares an option that is absent by default.
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

    /// Declares a number that is absent by default, with its range.
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

    /// Declares an option that collects the values of all keys that the other options do not declare. The user chooses these keys.
    ///
    /// - Parameters:
    ///   - wrappedValue: The default.
    ///   - placeholder: The name that stands for these keys in the documentation.
    ///   - summary: One sentence.
    ///   - example: A value for the documentation, as YAML, if the default is not a good example.
    ///   - file: The file of the declaration, for the message about a value out of range.
    ///   - line: The line of the declaration.
    public init<Element>(
        wrappedValue: Value, anyName placeholder: String, _ summary: String, example: String? = nil,
        file: StaticString = #fileID, line: UInt = #line
    ) where Value == NamedOptions<Element> {
        self.init(
            wrappedValue,
            OptionDeclaration(
                summary, name: placeholder, isAnyName: true, example: example, file: file, line: line))
    }

    /// Declares an option with a given schema that its component decodes itself.
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
    /// Returns whether the values are equal.
    public static func == (a: Option, b: Option) -> Bool { a.box.value == b.box.value }
}

extension Option: Hashable where Value: Hashable {
    public func hash(into hasher: inout Hasher) { hasher.combine(box.value) }
}

/// The storage of an option's value. It is a reference type, so that decoding can change the value through a mirror of the options.
@usableFromInline
final class OptionBox<Value: OptionValue>: @unchecked Sendable {
    // Safe to send, without synchronization of reads: two copies of an option share a box only until one of them is assigned, and
    // only the sole owner of a box writes to it.
    @exclusivity(unchecked) @usableFromInline final var value: Value
    let declaration: OptionDeclaration<Value>

    init(_ value: Value, _ declaration: OptionDeclaration<Value>) {
        self.value = value
        self.declaration = declaration
    }

    /// Stops the program if a value is out of range.
    func require(_ value: Value) {
        guard let contains = declaration.contains, !contains(value) else { return }
        // A precondition prints no message in a release build.
        fatalError(
            "the option \"\(declaration.summary)\" must be \(declaration.schema.allowed), not \(value.yaml ?? "absent")",
            file: declaration.file, line: declaration.line)
    }
}

/// The declaration of an option.
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

    /// The schema of the allowed values.
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
