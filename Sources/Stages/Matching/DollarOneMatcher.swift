import CKernels
import Pipeline

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The comparison of the $1 recognizer (Wobbrock, Wilson, Li, UIST 2007, step 4): the mean distance between corresponding points at
/// the best angle. A golden section search finds the angle within ±45° to a precision of 2°.
///
/// Strokes are compared with their centroids aligned. The score is 1 − d/(½·√2·size). Complexity: O(templates · points); each
/// template is compared at ten angles.
final class DollarOneMatcher: TemplateMatcher {
    static func name(_ rules: MatchRules) -> String { "dollar1" }
    static let comparesAngles = false

    private let rules: MatchRules
    private let points: Int
    private let padded: Int
    private let exact: [Double]
    private let starts: [Int]

    init(templates: [[Stroke]], rules: MatchRules) throws {
        self.rules = rules
        let all = templates.flatMap { $0 }
        points = all.first?.samples.count ?? 0
        padded = (points + 7) / 8 * 8
        var exact: [Double] = []
        exact.reserveCapacity(all.count * 2 * padded)
        for template in all {
            exact.append(contentsOf: try Self.planes(template, points: points, padded: padded))
        }
        self.exact = exact
        starts = templates.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1.count) }
    }

    func rank(_ query: Stroke, into ranking: inout [Ranked]) throws {
        let planes = try Self.planes(query, points: points, padded: padded)
        let scale = 1 / (0.5 * 2.0.squareRoot() * rules.size)
        exact.withUnsafeBufferPointer { exact in
            guard let base = exact.baseAddress else { return }
            for category in 0..<(starts.count - 1) {
                var nearest = Double.infinity
                for template in starts[category]..<starts[category + 1] {
                    nearest = min(nearest, distance(planes, base + template * 2 * padded))
                }
                let score = min(max(0, 1 - nearest * scale), 1)
                insert(Ranked(category: category, distance: nearest, score: score), into: &ranking)
            }
        }
    }

    /// Returns the coordinates relative to the centroid: all x, then all y, each padded with zeros.
    private static func planes(_ stroke: Stroke, points: Int, padded: Int) throws -> [Double] {
        try stroke.check()
        guard stroke.samples.count == points else {
            throw PipelineError.frame(
                "match.dimension",
                "a stroke of \(stroke.samples.count) points cannot be compared with templates of \(points)",
                help: "resample strokes to one number of points, with mode whole")
        }
        var (x, y) = (0.0, 0.0)
        for sample in stroke.samples {
            x += sample.x
            y += sample.y
        }
        x /= Double(points)
        y /= Double(points)
        var planes = [Double](repeating: 0, count: 2 * padded)
        for (i, sample) in stroke.samples.enumerated() {
            planes[i] = sample.x - x
            planes[padded + i] = sample.y - y
        }
        return planes
    }

    /// Returns the mean distance at the best angle, by golden section search as in the paper.
    private func distance(_ query: [Double], _ template: UnsafePointer<Double>) -> Double {
        let ratio = 0.5 * (5.0.squareRoot() - 1)
        let precision = 2 * Double.pi / 180
        var (low, high) = (-Double.pi / 4, Double.pi / 4)
        var left = ratio * low + (1 - ratio) * high
        var right = (1 - ratio) * low + ratio * high
        var leftDistance = distance(query, template, turned: left)
        var rightDistance = distance(query, template, turned: right)
        while high - low > precision {
            if leftDistance < rightDistance {
                high = right
                right = left
                rightDistance = leftDistance
                left = ratio * low + (1 - ratio) * high
                leftDistance = distance(query, template, turned: left)
            } else {
                low = left
                left = right
                leftDistance = rightDistance
                right = (1 - ratio) * low + ratio * high
                rightDistance = distance(query, template, turned: right)
            }
        }
        return min(leftDistance, rightDistance)
    }

    private func distance(_ query: [Double], _ template: UnsafePointer<Double>, turned angle: Double) -> Double {
        pk_path_distance(query, template, padded, cos(angle), sin(angle)) / Double(points)
    }
}
