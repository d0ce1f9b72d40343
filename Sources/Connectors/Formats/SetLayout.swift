import Pipeline
import Stages

/// The columns of a table whose rows each contain a whole set of points.
struct SetLayout: Equatable {
    /// The columns of x, y and z of every point, from 0; −1 if there is no z.
    private(set) var points: [(x: Int, y: Int, z: Int)] = []
    /// The columns of the label, the time, the stream and the handedness; −1 for none.
    private(set) var (label, t, stream, handedness) = (-1, -1, -1, -1)
    /// The number of columns.
    private(set) var width = 0

    var hasDepth: Bool { points.first.map { $0.z >= 0 } ?? false }

    static func == (a: SetLayout, b: SetLayout) -> Bool {
        a.points.elementsEqual(b.points, by: ==)
            && (a.label, a.t, a.stream, a.handedness) == (b.label, b.t, b.stream, b.handedness)
            && a.width == b.width
    }

    /// Finds the columns.
    ///
    /// Coordinates whose names give the point and the axis (`x0`, `WRIST_x`, `landmark_4.y`) can be in any column. Without these
    /// names, all columns without another meaning are coordinates, with the points in the order of the topology. One extra column
    /// in front of them is the label.
    ///
    /// - Parameters:
    ///   - width: The number of cells in the first row.
    ///   - header: The cells of the first row if it is a header; otherwise empty.
    ///   - wanted: The columns that the options name.
    ///   - topology: The points of a row. `nil` for any number of points with x and y.
    /// - Throws: A frame error that states the expected number of columns.
    init(
        width: Int, header: [String], _ wanted: ColumnMap, topology: Topology?
    ) throws(PipelineError) {
        self.width = width
        label = try ColumnReference.place(wanted.label, in: header)
        t = try ColumnReference.place(wanted.t, in: header)
        stream = try ColumnReference.place(wanted.stream, in: header)
        let words = header.map { $0.lowercased() }
        if label < 0 { label = words.firstIndex { ["label", "class", "gesture", "class_id"].contains($0) } ?? -1 }
        handedness = words.firstIndex { ["handedness", "hand"].contains($0) } ?? -1
        let others = [label, t, stream, handedness]
        if try findNamed(header, others, topology) { return }
        var columns = (0..<width).filter { !others.contains($0) }
        let counts = topology.map { [2 * $0.points.count, 3 * $0.points.count] }
        let isWhole = { (count: Int) in counts?.contains(count) ?? (count % 2 == 0) }
        if !isWhole(columns.count), label < 0, let first = columns.first, isWhole(columns.count - 1) {
            label = first
            columns.removeFirst()
        }
        guard isWhole(columns.count), !columns.isEmpty else {
            let numbers = counts.map { "\($0[0]) or \($0[1]) numbers" } ?? "an even number of numbers"
            throw .frame(
                "decode.count",
                "a row holds \(numbers), with or without a label before them, but this one has \(width) cells",
                help: topology.map {
                    "these are the numbers of \($0.identifier); set topology for other landmarks"
                })
        }
        let step = counts.map { columns.count == $0[1] ? 3 : 2 } ?? 2
        points = stride(from: 0, to: columns.count, by: step).map {
            (columns[$0], columns[$0 + 1], step == 3 ? columns[$0 + 2] : -1)
        }
    }

    /// Finds coordinates by their names. Returns false if no column has the name of a coordinate.
    private mutating func findNamed(
        _ header: [String], _ others: [Int], _ topology: Topology?
    ) throws(PipelineError) -> Bool {
        var names: [String] = []
        var places: [String: [Int]] = [:]
        for (column, text) in header.enumerated() where !others.contains(column) {
            guard let (name, axis) = Self.coordinate(text) else { continue }
            if places[name] == nil { names.append(name) }
            places[name, default: [-1, -1, -1]][axis] = column
        }
        // A single name also occurs in tables of samples, or by coincidence.
        guard names.count > 1 else { return false }
        if names.allSatisfy({ Int($0) != nil }) {
            names.sort { (Int($0) ?? 0) < (Int($1) ?? 0) }
        } else if let topology, names.allSatisfy({ topology.place(of: $0) != nil }) {
            names.sort { (topology.place(of: $0) ?? 0) < (topology.place(of: $1) ?? 0) }
        }
        let found = names.compactMap { places[$0] }
        let usesDepth = found.first.map { $0[2] >= 0 } ?? false
        guard found.allSatisfy({ $0[0] >= 0 && $0[1] >= 0 && ($0[2] >= 0) == usesDepth }),
            topology.map({ $0.points.count == found.count }) ?? true
        else {
            throw .frame(
                "decode.column",
                "the header names coordinates of \(found.count) points"
                    + (topology.map { ", but \($0.identifier) has \($0.points.count)" } ?? ", not all with x and y"),
                help: topology.map { _ in
                    "set topology to the landmarks that there are; each has x and y, and all or none have z"
                })
        }
        points = found.map { ($0[0], $0[1], $0[2]) }
        return true
    }

    /// Returns the point and the axis that a column name refers to, such as `x0`, `x_0`, `0_x`, `WRIST_x`, `wrist.x` or
    /// `landmark_0_x`.
    static func coordinate(_ text: String) -> (name: String, axis: Int)? {
        let axes: [Character] = ["x", "y", "z"]
        func isBetween(_ character: Character) -> Bool { "_.- ".contains(character) }
        let trimmed = text.filter { $0 != "\"" }
        if let first = trimmed.first, let axis = axes.firstIndex(of: Character(first.lowercased())) {
            let rest = trimmed.dropFirst().drop(while: isBetween)
            if !rest.isEmpty, rest.allSatisfy(\.isASCII), rest.allSatisfy(\.isNumber) { return (String(rest), axis) }
        }
        guard let last = trimmed.last, let axis = axes.firstIndex(of: Character(last.lowercased())) else { return nil }
        let rest = trimmed.dropLast()
        guard let before = rest.last, isBetween(before) || before.isNumber else { return nil }
        let name = String(rest.reversed().drop(while: isBetween).reversed())
        // A number after other words identifies the point.
        let number = String(name.reversed().prefix { $0.isASCII && $0.isNumber }.reversed())
        return name.isEmpty ? nil : (number.isEmpty ? name : number, axis)
    }
}
