/// What travels on an edge: a payload type and the attributes that its values share.
///
/// Two ports fit when the payload types are the same and no attribute that both sides name differs.
public struct PortType: Sendable, CustomStringConvertible {
    /// The Swift type of the payload.
    public let payload: any Payload.Type

    /// What is known of all values: `space` (`normalized`, `pixels`, `world`, `unitless`), `y` (`up`, `down`),
    /// `topology`, `dimension`. An attribute that is not there is not known.
    public var attributes: [String: String]

    /// The port type of a payload with what is known of it.
    public init(_ payload: any Payload.Type, attributes: [String: String] = [:]) {
        self.payload = payload
        self.attributes = attributes
    }

    /// The name of the payload type.
    public var kind: Kind { payload.kind }

    /// Whether this port carries values of the Swift type `other` does.
    public func isSamePayload(as other: PortType) -> Bool {
        ObjectIdentifier(payload) == ObjectIdentifier(other.payload)
    }

    /// The attributes that both sides name and that differ, in alphabetical order.
    public func conflicts(with required: PortType) -> [(name: String, found: String, wanted: String)] {
        required.attributes.sorted { $0.key < $1.key }.compactMap { name, wanted in
            guard let found = attributes[name], found != wanted else { return nil }
            return (name, found, wanted)
        }
    }

    public var description: String {
        guard !attributes.isEmpty else { return kind.rawValue }
        let list = attributes.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        return "\(kind) (\(list.joined(separator: ", ")))"
    }
}
