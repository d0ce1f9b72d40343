import Foundation

@testable import Connectors
@testable import Stages

/// The points of a grid that a set of shapes covers.
struct Coverage {
    private let (left, top, step): (Double, Double, Double)
    private let (columns, rows): (Int, Int)
    private(set) var cells: [Bool]

    /// Creates an empty grid, with the distance `step` between its points, that is large enough for all points with their widths.
    init(over points: [Ink.Point], step: Double) {
        let reach = (points.map(\.width).max() ?? 0) + 2 * step
        left = (points.map(\.x).min() ?? 0) - reach
        top = (points.map(\.y).min() ?? 0) - reach
        self.step = step
        columns = Int(((points.map(\.x).max() ?? 0) + reach - left) / step) + 1
        rows = Int(((points.map(\.y).max() ?? 0) + reach - top) / step) + 1
        cells = Array(repeating: false, count: columns * rows)
    }

    private mutating func mark(x: ClosedRange<Double>, y: ClosedRange<Double>, _ isInside: (Double, Double) -> Bool) {
        func indices(_ range: ClosedRange<Double>, _ origin: Double, _ count: Int) -> ClosedRange<Int> {
            let low = max(Int(((range.lowerBound - origin) / step).rounded(.down)), 0)
            return low...max(low, min(Int(((range.upperBound - origin) / step).rounded(.up)), count - 1))
        }
        for row in indices(y, top, rows) {
            for column in indices(x, left, columns) where !cells[row * columns + column] {
                let inside = isInside(left + Double(column) * step, top + Double(row) * step)
                if inside { cells[row * columns + column] = true }
            }
        }
    }

    /// Returns the first point that is covered here but not in the other coverage.
    func beyond(_ other: Coverage) -> (Double, Double)? {
        zip(cells, other.cells).enumerated().first { $1.0 && !$1.1 }.map { index, _ in
            (left + Double(index % columns) * step, top + Double(index / columns) * step)
        }
    }

    /// Covers a disc.
    mutating func disc(_ x: Double, _ y: Double, radius: Double) {
        guard radius > 0 else { return }
        mark(x: x - radius...x + radius, y: y - radius...y + radius) { hypot($0 - x, $1 - y) <= radius }
    }

    /// Covers a triangle, its edges included.
    mutating func triangle(_ a: Ink.Vertex, _ b: Ink.Vertex, _ c: Ink.Vertex) {
        let area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)
        guard area != 0 else { return }
        func side(_ p: Ink.Vertex, _ q: Ink.Vertex, _ x: Double, _ y: Double) -> Double {
            ((q.x - p.x) * (y - p.y) - (q.y - p.y) * (x - p.x)) * (area > 0 ? 1 : -1)
        }
        mark(x: min(a.x, b.x, c.x)...max(a.x, b.x, c.x), y: min(a.y, b.y, c.y)...max(a.y, b.y, c.y)) { x, y in
            side(a, b, x, y) >= -1e-12 && side(b, c, x, y) >= -1e-12 && side(c, a, x, y) >= -1e-12
        }
    }

    /// Covers the area that contours enclose together, by the nonzero rule: the windings of all contours add up.
    mutating func fill(_ contours: [Picture.Contour]) {
        var windings = [Int](repeating: 0, count: cells.count)
        for contour in contours {
            switch contour {
            case .circle(let center, let radius):
                for index in cells.indices where hypot(x(index) - center.x, y(index) - center.y) <= radius {
                    windings[index] -= 1
                }
            case .polygon(let corners):
                for (a, b) in zip(corners, Array(corners.dropFirst()) + corners.prefix(1)) { wind(a, b, &windings) }
            }
        }
        for index in cells.indices where windings[index] != 0 { cells[index] = true }
    }

    private func x(_ index: Int) -> Double { left + Double(index % columns) * step }

    private func y(_ index: Int) -> Double { top + Double(index / columns) * step }

    /// Adds the contribution of one edge to the winding of all points to its left.
    private func wind(_ a: Picture.Place, _ b: Picture.Place, _ windings: inout [Int]) {
        guard a.y != b.y else { return }
        let (low, high) = (min(a.y, b.y), max(a.y, b.y))
        for row in max(Int((low - top) / step) - 1, 0)..<max(min(Int((high - top) / step) + 2, rows), 0) {
            let line = top + Double(row) * step
            guard line >= low, line < high else { continue }
            let crossing = a.x + (line - a.y) / (b.y - a.y) * (b.x - a.x)
            for column in 0..<columns where left + Double(column) * step < crossing {
                windings[row * columns + column] += b.y > a.y ? 1 : -1
            }
        }
    }

    /// Covers the area of a round pen of varying width: closely spaced discs along the center line, with radii enlarged by `by`.
    mutating func pen(_ points: [Ink.Point], grown by: Double) {
        for (a, b) in zip(points, points.dropFirst()) {
            let steps = max(Int(hypot(b.x - a.x, b.y - a.y) / 0.1), 1)
            for k in 0...steps {
                let share = Double(k) / Double(steps)
                disc(
                    a.x + share * (b.x - a.x), a.y + share * (b.y - a.y),
                    radius: (a.width + share * (b.width - a.width)) / 2 + by)
            }
        }
        if let last = points.last { disc(last.x, last.y, radius: last.width / 2 + by) }
    }
}
