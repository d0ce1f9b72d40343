import Pipeline

/// A visitor of the fields of a payload, in the order in which messages have them. It writes, reads or lists the fields.
///
/// A payload declares its fields once, in `_visit(_:)`, for all visitors. That function is generic, so that the compiler can inline
/// each pass over a payload. Your own payload types declare ``MessagePayload/fields`` instead.
public protocol FieldVisitor<Root> {
    /// The payload type.
    associatedtype Root

    /// The error that a visit can throw. Only reading can fail.
    associatedtype Failure: Error

    /// Visits a part of a payload that messages store under one key, or under several keys that depend on each other.
    ///
    /// - Parameters:
    ///   - keys: The keys.
    ///   - required: The keys that a message must have.
    ///   - write: Writes the keys with their values, with a comma before each key. It receives a pointer to the payload, because a
    ///     copy would retain every reference in it.
    ///   - read: Sets the part of the payload from the values of a message.
    mutating func visit(
        _ keys: @autoclosure () -> WireKeys, required: @autoclosure () -> WireKeys,
        write: (UnsafePointer<Root>, inout TextBuffer) -> Void,
        read: (inout Root, inout WireMessage) throws(PipelineError) -> Void
    ) throws(Failure)

    /// Visits a field that a ``MessagePayload`` declares. `index` is its position in ``MessagePayload/fields``.
    mutating func visit(_ field: PayloadField<Root>, _ index: Int) throws(Failure)
}

extension FieldVisitor {
    /// Visits one key, which messages can omit.
    @inline(__always)
    mutating func visit(
        _ key: WireKey, _ write: (UnsafePointer<Root>, inout TextBuffer) -> Void,
        _ read: (inout Root, inout WireMessage) throws(PipelineError) -> Void
    ) throws(Failure) {
        try visit(WireKeys(key), required: [], write: write, read: read)
    }
}

/// Writes the fields of a payload as JSON.
struct FieldWriter<Root: WireEncodable>: FieldVisitor {
    let payload: UnsafePointer<Root>
    let json: UnsafeMutablePointer<TextBuffer>

    @inline(__always)
    mutating func visit(
        _ keys: @autoclosure () -> WireKeys, required: @autoclosure () -> WireKeys,
        write: (UnsafePointer<Root>, inout TextBuffer) -> Void,
        read: (inout Root, inout WireMessage) throws(PipelineError) -> Void
    ) {
        write(payload, &json.pointee)
    }

    mutating func visit(_ field: PayloadField<Root>, _ index: Int) {
        guard let content = field.read(payload.pointee) else { return }
        json.pointee.literal(",")
        json.pointee.quoted(field.description.name)
        json.pointee.literal(":")
        json.pointee.json(content)
    }
}

/// Sets the fields of a payload from the values of a message.
struct FieldReader<Root: WirePayload>: FieldVisitor {
    // Pointers, because both values are large and must not be copied.
    let payload: UnsafeMutablePointer<Root>
    let message: UnsafeMutablePointer<WireMessage>

    @inline(__always)
    mutating func visit(
        _ keys: @autoclosure () -> WireKeys, required: @autoclosure () -> WireKeys,
        write: (UnsafePointer<Root>, inout TextBuffer) -> Void,
        read: (inout Root, inout WireMessage) throws(PipelineError) -> Void
    ) throws(PipelineError) {
        try read(&payload.pointee, &message.pointee)
    }

    mutating func visit(_ field: PayloadField<Root>, _ index: Int) throws(PipelineError) {
        if let content = message.pointee.declared.contents[index] {
            field.write(content, &payload.pointee)
        } else if !field.description.isOptional {
            throw message.pointee.declared.missing(index)
        }
    }
}

/// Lists the fields of a payload.
struct FieldLister<Root: WireEncodable>: FieldVisitor {
    /// The keys under which messages store the payload.
    private(set) var keys: WireKeys = []
    /// The keys that a message must have.
    private(set) var required: WireKeys = []
    /// The fields that a ``MessagePayload`` declares.
    private(set) var declared: [FieldDescription] = []

    /// Lists all fields of a payload type.
    init(_ payload: Root.Type) { payload._visit(&self) }

    mutating func visit(
        _ keys: @autoclosure () -> WireKeys, required: @autoclosure () -> WireKeys,
        write: (UnsafePointer<Root>, inout TextBuffer) -> Void,
        read: (inout Root, inout WireMessage) throws(PipelineError) -> Void
    ) {
        self.keys.formUnion(keys())
        self.required.formUnion(required())
    }

    mutating func visit(_ field: PayloadField<Root>, _ index: Int) { declared.append(field.description) }
}
