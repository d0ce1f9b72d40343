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
    /// How many numbers each point consists of; 0 when the points are objects. For columns, their number.
    var width: Int
    /// Whether the value is a single point instead of a list of points.
    var isPoint = false
    /// Whether the value is one list with the numbers of all points.
    var isFlat = false
    /// The names of the points, if the message has points by name, or a name beside each.
    var names: [String]?

    /// The standard topology with this number of points, if there is one.
    var topology: Topology? { Topology.standard.first { $0.points.count == count } }

    /// Returns whether a list of this length, at this location, may contain the points of a standard topology.
    func isUsual(_ length: Int) -> Bool {
        isFlat ? Topology.width(of: length, nil) != nil : Topology.standard.contains { $0.points.count == length }
    }

    /// The last key of the path, in lower case.
    var name: String {
        let keys = path.split { ".[]*$0123456789".contains($0) }
        return keys.last.map(String.init)?.lowercased() ?? ""
    }

    /// The keys of a point that is an object, or of columns, in lower case.
    var keys: [String] {
        var value = sets.first
        if case .array(let elements) = value { value = elements.first }
        guard case .object(let fields) = value else { return [] }
        return fields.filter { width == 0 || $0.value.numbers != nil }.map { $0.key.lowercased() }
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
        var weight = topology != nil ? 1000 : isFlat ? 0 : isPoint ? 1 : 100
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
            let columns = value.otherColumns
            // Neither these columns nor others beside them are points of their own.
            for field in fields where columns == nil || field.value.numbers?.count != columns?.count {
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
                // Positions with a name beside each are the joints of one body, not the movement of one point.
                if candidate.isPoint, let names = elementNames(elements) {
                    (candidate.isPoint, candidate.count, candidate.names) = (false, names.count, names)
                }
                found.append(candidate)
            }
        default: break
        }
    }

    private static func candidate(_ value: DocumentValue, _ path: String) -> PointCandidate? {
        if isObjectPoint(value) { return PointCandidate(path: path, sets: [value], count: 1, width: 0, isPoint: true) }
        if case .object(let fields) = value, let count = value.columnLength {
            let width = fields.count { $0.value.numbers?.count == count }
            return PointCandidate(path: path, sets: [value], count: count, width: width)
        }
        if let names = pointNames(value) {
            return PointCandidate(path: path, sets: [value], count: names.count, width: 0, names: names)
        }
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
        if numbers.count > 6, let width = Topology.width(of: numbers.count, nil) ?? (numbers.count % 2 == 0 ? 2 : nil) {
            return PointCandidate(
                path: path, sets: [value], count: numbers.count / width, width: width, isFlat: true)
        }
        guard (2...3).contains(numbers.count) else { return nil }
        return PointCandidate(path: path, sets: [value], count: 1, width: numbers.count, isPoint: true)
    }

    /// Returns the names of points, if at least five fields of an object, and most of them, are points.
    private static func pointNames(_ value: DocumentValue) -> [String]? {
        guard case .object(let fields) = value else { return nil }
        let names = fields.filter { isObjectPoint($0.value) || (2...4).contains($0.value.numbers?.count ?? 0) }
            .map(\.key)
        return names.count > 4 && 2 * names.count > fields.count ? names : nil
    }

    /// Returns the names of at least five objects, if each has another text under the same key.
    private static func elementNames(_ elements: [DocumentValue]) -> [String]? {
        guard elements.count > 4, case .object(let fields) = elements.first else { return nil }
        return fields.lazy.map { field in elements.compactMap { $0[field.key]?.string } }
            .first { $0.count == elements.count && Set($0).count == $0.count }
    }

    private static func isObjectPoint(_ value: DocumentValue) -> Bool {
        (value["x"] ?? value["X"])?.number != nil && (value["y"] ?? value["Y"])?.number != nil
    }
}

extension DocumentValue {
    /// What to change in the message so that a source can read its points, if it has columns that are not named x and y.
    var remedy: String? {
        switch self {
        case .object(let fields):
            otherColumns.map {
                "name the lists \(quote($0.x)) and \(quote($0.y)) x and y, in the sender or with jq: sources read such columns"
            } ?? fields.lazy.compactMap(\.value.remedy).first
        case .array(let elements): elements.first?.remedy
        default: nil
        }
    }

    /// The keys and the length of two lists of equally many numbers in an object whose names say that they are x and y, but that no
    /// source reads as columns: `xs` and `ys`, or `px` and `py`, in any case.
    fileprivate var otherColumns: (x: String, y: String, count: Int)? {
        guard case .object(let fields) = self else { return nil }
        for names in [("xs", "ys"), ("px", "py")] {
            guard let x = fields.first(where: { $0.key.lowercased() == names.0 }),
                let y = fields.first(where: { $0.key.lowercased() == names.1 }),
                let count = x.value.numbers?.count, count == y.value.numbers?.count
            else { continue }
            return (x.key, y.key, count)
        }
        return nil
    }

    /// The number of points, if the value is an object whose x and y are lists of equally many numbers; at least two.
    var columnLength: Int? {
        guard let x = (self["x"] ?? self["X"])?.numbers, let y = (self["y"] ?? self["Y"])?.numbers else { return nil }
        return x.count == y.count && x.count > 1 ? x.count : nil
    }
}
