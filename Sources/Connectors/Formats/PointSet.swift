import Pipeline
import Stages

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

/// Where the numbers of a point stand among its numbers in a row; −1 for those that are not there.
private struct PointPlaces {
    var (x, y, z, t, p, c) = (-1, -1, -1, -1, -1, -1)
    var known: PointKnowledge = []

    init(_ fields: PointFields) {
        for (place, slot) in fields.slots.enumerated() {
            switch slot {
            case .x: x = place
            case .y: y = place
            case .z: (z, known) = (place, known.union(.z))
            case .t: (t, known) = (place, known.union(.t))
            case .p: (p, known) = (place, known.union(.p))
            case .c: (c, known) = (place, known.union(.c))
            }
        }
    }
}

/// Points as they were read, all of one set.
struct PointList: Sendable {
    var points: [MessagePoint] = []
    var known: PointKnowledge = []
    /// Whether points came as objects. In those a confidence of 0 everywhere means that nobody measured it.
    var isOfObjects = false

    /// Forgets the points.
    mutating func forget() {
        points.removeAll(keepingCapacity: true)
        (known, isOfObjects) = ([], false)
    }

    /// Adds points, each of as many numbers in a row as `fields` names.
    mutating func append(_ numbers: UnsafeBufferPointer<Double>, _ fields: PointFields) {
        let (width, places) = (fields.slots.count, PointPlaces(fields))
        known.formUnion(places.known)
        points.reserveCapacity(points.count + numbers.count / width)
        for start in stride(from: 0, to: numbers.count, by: width) {
            func number(_ place: Int) -> Double { place < 0 ? 0 : numbers[start + place] }
            points.append(
                MessagePoint(
                    x: number(places.x), y: number(places.y), z: number(places.z), t: number(places.t),
                    p: number(places.p), c: number(places.c)))
        }
    }

    /// Adds a point that came as an object.
    mutating func append(_ point: ObjectPoint) {
        isOfObjects = true
        known.formUnion(point.known)
        points.append(point.point)
    }

    /// How sure the sender is of each point; empty when it does not say.
    var confidences: [Double] {
        guard known.contains(.c), !isOfObjects || points.contains(where: { $0.c != 0 }) else { return [] }
        return points.map(\.c)
    }

    /// Whether nobody has seen any of the points: what OpenPose writes where there is no hand.
    var isUnseen: Bool { known.contains(.c) && !isOfObjects && !points.isEmpty && points.allSatisfy { $0.c <= 0 } }

    /// The points as places.
    var places: [Landmarks.Point] { points.map { Landmarks.Point(x: $0.x, y: $0.y, z: $0.z) } }
}

/// A set of points of a message: a hand, a body, a stroke. Kept from one message to the next.
struct PointSet: Sendable {
    /// Which `[*]` it stands below: what belongs to one set has the same.
    var key = 0
    /// The field its points came from.
    var field = MessageField.points
    /// Whether there were points, and not only what belongs to them.
    var isThere = false
    /// Its points.
    var seen = PointList()
    /// The same in metres.
    var world = PointList()
    var confidences: [Double] = []
    /// The numbers of its points, until it is known what they are.
    var flat: [Double] = []
    var layout: PointFields?
    var handedness: String?
    var handednessScore: Double?
    var score: Double?
    var presence: Double?
    var track: Int?
    var topology: String?
    var space: String?
    var doubt: String?
    var label: String?

    /// Begins anew for another set.
    mutating func reset(key: Int, field: MessageField) {
        self.key = key
        self.field = field
        forgetPoints()
        world.forget()
        confidences.removeAll(keepingCapacity: true)
        layout = nil
        (handedness, handednessScore, score, presence, track) = (nil, nil, nil, nil, nil)
        (topology, space, doubt, label) = (nil, nil, nil, nil)
    }

    /// Forgets its points.
    mutating func forgetPoints() {
        isThere = false
        seen.forget()
        flat.removeAll(keepingCapacity: true)
    }

    /// How sure its sender is of each point; empty when it does not say.
    var pointConfidences: [Double] { confidences.isEmpty ? seen.confidences : confidences }
}

/// One of the lists of points of a message.
struct PointListPlace {
    /// The set.
    let set: Int
    /// Whether it is the one in metres.
    let isWorld: Bool
}
