import Pipeline

/// A field of a payload: its name, the property that holds it, and what it means.
public struct PayloadField<Root>: Sendable {
    /// Everything about it that does not depend on the payload.
    public let description: FieldDescription

    let read: @Sendable (Root) -> FieldContent?
    let write: @Sendable (FieldContent, inout Root) -> Void

    /// Declares a field.
    ///
    /// - Parameters:
    ///   - name: The key in messages and the column in tables, in `snake_case`, with its unit where that is a time: `hold_ms`.
    ///   - property: Where the value is.
    ///   - unit: The unit of its numbers.
    ///   - summary: What it says, in a sentence.
    public init<Value: FieldValue>(
        _ name: String, _ property: any WritableKeyPath<Root, Value> & Sendable, unit: String? = nil, _ summary: String
    ) {
        description = FieldDescription(
            name, Value._type, unit: unit, isOptional: Value._isOptional, summary)
        read = { $0[keyPath: property]._content }
        write = { if let value = Value(_content: $0) { $1[keyPath: property] = value } }
    }
}
