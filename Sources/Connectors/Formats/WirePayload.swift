import Pipeline

/// A payload that sinks write: as a message, as a line of text, as rows of a table.
///
/// Payloads of your own conform to ``MessagePayload``, which implements what begins with an underscore here.
public protocol WireEncodable: Payload {
    /// What it is, in a sentence without a full stop.
    static var summary: String { get }

    /// Visits its fields, in the order of its messages: the one declaration of what messages of it say.
    static func _visit<V: FieldVisitor<Self>>(_ fields: inout V) throws(V.Failure)

    /// What makes it a value that no reader would take back; `nil` when nothing does.
    var _encodingDefect: String? { get }

    /// Writes the keys and values of a payload, each with a comma in front. A requirement, although there is one implementation,
    /// so that the project's own payloads have code compiled for them.
    static func _encode(_ payload: UnsafePointer<Self>, into json: inout TextBuffer)

    /// Writes the rows of a payload, each beginning with `prefix`, into a table; the row that names the columns for `nil`.
    static func _write(rowsOf payload: Self?, _ prefix: TextBuffer, into csv: inout TextBuffer)

    /// Writes a human-readable summary of it, without a line feed.
    func _summarize(into text: inout TextBuffer)

    /// The sinks that are compiled for it.
    static var _sinks: CompiledSinks { get }
}

extension WireEncodable {
    /// What its messages say in addition to the keys of every frame.
    public static var messageFields: [FieldDescription] {
        let fields = FieldLister(Self.self)
        return WireKey.fields(fields.keys, required: fields.required) + fields.declared
    }

    /// Those of its keys that the project's own payloads have.
    static var wireKeys: WireKeys { FieldLister(Self.self).keys }

    /// Whether it writes a key itself. A key that came with a frame, unknown to us, is written again only if it does not.
    static func declares(_ key: String, _ known: WireKey?) -> Bool {
        let fields = FieldLister(Self.self)
        return known.map(fields.keys.contains) ?? false || fields.declared.contains { $0.name == key }
    }

    /// Most payloads can only be wrong in a number that is not finite, which is found while it is written.
    public var _encodingDefect: String? { nil }

    public static func _encode(_ payload: UnsafePointer<Self>, into json: inout TextBuffer) {
        withUnsafeMutablePointer(to: &json) { json in
            var writer = FieldWriter(payload: payload, json: json)
            Self._visit(&writer)
        }
    }

    /// Writes its keys and values, each with a comma in front.
    @inline(__always)
    func encode(into json: inout TextBuffer) { withUnsafePointer(to: self) { Self._encode($0, into: &json) } }
}

/// A payload that sources read: from messages, lines of text and rows of a table. See ``MessagePayload``.
public protocol WirePayload: WireEncodable {
    /// One whose fields are read next.
    static var _blank: Self { get }

    /// Reads its fields from a message. A requirement for the reason that ``WireEncodable/_encode(_:into:)`` is one.
    ///
    /// - Throws: A frame error for values that do not fit together: counts, names, ranges.
    static func _read(_ message: inout WireMessage) throws(PipelineError) -> Self

    /// Returns what makes such payloads of the rows of a table; `nil` when no table holds them.
    static func _parser(_ table: TableSettings) throws -> RowParser<Self>?

    /// When it happened, if its own fields have that: for messages without `t_us`.
    var _impliedTime: Timestamp? { get }

    /// Reads it from a message of another shape; `nil` as a result when the message reports that there is nothing. `nil` in place
    /// of the function when such payloads are read from canonical messages only.
    static var _mapping: (@Sendable (inout FieldMessage) throws(PipelineError) -> Self?)? { get }

    /// When it happened, by the times of its samples, if it has these.
    var _ownTime: Timestamp? { get }

    /// The sources that are compiled for it.
    static var _sources: CompiledSources { get }
}

extension WirePayload {
    /// Whether it is read from messages of other shapes, too.
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

    /// Most payloads are in no table.
    public static func _parser(_ table: TableSettings) throws -> RowParser<Self>? { nil }

    /// Most payloads have no time of their own.
    public var _impliedTime: Timestamp? { nil }

    /// Most payloads are only sent by the project's own sinks.
    public static var _mapping: (@Sendable (inout FieldMessage) throws(PipelineError) -> Self?)? { nil }

    /// Most payloads have no samples.
    public var _ownTime: Timestamp? { nil }
}
