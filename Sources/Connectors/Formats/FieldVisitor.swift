import Pipeline

/// Goes through the fields of a payload in the order of its messages: to write them, to read them or to list them.
///
/// A payload declares its fields once, in `_visit(_:)`; everything that a format needs follows from that. The
/// function is generic so that the compiler turns each pass over a payload into code without calls. Payloads of your own declare
/// ``MessagePayload/fields`` instead.
public protocol FieldVisitor<Root> {
    /// The payload.
    associatedtype Root

    /// What a pass throws: reading fails, writing does not.
    associatedtype Failure: Error

    /// Visits a part of a payload that is one key of its messages, or several that depend on each other.
    ///
    /// - Parameters:
    ///   - keys: The keys.
    ///   - required: Those of them that a message must have.
    ///   - write: Writes the keys with their values, each with a comma in front. It is lent the payload: a copy would count
    ///     references for every field.
    ///   - read: Takes the values that a message has.
    mutating func visit(
        _ keys: @autoclosure () -> WireKeys, required: @autoclosure () -> WireKeys,
        write: (UnsafePointer<Root>, inout TextBuffer) -> Void,
        read: (inout Root, inout WireMessage) throws(PipelineError) -> Void
    ) throws(Failure)

    /// Visits a field of a payload of your own, of which `index` is the position.
    mutating func visit(_ field: PayloadField<Root>, _ index: Int) throws(Failure)
}

extension FieldVisitor {
    /// Visits one key, which messages may leave out.
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

/// Fills the fields of a payload with what a message has.
struct FieldReader<Root: WirePayload>: FieldVisitor {
    // Pointers: both are large, and neither is copied.
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
    /// The keys of the project's own payloads.
    private(set) var keys: WireKeys = []
    /// Those of them that a message must have.
    private(set) var required: WireKeys = []
    /// The fields of a payload of your own.
    private(set) var declared: [FieldDescription] = []

    /// Lists all fields of a payload.
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
