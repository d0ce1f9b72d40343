import Pipeline
import Stages

/// A location in a message that may contain points.
struct PointCandidate {
    /// The path to the points.
    var path: String
    /// The values at that path, one for each set of points.
    var sets: [DocumentValue]
    /// The number of points in each set.
    var count: Int
    /// How many numbers each point consists of; 0 when the points are objects.
    var width: Int
    /// Whether the value is a single point instead of a list of points.
    var isPoint = false

    /// The last key of the path, in lower case.
    var name: String {
        let keys = path.split { ".[]*$0123456789".contains($0) }
        return keys.last.map(String.init)?.lowercased() ?? ""
    }

    /// The keys of a point that is an object, in lower case.
    var keys: [String] {
        var value = sets.first
        if case .array(let elements) = value { value = elements.first }
        guard case .object(let fields) = value else { return [] }
        return fields.map { $0.key.lowercased() }
    }

    /// Returns all locations in a document that look like points, the most likely first.
    static func all(in document: DocumentValue) -> [PointCandidate] {
        var found: [PointCandidate] = []
        search(document, "$", depth: 0, into: &found)
        return found.enumerated().sorted { ($0.element.weight, -$0.offset) > ($1.element.weight, -$1.offset) }
            .map(\.element)
    }

    /// A score that is higher the more likely these are the points to read.
    private var weight: Int {
        var weight = Topology.standard.contains { $0.points.count == count } ? 1000 : isPoint ? 1 : 100
        // These names mark a second set of the same points in another unit, which is less likely to be the one to read.
        if name.contains("world") || name.contains("3d") { weight -= 50 }
        if count == Topology.hand21.points.count { weight += 500 }
        if ["points", "landmarks", "keypoints", "pos", "position", "norm_pos", "point", "xy", "hand"].contains(name) {
            weight += 20
        }
        return weight
    }

    private static func search(
        _ value: DocumentValue, _ path: String, depth: Int, into found: inout [PointCandidate]
    ) {
        guard depth < 8, found.count < 200 else { return }
        if let candidate = candidate(value, path) {
            found.append(candidate)
            if path.contains("[*]") || !candidate.isPoint { return }
        }
        switch value {
        case .object(let fields):
            for field in fields {
                guard let path = FieldPath.text(to: field.key, below: path) else { continue }
                search(field.value, path, depth: depth + 1, into: &found)
            }
        case .array(let elements):
            // Each element of the array may contain a set of points of its own.
            let stars = path.ranges(of: "[*]").count
            guard stars < 2, let first = elements.first else { return }
            var inner: [PointCandidate] = []
            search(first, "\(path)[*]", depth: depth + 1, into: &inner)
            for candidate in inner {
                var candidate = candidate
                if elements.count > 1, candidate.path == "\(path)[*]" { candidate.sets = elements }
                found.append(candidate)
            }
        default: break
        }
    }

    private static func candidate(_ value: DocumentValue, _ path: String) -> PointCandidate? {
        if isObjectPoint(value) { return PointCandidate(path: path, sets: [value], count: 1, width: 0, isPoint: true) }
        guard case .array(let elements) = value, let first = elements.first else { return nil }
        if elements.count > 1 || path != "$", elements.allSatisfy(isObjectPoint) {
            return PointCandidate(path: path, sets: [value], count: elements.count, width: 0)
        }
        if let width = first.numbers?.count, (2...4).contains(width),
            elements.allSatisfy({ $0.numbers?.count == width }), elements.count > 1
        {
            return PointCandidate(path: path, sets: [value], count: elements.count, width: width)
        }
        guard let numbers = value.numbers else { return nil }
        if let width = Topology.width(of: numbers.count, nil), numbers.count > 6 {
            return PointCandidate(path: path, sets: [value], count: numbers.count / width, width: width)
        }
        guard (2...3).contains(numbers.count) else { return nil }
        return PointCandidate(path: path, sets: [value], count: 1, width: numbers.count, isPoint: true)
    }

    private static func isObjectPoint(_ value: DocumentValue) -> Bool {
        (value["x"] ?? value["X"])?.number != nil && (value["y"] ?? value["Y"])?.number != nil
    }
}
