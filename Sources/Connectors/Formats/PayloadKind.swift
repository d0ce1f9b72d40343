import Pipeline
import PipelineComponents
import Stages

/// What a source is told that its messages carry: a payload type that is registered.
public struct PayloadKind: OptionValue, Hashable {
    /// The payload type, to be opened by a generic function.
    package let type: any WirePayload.Type

    /// The kind of a payload type.
    public init(_ payload: any WirePayload.Type) { type = payload }

    /// The kind of what a port brings; `nil` when no source can read it.
    package init?(of port: PortType) {
        guard let payload = port.payload as? any WirePayload.Type else { return nil }
        type = payload
    }

    /// Pieces of strokes as they are drawn.
    public static let points = PayloadKind(Points.self)
    /// Finished gestures.
    public static let stroke = PayloadKind(Stroke.self)
    /// Sets of landmarks.
    public static let landmarks = PayloadKind(Landmarks.self)
    /// The hands of camera frames.
    public static let hands = PayloadKind(Hands.self)
    /// The hands of camera frames with what they show.
    public static let results = PayloadKind(HandResults.self)
    /// Numbers that a matcher compares.
    public static let vector = PayloadKind(FeatureVector.self)
    /// Pictures of eight by eight cells.
    public static let bitmap = PayloadKind(Bitmap.self)
    /// What a matcher found.
    public static let recognition = PayloadKind(Recognition.self)
    /// Smoothed strokes with their widths.
    public static let ink = PayloadKind(Ink.self)

    /// The name in configurations and messages.
    public var name: String { type.kind.rawValue }

    /// The keys that every frame has, whatever it carries.
    package static var envelope: [FieldDescription] { WireKey.fields(.envelope, required: []) }

    /// Whether it holds landmarks, of which a source can be told what they are.
    var holdsLandmarks: Bool { self == .landmarks || self == .hands || self == .results }

    /// Whether it is a payload that declares its fields.
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
    /// Registers a payload type, so that sources can bring it: `kind: length`. One of the same name is replaced.
    ///
    /// Its fields may have any names but those that every message has: `v`, `kind`, `stream`, `seq`, `t_us`, `recv_us`, `clock`,
    /// `file`, `line`, `end`, `quiet`.
    public mutating func add<P: WirePayload>(payload: P.Type) {
        precondition(
            P.messageFields.allSatisfy { !WireKeys.envelope.contains(named: $0.name) },
            "a field of \(P.kind) is named as what every message has")
        add(payloadType: P.self)
        add(FrameNotation<P>.canonical)
    }

    /// The kinds that sources can bring, in the order registered.
    package var kinds: [PayloadKind] { payloads.compactMap { PayloadKind(of: PortType($0)) } }
}

extension [PayloadKind] {
    /// The kind of a name.
    package subscript(name: String) -> PayloadKind? { first { $0.name == name } }
}
