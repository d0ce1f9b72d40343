import Pipeline

/// What holds landmarks: one set of them, or all hands of a frame. Stages that treat every hand alike are written once, for both.
public protocol LandmarkSet: Payload, Hashable {
    /// Nothing, to be filled in place.
    static var empty: Self { get }

    /// The sets it holds, one after the other.
    func forEach(_ body: (Landmarks) throws -> Void) rethrows

    /// Fills this one in place, one set for each of `other`: its memory is used again.
    ///
    /// - Parameters:
    ///   - other: The sets to make new ones of.
    ///   - body: Makes the new set of the old one. What it finds in the new one is what was left there.
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
    /// Takes over everything, into the memory it has.
    mutating func copy(_ other: Landmarks) {
        copyHeader(of: other)
        points.copy(other.points)
        confidences.copy(other.confidences)
        world.copy(other.world)
    }

    /// Takes over everything but points, confidences and world.
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
    /// Takes over the elements of another array, into the memory it has.
    fileprivate mutating func copy(_ other: [Element]) {
        removeAll(keepingCapacity: other.count <= 65_536)
        append(contentsOf: other)
    }
}

/// The ports of a stage that takes landmarks and hands alike.
let landmarkSetPorts = [PortType(Landmarks.self), PortType(Hands.self)]

/// The port of a stage that takes one hand, whose y grows downwards.
let handPort = PortType(
    Landmarks.self, attributes: ["y": VerticalDirection.down.rawValue, "topology": Topology.hand21.identifier])
