import Pipeline

/// A payload that sinks write: as a message, as a line of text, as rows of a table.
///
/// Payloads of your own conform to ``MessagePayload``, which declares what begins with an underscore here; that is for the codecs
/// alone.
public protocol WireEncodable: Payload {
    /// What it is, in a sentence without a full stop.
    static var summary: String { get }

    /// What its messages say beside what every message does.
    static var messageFields: [FieldDescription] { get }

    /// Those of its keys that the project's own payloads have. A key that came with a frame unknown to us is written again only
    /// if it is none of these.
    static var _wireKeys: WireKeys { get }

    /// Those of them that a message must have.
    static var _requiredKeys: WireKeys { get }

    /// Whether a key is one that the payload declares itself.
    static func _declares(_ key: String) -> Bool

    /// What makes it a value that no reader would take back; `nil` when nothing does.
    var _encodingDefect: String? { get }

    /// Writes its keys and values, each with a comma in front.
    func _encode(into json: inout TextBuffer)

    /// The columns it has in a CSV file, behind `stream`, `seq` and `t_us`.
    static var _columns: String { get }

    /// Writes its rows, each beginning with `prefix` and ending with a line feed.
    func _encodeRows(_ prefix: TextBuffer, into csv: inout TextBuffer)

    /// Writes what a person wants to see of it, without a line feed.
    func _summarize(into text: inout TextBuffer)

    /// The sinks that are compiled for it.
    static var _sinks: CompiledSinks { get }
}

extension WireEncodable {
    public static var messageFields: [FieldDescription] { WireKey.fields(_wireKeys, required: _requiredKeys) }

    public static var _requiredKeys: WireKeys { [] }

    public static func _declares(_ key: String) -> Bool { false }

    /// Most payloads can only be wrong in a number that is not finite, which is found while it is written.
    public var _encodingDefect: String? { nil }
}

/// A payload that sources read: from messages, lines of text and rows of a table. See ``MessagePayload``.
public protocol WirePayload: WireEncodable {
    /// Makes one of what a message said.
    ///
    /// - Throws: A frame error for what does not fit together: counts, names, ranges.
    init(_ message: inout WireMessage) throws(PipelineError)

    /// What makes such payloads of the rows of a table; `nil` when no table holds them.
    static func _rows(_ table: TableSettings) throws -> RowParser<Self>?

    /// When it happened, if it says so itself: for messages without `t_us`.
    var _impliedTime: Timestamp? { get }

    /// Whether messages of other shapes than ours can hold it.
    static var _canBeMapped: Bool { get }

    /// Makes one of what a message of another shape said; `nil` when it says that there is nothing.
    ///
    /// - Throws: A frame error for what does not fit together.
    init?(_ message: FieldMessage) throws(PipelineError)

    /// When it happened, by the times of its samples, if these are told.
    var _ownTime: Timestamp? { get }

    /// The sources that are compiled for it.
    static var _sources: CompiledSources { get }
}

extension WirePayload {
    /// Most payloads are in no table.
    public static func _rows(_ table: TableSettings) throws -> RowParser<Self>? { nil }

    /// Most payloads do not say.
    public var _impliedTime: Timestamp? { nil }

    /// Most payloads are only sent by us.
    public static var _canBeMapped: Bool { false }

    /// Most payloads are only sent by us.
    public init?(_ message: FieldMessage) throws(PipelineError) {
        throw .frame("decode.kind", "a \(Self.kind) is read from canonical messages only")
    }

    /// Most payloads have no samples.
    public var _ownTime: Timestamp? { nil }
}
