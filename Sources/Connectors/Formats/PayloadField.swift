import Pipeline

/// A field of a payload: its name, its property and its meaning.
public struct PayloadField<Root>: Sendable {
    /// The description of the field, without its property.
    public let description: FieldDescription

    let read: @Sendable (Root) -> FieldContent?
    let write: @Sendable (FieldContent, inout Root) -> Void

    /// Declares a field.
    ///
    /// - Parameters:
    ///   - name: The key in messages and the column in tables, in `snake_case`. The name of a time ends in its unit, as in
    ///     `hold_ms`.
    ///   - property: The property that stores the value.
    ///   - unit: The unit of the numbers.
    ///   - summary: The meaning of the field, in one sentence.
    public init<Value: FieldValue>(
        _ name: String, _ property: any WritableKeyPath<Root, Value> & Sendable, unit: String? = nil, _ summary: String
    ) {
        description = FieldDescription(
            name, Value._type, unit: unit, isOptional: Value._isOptional, summary)
        read = { $0[keyPath: property]._content }
        write = { if let value = Value(_content: $0) { $1[keyPath: property] = value } }
    }
}
