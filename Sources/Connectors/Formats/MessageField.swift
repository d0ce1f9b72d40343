import Pipeline

/// What a value of a message can be for us.
enum MessageField: UInt8, CaseIterable, Sendable {
    case points, left, right, world, leftWorld, rightWorld, confidences, handedness, handednessScore, score, presence,
        track
    case layout, topology, space, doubt
    case time, start, endTime, sequence, stream, label, subject, phase, stroke, counts, values, end
    /// A field that the payload declares itself.
    case declared

    /// Whether points stand there.
    var isOfPoints: Bool { self == .points || self == .left || self == .right }

    /// Where places in metres stand, whose points they are of; `nil` for all others.
    var pointsOfWorld: MessageField? {
        switch self {
        case .world: .points
        case .leftWorld: .left
        case .rightWorld: .right
        default: nil
        }
    }
}

/// All that is looked for in a message, as one tree over the paths: so a message is read once, from front to back, and what
/// is not looked for is passed over.
struct FieldTree: Sendable {
    /// What stands at a place. Numbers only: it is copied for every value of a message.
    struct Target: Sendable {
        let field: MessageField
        /// Of those that the payload declares itself, which.
        let index: Int
        /// Of several paths to a field the one with the lowest number counts.
        let rank: Int
    }

    /// A place in messages.
    struct Node: Sendable {
        var keys: [(name: [UInt8], node: Int)] = []
        var elements: [(number: Int, node: Int)] = []
        var each: Int?
        var target: Target?
        /// The path of the target, for error messages.
        var path = ""
        /// How many `[*]` are above it.
        var depth = 0
        /// Whether points stand here or below.
        var leadsToPoints = false

        /// Whether elements of a list are looked for.
        var hasElements: Bool { each != nil || !elements.isEmpty }
    }

    private(set) var nodes = [Node()]

    /// The node of the message itself.
    static let root = 0

    /// Whether messages may be lists.
    var isList: Bool { nodes[Self.root].hasElements || nodes[Self.root].target != nil }

    /// Adds the paths to a field, the first first.
    mutating func add(_ field: MessageField, index: Int = 0, _ paths: FieldPaths) {
        for (rank, path) in paths.enumerated() {
            var place = Self.root
            for step in path.steps {
                place = child(of: place, step)
                if field.isOfPoints { nodes[place].leadsToPoints = true }
            }
            if nodes[place].target == nil {
                nodes[place].target = Target(field: field, index: index, rank: rank)
                nodes[place].path = path.description
            }
        }
    }

    private mutating func child(of place: Int, _ step: FieldPath.Step) -> Int {
        switch step {
        case .key(let name):
            let name = Array(name.utf8)
            if let known = nodes[place].keys.first(where: { $0.name == name }) { return known.node }
            nodes[place].keys.append((name, nodes.count))
        case .element(let number):
            if let known = nodes[place].elements.first(where: { $0.number == number }) { return known.node }
            nodes[place].elements.append((number, nodes.count))
        case .each:
            if let known = nodes[place].each { return known }
            nodes[place].each = nodes.count
        }
        nodes.append(Node(depth: nodes[place].depth + (step == .each ? 1 : 0)))
        return nodes.count - 1
    }

    /// The node below one that a key leads to. O(keys).
    func child(of place: Int, key: UnsafeRawBufferPointer) -> Int? {
        nodes[place].keys.withUnsafeBufferPointer { keys in
            for index in keys.indices where keys[index].name.count == key.count {
                if keys[index].name.withUnsafeBytes({ $0.isSame(as: key) }) { return keys[index].node }
            }
            return nil
        }
    }

    /// The node below one that an element leads to. O(elements).
    func child(of place: Int, element: Int) -> Int? {
        for (number, node) in nodes[place].elements where number == element { return node }
        return nodes[place].each
    }
}
