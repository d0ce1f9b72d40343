import Pipeline

/// The meaning of a value in a message.
enum MessageField: UInt8, CaseIterable, Sendable {
    case points, left, right, world, leftWorld, rightWorld, confidences, handedness, handednessScore, score, presence,
        track
    case layout, topology, space, doubt
    case time, start, endTime, sequence, stream, label, subject, phase, stroke, counts, values, end
    /// A field that the payload declares; see ``MessagePayload``.
    case declared

    /// Whether the value contains the points of a set, not their positions in meters.
    var isOfPoints: Bool { self == .points || self == .left || self == .right }

    /// Whether payloads of a kind that can be mapped have the value. The points count as a value of every kind.
    func isHeld(by kind: PayloadKind) -> Bool {
        switch self {
        case .points, .left, .right, .layout, .time, .sequence, .stream, .end, .declared: true
        case .world, .leftWorld, .rightWorld, .confidences, .handedness, .handednessScore, .score, .presence, .track,
            .topology, .space, .doubt:
            kind.holdsLandmarks
        case .label: kind != .points
        case .subject, .counts: kind == .stroke
        case .phase, .stroke: kind == .points
        case .start: !kind.holdsLandmarks
        case .endTime, .values: kind == .vector
        }
    }

    /// For a field with positions in meters, the field with the same points in image coordinates. `nil` for other fields.
    var pointsOfWorld: MessageField? {
        switch self {
        case .world: .points
        case .leftWorld: .left
        case .rightWorld: .right
        default: nil
        }
    }
}

/// All paths that are read from messages, merged into one tree. With it, a message is read once, from front to back, and values
/// that are not on any path are skipped.
struct FieldTree: Sendable {
    /// The field to which a path leads. It contains only numbers, because it is copied for each value of a message.
    struct Target: Sendable {
        let field: MessageField
        /// For a field that the payload declares, its index among these fields; otherwise 0.
        let index: Int
        /// The position of the path among the alternative paths of the field. If a message has values on several of them, the
        /// lowest rank wins.
        let rank: Int
    }

    /// A location in messages.
    struct Node: Sendable {
        var keys: [(spelling: KeySpelling, name: [UInt8], node: Int)] = []
        var elements: [(number: Int, node: Int)] = []
        var each: Int?
        var target: Target?
        /// The full path of the target, for error messages.
        var path = ""
        /// The number of `[*]` steps on the path to the node.
        var depth = 0
        /// Whether this node or a node below it contains points.
        var leadsToPoints = false

        /// Whether a path continues with an element of a list.
        var hasElements: Bool { each != nil || !elements.isEmpty }
    }

    private(set) var nodes = [Node()]

    /// The node of the message itself.
    static let root = 0

    /// Whether the paths allow a message that is a list.
    var isList: Bool { nodes[Self.root].hasElements || nodes[Self.root].target != nil }

    /// Adds the alternative paths of a field, the most preferred one first.
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
            nodes[place].keys.append((name.withUnsafeBytes { KeySpelling($0) }, name, nodes.count))
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

    /// Returns the child of a node for a key, or `nil` if no path continues with the key. O(keys).
    func child(of place: Int, key: UnsafeRawBufferPointer) -> Int? {
        // A path cannot contain an empty key.
        guard !key.isEmpty else { return nil }
        let spelling = KeySpelling(key)
        return nodes[place].keys.withUnsafeBufferPointer { keys in
            for index in keys.indices where keys[index].spelling == spelling {
                if key.count <= KeySpelling.longest || keys[index].name.withUnsafeBytes({ $0.isSame(as: key) }) {
                    return keys[index].node
                }
            }
            return nil
        }
    }

    /// Returns the child of a node for an element of a list, or `nil` if no path continues with the element. O(elements).
    func child(of place: Int, element: Int) -> Int? {
        for (number, node) in nodes[place].elements where number == element { return node }
        return nodes[place].each
    }
}
