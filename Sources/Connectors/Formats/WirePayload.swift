import Pipeline

/// A payload that sinks can write: as a message, as a line of text, or as rows of a table.
///
/// Your own payload types conform to ``MessagePayload``, which implements the requirements that begin with an underscore.
public protocol WireEncodable: Payload {
    /// A short description of the payload type, without a period at the end.
    static var summary: String { get }

    /// Visits the fields of the payload type, in the order in which messages have them. This is the only declaration of the fields.
    static func _visit<V: FieldVisitor<Self>>(_ fields: inout V) throws(V.Failure)

    /// The reason why no reader would accept the payload; `nil` if there is none.
    var _encodingDefect: String? { get }

    /// Writes the keys and values of a payload, with a comma before each key. It has only one implementation, but is a requirement
    /// so that the payloads of this project get specialized code.
    static func _encode(_ payload: UnsafePointer<Self>, into json: inout TextBuffer)

    /// Writes the rows of a payload into a table. Each row begins with `prefix`. For `nil`, writes one row without values, which is
    /// the header if `csv` writes the names of columns.
    static func _write(rowsOf payload: Self?, _ prefix: TextBuffer, into csv: inout TextBuffer)

    /// Writes a human-readable summary of the payload, without a line feed.
    func _summarize(into text: inout TextBuffer)

    /// The sinks that are specialized for the payload type.
    static var _sinks: CompiledSinks { get }
}

extension WireEncodable {
    /// The fields of a message, in addition to the keys that every message has.
    public static var messageFields: [FieldDescription] {
        let fields = FieldLister(Self.self)
        return WireKey.fields(fields.keys, required: fields.required) + fields.declared
    }

    /// The predefined keys that the payload uses; empty for a ``MessagePayload``.
    static var wireKeys: WireKeys { FieldLister(Self.self).keys }

    /// Returns whether the payload writes a key. An unknown key in a frame's origin is written only if the payload does not write
    /// it.
    static func declares(_ key: String, _ known: WireKey?) -> Bool {
        let fields = FieldLister(Self.self)
        return known.map(fields.keys.contains) ?? false || fields.declared.contains { $0.name == key }
    }

    /// The default is `nil`. A number that is not finite is also an error, but it is found during writing.
    public var _encodingDefect: String? { nil }

    public static func _encode(_ payload: UnsafePointer<Self>, into json: inout TextBuffer) {
        withUnsafeMutablePointer(to: &json) { json in
            var writer = FieldWriter(payload: payload, json: json)
            Self._visit(&writer)
        }
    }

    /// Writes the keys and values of the payload, with a comma before each key.
    @inline(__always)
    func encode(into json: inout TextBuffer) { withUnsafePointer(to: self) { Self._encode($0, into: &json) } }
}

/// A payload that sources can read: from messages, lines of text, or rows of a table. See ``MessagePayload``.
public protocol WirePayload: WireEncodable {
    /// An empty payload, whose fields are then set from a message.
    static var _blank: Self { get }

    /// Creates a payload from the values of a message. It is a requirement for the same reason as
    /// ``WireEncodable/_encode(_:into:)``.
    ///
    /// - Throws: A frame error if a value is missing or out of range, or if values contradict each other.
    static func _read(_ message: inout WireMessage) throws(PipelineError) -> Self

    /// Returns a parser that creates payloads from the rows of a table; `nil` if a table cannot contain such payloads.
    static func _parser(_ table: TableSettings) throws -> RowParser<Self>?

    /// The timestamp of a canonical message that has `start_us` but no `t_us`; `nil` if the payload does not determine it.
    var _impliedTime: Timestamp? { get }

    /// A function that creates a payload from a message that is not canonical. It returns `nil` if the message reports that nothing
    /// was detected. The property is `nil` if such payloads can be read only from canonical messages.
    static var _mapping: (@Sendable (inout FieldMessage) throws(PipelineError) -> Self?)? { get }

    /// The time of the payload's last sample; `nil` if its samples have no times. A message that is not canonical and has no time
    /// of its own gets this timestamp.
    var _ownTime: Timestamp? { get }

    /// The sources that are specialized for the payload type.
    static var _sources: CompiledSources { get }
}

extension WirePayload {
    /// Whether the payload can be read from messages that are not canonical.
    static var canBeMapped: Bool { _mapping != nil }

    public static func _read(_ message: inout WireMessage) throws(PipelineError) -> Self {
        var payload = Self._blank
        try withUnsafeMutablePointer(to: &payload) { payload throws(PipelineError) in
            try withUnsafeMutablePointer(to: &message) { message throws(PipelineError) in
                var reader = FieldReader(payload: payload, message: message)
                try Self._visit(&reader)
            }
        }
        return payload
    }

    /// The default is `nil`: a table cannot contain the payload.
    public static func _parser(_ table: TableSettings) throws -> RowParser<Self>? { nil }

    /// The default is `nil`: the payload does not determine the timestamp.
    public var _impliedTime: Timestamp? { nil }

    /// The default is `nil`: the payload can be read only from canonical messages.
    public static var _mapping: (@Sendable (inout FieldMessage) throws(PipelineError) -> Self?)? { nil }

    /// The default is `nil`: the payload has no samples with times.
    public var _ownTime: Timestamp? { nil }
}
