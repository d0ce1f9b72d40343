/// The type of the frames on an edge: a payload type and the attributes that all values share.
///
/// Two ports are compatible if the payload types are equal and every attribute that both sides specify has the same value.
public struct PortType: Sendable, CustomStringConvertible {
    /// The Swift type of the payload.
    public let payload: any Payload.Type

    /// The attributes that are known for all values: `space` (`normalized`, `pixels`, `world`, `unitless`), `y` (`up`, `down`),
    /// `topology`, `dimension`. A missing attribute is unknown.
    public var attributes: [String: String]

    /// Creates the port type of a payload with its known attributes.
    public init(_ payload: any Payload.Type, attributes: [String: String] = [:]) {
        self.payload = payload
        self.attributes = attributes
    }

    /// The name of the payload type.
    public var kind: Kind { payload.kind }

    /// Returns whether both ports have the same Swift type of payload.
    public func isSamePayload(as other: PortType) -> Bool {
        ObjectIdentifier(payload) == ObjectIdentifier(other.payload)
    }

    /// Returns the attributes that both sides specify with different values, in alphabetical order.
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
