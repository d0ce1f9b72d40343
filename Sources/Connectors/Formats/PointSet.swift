import Pipeline
import Stages

/// One point of a message, with every number that its sender gave.
struct MessagePoint: Sendable {
    var x = 0.0
    var y = 0.0
    var z = 0.0
    /// The time, in the unit of the message.
    var t = 0.0
    var p = 0.0
    /// The confidence.
    var c = 0.0
}

/// The numbers that the points of a set have in addition to x and y.
struct PointKnowledge: OptionSet, Sendable {
    let rawValue: UInt8

    static let z = PointKnowledge(rawValue: 1)
    static let t = PointKnowledge(rawValue: 2)
    static let p = PointKnowledge(rawValue: 4)
    static let c = PointKnowledge(rawValue: 8)
}

/// The index of each number of a point; −1 if the point does not have it.
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

/// The points of one set, as they were read.
struct PointList: Sendable {
    var points: [MessagePoint] = []
    var known: PointKnowledge = []
    /// Whether the points were objects. In objects, a confidence of 0 at every point means that it was not measured.
    var isOfObjects = false

    /// Removes all points.
    mutating func forget() {
        points.removeAll(keepingCapacity: true)
        (known, isOfObjects) = ([], false)
    }

    /// Appends points, each with as many consecutive numbers as `fields` names.
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

    /// Appends a point that was an object.
    mutating func append(_ point: ObjectPoint) {
        isOfObjects = true
        known.formUnion(point.known)
        points.append(point.point)
    }

    /// The sender's confidence in each point. Empty if the sender does not give it.
    var confidences: [Double] {
        guard known.contains(.c), !isOfObjects || points.contains(where: { $0.c != 0 }) else { return [] }
        return points.map(\.c)
    }

    /// Whether the detector has seen none of the points. OpenPose writes zero confidences where there is no hand.
    var isUnseen: Bool { known.contains(.c) && !isOfObjects && !points.isEmpty && points.allSatisfy { $0.c <= 0 } }

    /// The coordinates of the points.
    var places: [Landmarks.Point] { points.map { Landmarks.Point(x: $0.x, y: $0.y, z: $0.z) } }
}

/// A set of points in a message: a hand, a body or a stroke. It is reused from one message to the next.
struct PointSet: Sendable {
    /// The number of the `[*]` element that contains the set. All parts of one set have the same key.
    var key = 0
    /// The field that contained the points.
    var field = MessageField.points
    /// Whether the message had points, and not only other values of the set.
    var isThere = false
    /// The points of the set.
    var seen = PointList()
    /// The same points in meters.
    var world = PointList()
    var confidences: [Double] = []
    /// The numbers of the points, until their meaning is known.
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

    /// Resets all values for another set.
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

    /// Removes the points.
    mutating func forgetPoints() {
        isThere = false
        seen.forget()
        flat.removeAll(keepingCapacity: true)
    }

    /// The sender's confidence in each point. Empty if the sender does not give it.
    var pointConfidences: [Double] { confidences.isEmpty ? seen.confidences : confidences }
}

/// A reference to one of the lists of points in a message.
struct PointListPlace {
    /// The index of the set.
    let set: Int
    /// Whether it is the list in meters.
    let isWorld: Bool
}
