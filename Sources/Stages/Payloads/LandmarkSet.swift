import Pipeline

/// A payload that contains landmarks: one set, or all hands of a frame. Stages that treat every set alike are generic over this
/// protocol.
public protocol LandmarkSet: Payload, Hashable {
    /// An empty value, to be filled in place.
    static var empty: Self { get }

    /// Calls a closure with each set.
    func forEach(_ body: (Landmarks) throws -> Void) rethrows

    /// Fills this value in place with one set for each set of `other`, reusing the memory.
    ///
    /// - Parameters:
    ///   - other: The sets to transform.
    ///   - body: Fills the new set from the old one. Before the call, the new set has its previous contents.
    mutating func fill(from other: Self, _ body: (_ old: Landmarks, _ new: inout Landmarks) throws -> Void) rethrows
}

extension Landmarks: LandmarkSet {
    public static var empty: Landmarks { Landmarks(points: []) }

    public func forEach(_ body: (Landmarks) throws -> Void) rethrows { try body(self) }

    public mutating func fill(
        from other: Landmarks, _ body: (_ old: Landmarks, _ new: inout Landmarks) throws -> Void
    ) rethrows {
        try body(other, &self)
    }
}

extension Hands: LandmarkSet {
    public static var empty: Hands { Hands(hands: []) }

    public func forEach(_ body: (Landmarks) throws -> Void) rethrows { for hand in hands { try body(hand) } }

    public mutating func fill(
        from other: Hands, _ body: (_ old: Landmarks, _ new: inout Landmarks) throws -> Void
    ) rethrows {
        hands.resize(to: other.hands.count, filler: .empty)
        for (index, hand) in other.hands.enumerated() { try body(hand, &hands[index]) }
    }
}

extension Landmarks {
    /// Copies all properties, reusing the memory.
    mutating func copy(_ other: Landmarks) {
        copyHeader(of: other)
        points.copy(other.points)
        confidences.copy(other.confidences)
        world.copy(other.world)
    }

    /// Copies all properties except points, confidences and world.
    mutating func copyHeader(of other: Landmarks) {
        topology = other.topology
        space = other.space
        hasDepth = other.hasDepth
        handedness = other.handedness
        handednessScore = other.handednessScore
        score = other.score
        presence = other.presence
        track = other.track
        doubt = other.doubt
        label = other.label
    }
}

extension Array {
    /// Copies the elements of another array, reusing the memory.
    fileprivate mutating func copy(_ other: [Element]) {
        removeAll(keepingCapacity: other.count <= 65_536)
        append(contentsOf: other)
    }
}

/// The ports of a stage that accepts both landmarks and hands.
let landmarkSetPorts = [PortType(Landmarks.self), PortType(Hands.self)]

/// The port of a stage that accepts one hand whose y grows downward.
let handPort = PortType(
    Landmarks.self, attributes: ["y": VerticalDirection.down.rawValue, "topology": Topology.hand21.identifier])
