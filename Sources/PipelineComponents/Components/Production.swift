import Pipeline

/// The payloads that a component produces.
public enum Production: Sendable {
    /// The same payload as its input.
    case same

    /// One of the given port types.
    case one(of: [PortType])

    /// The registered payload that an option names.
    case registered
}

extension Production {
    /// Returns the production of a payload type without further attributes.
    public static func of<P: Payload>(_ payload: P.Type) -> Production { .one(of: [PortType(payload)]) }

    /// Returns the possible output ports for an input.
    package func ports(for input: PortType) -> [PortType] {
        switch self {
        case .same: [input]
        case .one(let ports): ports
        case .registered: []
        }
    }

    /// The production in words: `landmarks (hand21, y down) or hands`.
    var summary: String {
        switch self {
        case .same: "the same kind as its input"
        case .one(let ports): ports.list
        case .registered: "the payload that the option names"
        }
    }
}

extension Acceptance {
    /// The acceptance in words: `stroke or vector`.
    var summary: String {
        switch self {
        case .any: "any payload"
        case .one(let ports): ports.list
        case .aligned(let ports): "\(ports.list), two or more"
        }
    }
}

extension [PortType] {
    fileprivate var list: String {
        let names = map { port in
            let attributes = port.attributes.sorted { $0.key < $1.key }.map {
                $0.key == "y" ? "y \($0.value)" : $0.value
            }
            return attributes.isEmpty ? port.kind.rawValue : "\(port.kind) (\(attributes.joined(separator: ", ")))"
        }
        guard let last = names.last, names.count > 1 else { return names.first ?? "" }
        return names.dropLast().joined(separator: ", ") + " or \(last)"
    }
}
