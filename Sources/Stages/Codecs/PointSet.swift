import Pipeline

/// One point of a message, with whatever its sender said of it.
struct MessagePoint: Sendable {
    var x = 0.0
    var y = 0.0
    var z = 0.0
    /// Time, in the unit of the message.
    var t = 0.0
    var p = 0.0
    /// Confidence.
    var c = 0.0
}

/// What is known of the points of a set beside x and y.
struct PointKnowledge: OptionSet, Sendable {
    let rawValue: UInt8

    static let z = PointKnowledge(rawValue: 1)
    static let t = PointKnowledge(rawValue: 2)
    static let p = PointKnowledge(rawValue: 4)
    static let c = PointKnowledge(rawValue: 8)
}

/// A set of points of a message: a hand, a body, a stroke. Kept from one message to the next.
struct PointSet: Sendable {
    /// Which `[*]` it stands below: what belongs to one set has the same.
    var key = 0
    /// The field its points came from.
    var field = MessageField.points
    /// Whether there were points, and not only what belongs to them.
    var isThere = false
    var points: [MessagePoint] = []
    var known: PointKnowledge = []
    /// Whether points came as objects. In those a confidence of 0 everywhere means that nobody measured it.
    var isOfObjects = false
    /// Places in metres.
    var world: [Landmarks.Point] = []
    /// How sure its sender is of each of these; empty when it does not say.
    var worldConfidences: [Double] = []
    var confidences: [Double] = []
    var handedness: String?
    var handednessScore: Double?
    var score: Double?
    var presence: Double?
    var track: Int?

    /// Begins anew for another set.
    mutating func reset(key: Int, field: MessageField) {
        self.key = key
        self.field = field
        forgetPoints()
        forgetWorld()
        confidences.removeAll(keepingCapacity: true)
        (handedness, handednessScore, score, presence, track) = (nil, nil, nil, nil, nil)
    }

    /// Forgets its points.
    mutating func forgetPoints() {
        isThere = false
        points.removeAll(keepingCapacity: true)
        known = []
        isOfObjects = false
    }

    /// Forgets its places in metres.
    mutating func forgetWorld() {
        world.removeAll(keepingCapacity: true)
        worldConfidences.removeAll(keepingCapacity: true)
    }

    /// Adds a point of numbers in a row.
    mutating func append(_ numbers: ArraySlice<Double>, _ fields: PointFields) {
        var point = MessagePoint()
        for (slot, number) in zip(fields.slots, numbers) {
            switch slot {
            case .x: point.x = number
            case .y: point.y = number
            case .z: (point.z, known) = (number, known.union(.z))
            case .t: (point.t, known) = (number, known.union(.t))
            case .p: (point.p, known) = (number, known.union(.p))
            case .c: (point.c, known) = (number, known.union(.c))
            }
        }
        points.append(point)
    }

    /// Whether nobody has seen any of its points: what OpenPose writes where there is no hand.
    var isUnseen: Bool { known.contains(.c) && !isOfObjects && !points.isEmpty && points.allSatisfy { $0.c <= 0 } }

    /// The same of its places in metres: what OpenPose writes where it could not tell them.
    var isWorldUnseen: Bool { !worldConfidences.isEmpty && worldConfidences.allSatisfy { $0 <= 0 } }

    /// How sure its sender is of each point; empty when it does not say.
    var pointConfidences: [Double] {
        if !confidences.isEmpty { return confidences }
        guard known.contains(.c), !isOfObjects || points.contains(where: { $0.c != 0 }) else { return [] }
        return points.map(\.c)
    }
}
