import Pipeline
import PipelineComponents
import Stages

/// The kind of payload that a source's messages carry: a registered payload type.
public struct PayloadKind: OptionValue, Hashable {
    /// The payload type, with which a generic function can be called.
    package let type: any WirePayload.Type

    /// Creates the kind of a payload type.
    public init(_ payload: any WirePayload.Type) { type = payload }

    /// Creates the kind of a port's payload. Returns `nil` if no source can read that payload.
    package init?(of port: PortType) {
        guard let payload = port.payload as? any WirePayload.Type else { return nil }
        type = payload
    }

    /// Pieces of strokes while they are being drawn.
    public static let points = PayloadKind(Points.self)
    /// Finished gestures.
    public static let stroke = PayloadKind(Stroke.self)
    /// Sets of landmarks.
    public static let landmarks = PayloadKind(Landmarks.self)
    /// The hands in camera frames.
    public static let hands = PayloadKind(Hands.self)
    /// The hands in camera frames, with the gestures they show.
    public static let results = PayloadKind(HandResults.self)
    /// Feature vectors that a matcher compares.
    public static let vector = PayloadKind(FeatureVector.self)
    /// 8×8 bitmaps.
    public static let bitmap = PayloadKind(Bitmap.self)
    /// The results of a matcher.
    public static let recognition = PayloadKind(Recognition.self)
    /// Smoothed strokes with their widths.
    public static let ink = PayloadKind(Ink.self)

    /// The name in configurations and messages.
    public var name: String { type.kind.rawValue }

    /// The fields that every frame has, regardless of its payload.
    package static var envelope: [FieldDescription] { WireKey.fields(.envelope, required: []) }

    /// Whether the payload contains landmarks, whose traits a source can be given.
    var holdsLandmarks: Bool { self == .landmarks || self == .hands || self == .results }

    /// Whether the payload type declares its fields.
    var declaresFields: Bool { type is any MessagePayload.Type }

    public static func == (a: PayloadKind, b: PayloadKind) -> Bool {
        ObjectIdentifier(a.type) == ObjectIdentifier(b.type)
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(type)) }

    public static var schema: ValueSchema { .payload }
    public var yaml: String? { name }

    public static func decode(_ node: ConfigNode, _ context: DecodingContext) -> PayloadKind? {
        let kinds = context.payloads.map { $0.compactMap { PayloadKind(of: PortType($0)) } } ?? standard
        guard let name = context.choice(node, of: kinds.map(\.name)) else { return nil }
        return kinds.first { $0.name == name }
    }
}

extension Registry {
    /// Registers a payload type, so that sources can produce it: `kind: length`. It replaces a type of the same name.
    ///
    /// Its fields can have any names except those that every message has: `v`, `kind`, `stream`, `seq`, `t_us`, `recv_us`, `clock`,
    /// `file`, `line`, `end`, `restarts`, `quiet`.
    public mutating func add<P: WirePayload>(payload: P.Type) {
        precondition(
            P.messageFields.allSatisfy { !WireKeys.envelope.contains(named: $0.name) },
            "a field of \(P.kind) has the name of a key that every message has")
        add(payloadType: P.self)
        add(FrameNotation<P>.canonical)
    }

    /// The kinds that sources can produce, in the order of registration.
    package var kinds: [PayloadKind] { payloads.compactMap { PayloadKind(of: PortType($0)) } }
}

extension [PayloadKind] {
    /// Returns the kind with a name.
    package subscript(name: String) -> PayloadKind? { first { $0.name == name } }
}
