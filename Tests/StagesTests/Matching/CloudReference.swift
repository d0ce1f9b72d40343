import Foundation
import Pipeline

@testable import Stages

/// The distance of `match` with method `cloud` in plain, slow double-precision code. It was written from the description, not from
/// the kernels.
struct CloudReference {
    private typealias Place = (x: Double, y: Double)

    private let cloud: [Place]
    private let tangents: [Place?]
    private let steps: [Place?]
    private let middles: [Place]
    private let histogram: [Double]
    private let isOneStroke: Bool

    init(_ stroke: Stroke) {
        let strokes = stroke.strokeRanges.map { stroke.samples[$0].map { Place($0.x, $0.y) } }
        isOneStroke = strokes.count == 1
        let coarse = Self.spaced(strokes, 32)
        let points = coarse.flatMap { $0 }
        let side = Self.side(points)
        let center = Self.mean(points)
        cloud = points.map { Place(($0.x - center.x) / side, ($0.y - center.y) / side) }
        tangents = coarse.flatMap { Self.tangents($0, side) }
        // The directions and middles of the steps along the points. Only gestures of one stroke use them.
        let radius = (points.reduce(0) { $0 + pow($1.x - center.x, 2) + pow($1.y - center.y, 2) } / 32).squareRoot()
        steps = zip(points, points.dropFirst()).map { Self.unit($0, $1, side) }
        middles = zip(points, points.dropFirst()).map {
            Place((($0.x + $1.x) / 2 - center.x) / radius, (($0.y + $1.y) / 2 - center.y) / radius)
        }
        histogram = Self.histogram(Self.spaced(strokes, 128))
    }

    /// Returns the fused distance of two gestures.
    func distance(to other: CloudReference) -> Double {
        let shape = (3 * cloudDistance(to: other) / 0.4545 + histogramDistance(to: other) / 0.547) / 4
        let path = isOneStroke && other.isOneStroke ? warp(to: other) / 1.169 : shape
        return (shape + min(path, 0.5)) / 2
    }

    private func cost(_ i: Int, _ other: CloudReference, _ j: Int) -> Double {
        let (p, q) = (cloud[i], other.cloud[j])
        let cosine: Double =
            switch (tangents[i], other.tangents[j]) {
            case (let a?, let b?): a.x * b.x + a.y * b.y
            case (nil, nil): 1
            default: 0
            }
        return (pow(p.x - q.x, 2) + pow(p.y - q.y, 2) + 0.3 * max(0, 1 - cosine * cosine)).squareRoot()
    }

    private func cloudDistance(to other: CloudReference) -> Double {
        min(oneWay(to: other), other.oneWay(to: self)) / 32
    }

    private func oneWay(to other: CloudReference) -> Double {
        var sum = 0.0
        var chosen = Set<Int>()
        for i in 0..<32 {
            let costs = (0..<32).map { cost(i, other, $0) }
            let least = costs.min() ?? 0
            sum += least
            chosen.insert(costs.firstIndex(of: least) ?? 0)
        }
        for j in 0..<32 where !chosen.contains(j) { sum += (0..<32).map { cost($0, other, j) }.min() ?? 0 }
        return sum
    }

    private func histogramDistance(to other: CloudReference) -> Double {
        1 - zip(histogram, other.histogram).reduce(0) { $0 + $1.0 * $1.1 }
    }

    private func warp(to other: CloudReference) -> Double {
        var table = [[Double]](repeating: [Double](repeating: .infinity, count: 32), count: 32)
        table[0][0] = 0
        for i in 1...31 {
            for j in max(1, i - 4)...min(31, i + 4) {
                let cosine: Double =
                    switch (steps[i - 1], other.steps[j - 1]) {
                    case (let a?, let b?): a.x * b.x + a.y * b.y
                    case (nil, nil): 1
                    default: 0
                    }
                let (m, n) = (middles[i - 1], other.middles[j - 1])
                let cost = 1 - cosine + 0.2 * (pow(m.x - n.x, 2) + pow(m.y - n.y, 2))
                table[i][j] = cost + min(table[i - 1][j - 1], table[i - 1][j], table[i][j - 1])
            }
        }
        return table[31][31] / 31
    }

    /// Returns evenly spaced points. Each stroke gets two; the others are distributed by length, largest remainder first.
    private static func spaced(_ strokes: [[Place]], _ count: Int) -> [[Place]] {
        let lengths = strokes.map { zip($0, $0.dropFirst()).reduce(0) { $0 + hypot($1.1.x - $1.0.x, $1.1.y - $1.0.y) } }
        let total = lengths.reduce(0, +)
        let quotas = lengths.map { Double(count - 2 * strokes.count) * $0 / total }
        var shares = quotas.map { 2 + Int($0) }
        let order = quotas.indices.sorted {
            quotas[$0] - quotas[$0].rounded(.down) > quotas[$1] - quotas[$1].rounded(.down)
        }
        for index in order.prefix(count - shares.reduce(0, +)) { shares[index] += 1 }
        return strokes.indices.map { index in
            (0..<shares[index]).map { k in
                var left = lengths[index] * Double(k) / Double(shares[index] - 1)
                for (a, b) in zip(strokes[index], strokes[index].dropFirst()) {
                    let length = hypot(b.x - a.x, b.y - a.y)
                    if length > 0, left <= length {
                        return Place(a.x + (b.x - a.x) * left / length, a.y + (b.y - a.y) * left / length)
                    }
                    left -= length
                }
                return strokes[index].last ?? (0, 0)
            }
        }
    }

    private static func unit(_ a: Place, _ b: Place, _ side: Double) -> Place? {
        let length = hypot(b.x - a.x, b.y - a.y)
        return length > 1e-6 * side ? Place((b.x - a.x) / length, (b.y - a.y) / length) : nil
    }

    private static func tangents(_ points: [Place], _ side: Double) -> [Place?] {
        points.indices.map { unit(points[max($0 - 1, 0)], points[min($0 + 1, points.count - 1)], side) }
    }

    private static func mean(_ points: [Place]) -> Place {
        (points.reduce(0) { $0 + $1.x } / Double(points.count), points.reduce(0) { $0 + $1.y } / Double(points.count))
    }

    private static func side(_ points: [Place]) -> Double {
        let (xs, ys) = (points.map(\.x), points.map(\.y))
        return max((xs.max() ?? 0) - (xs.min() ?? 0), (ys.max() ?? 0) - (ys.min() ?? 0))
    }

    private static func histogram(_ strokes: [[Place]]) -> [Double] {
        let points = strokes.flatMap { $0 }
        let (xs, ys, side) = (points.map(\.x), points.map(\.y), side(points))
        let middle = Place(((xs.min() ?? 0) + (xs.max() ?? 0)) / 2, ((ys.min() ?? 0) + (ys.max() ?? 0)) / 2)
        var entries = [Double](repeating: 0, count: 8 * 8 * 6)
        for (point, tangent) in zip(points, strokes.flatMap { tangents($0, side) }) {
            let (x, y) = ((point.x - middle.x) / side * 8 + 4, (point.y - middle.y) / side * 8 + 4)
            var shares = [Double](repeating: 1.0 / 6, count: 6)
            if let tangent {
                shares = [Double](repeating: 0, count: 6)
                var angle = atan2(tangent.y, tangent.x)
                if angle < 0 { angle += .pi }
                let place = angle / .pi * 6
                let share = place - place.rounded(.down)
                shares[Int(place) % 6] += 1 - share
                shares[(Int(place) + 1) % 6] += share
            }
            for row in 0..<8 {
                for column in 0..<8 {
                    let square = pow(x - Double(column) - 0.5, 2) + pow(y - Double(row) - 0.5, 2)
                    let weight = exp(-square / (2 * 0.7 * 0.7))
                    for bin in 0..<6 { entries[bin * 64 + row * 8 + column] += weight * shares[bin] }
                }
            }
        }
        let roots = entries.map { $0.squareRoot() }
        let length = roots.reduce(0) { $0 + $1 * $1 }.squareRoot()
        return roots.map { $0 / length }
    }
}
