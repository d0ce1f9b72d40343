#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A polyline in a box from −1 to 1; y grows downward.
typealias SyntheticPath = [(x: Double, y: Double)]

extension SyntheticShape {
    /// The ways to draw a letter, each a list of strokes; empty for a shape that is not a letter. The strokes may be drawn in any
    /// order, and each in either direction.
    var ways: [[SyntheticPath]] {
        switch self {
        case .letterA:
            let bar = [(-0.42, 0.2), (0.42, 0.2)]
            return [[[(-0.7, 1), (0, -1), (0.7, 1)], bar], [[(-0.7, 1), (0, -1)], [(0, -1), (0.7, 1)], bar]]
        case .letterB: return [[Self.stem, Self.bow(-1, 0, 1) + Self.bow(0, 1, 1.2)]]
        case .letterC: return [[Self.arc(from: 50, to: 310)]]
        case .letterD: return [[Self.stem, Self.bow(-1, 1, 1.3)]]
        case .letterE:
            // Four bars; a C and a bar; an L, and a C that overlaps it.
            return [
                [Self.stem, Self.bar(-1), Self.bar(0, 0.45), Self.bar(1)],
                [[(0.6, -1), (-0.6, -1), (-0.6, 1), (0.6, 1)], Self.bar(0, 0.45)],
                [[(-0.6, -1), (-0.6, 1), (0.6, 1)], [(0.6, -1), (-0.6, -1), (-0.6, 0), (0.45, 0)]],
            ]
        case .letterF:
            return [
                [Self.stem, Self.bar(-1), Self.bar(0, 0.45)],
                [[(0.6, -1), (-0.6, -1), (-0.6, 1)], Self.bar(0, 0.45)],
            ]
        case .letterH: return [[Self.stem, [(0.6, -1), (0.6, 1)], Self.bar(0)]]
        case .letterI: return [[[(0, -1), (0, 1)]]]
        case .letterK:
            return [
                [Self.stem, [(0.6, -1), (-0.6, 0.1), (0.65, 1)]],
                [Self.stem, [(0.6, -1), (-0.6, 0.1)], [(-0.3, -0.15), (0.65, 1)]],
            ]
        case .letterL: return [[[(-0.6, -1), (-0.6, 1), (0.6, 1)]], [Self.stem, Self.bar(1)]]
        case .letterO:
            return [[Self.arc(from: -90, to: 270)], [Self.arc(from: -90, to: 90), Self.arc(from: 90, to: 270)]]
        case .letterS: return [[Self.arc(from: 30, to: 270, over: -1...0) + Self.arc(from: 90, to: -150, over: 0...1)]]
        case .letterT: return [[Self.bar(-1, 0.8, from: -0.8), [(0, -1), (0, 1)]]]
        case .letterX: return [[[(-0.7, -1), (0.7, 1)], [(0.7, -1), (-0.7, 1)]]]
        case .letterZ: return [[[(-0.7, -1), (0.7, -1), (-0.7, 1), (0.7, 1)]]]
        default: return []
        }
    }

    private static let stem: SyntheticPath = [(-0.6, -1), (-0.6, 1)]

    private static func bar(_ y: Double, _ end: Double = 0.6, from begin: Double = -0.6) -> SyntheticPath {
        [(begin, y), (end, y)]
    }

    /// Returns half of an ellipse to the right of the stem.
    private static func bow(_ top: Double, _ bottom: Double, _ depth: Double) -> SyntheticPath {
        (0...12).map { step in
            let angle = Double.pi * Double(step) / 12
            return (-0.6 + depth * sin(angle), (top + bottom) / 2 - (bottom - top) / 2 * cos(angle))
        }
    }

    /// Returns an arc of an ellipse that spans `height` vertically, between two angles in degrees, counterclockwise from the right.
    private static func arc(
        from begin: Double, to end: Double, over height: ClosedRange<Double> = -1...1
    ) -> SyntheticPath {
        (0...24).map { step in
            let angle = (begin + (end - begin) * Double(step) / 24) * Double.pi / 180
            let radius = (height.upperBound - height.lowerBound) / 2
            return (0.7 * cos(angle), height.lowerBound + radius - radius * sin(angle))
        }
    }

    /// Returns the position at `u`, from 0 to 1, along a polyline at constant speed.
    static func along(_ corners: SyntheticPath, _ u: Double) -> (x: Double, y: Double) {
        var rest = u * length(of: corners)
        for (a, b) in zip(corners, corners.dropFirst()) {
            let length = hypot(b.x - a.x, b.y - a.y)
            if rest <= length, length > 0 {
                let share = max(rest / length, 0)
                return (a.x + share * (b.x - a.x), a.y + share * (b.y - a.y))
            }
            rest -= length
        }
        return corners.last ?? (0, 0)
    }

    /// Returns the length of a polyline.
    static func length(of corners: SyntheticPath) -> Double {
        zip(corners, corners.dropFirst()).reduce(0) { $0 + hypot($1.1.x - $1.0.x, $1.1.y - $1.0.y) }
    }
}
