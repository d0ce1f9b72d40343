import Foundation
import Pipeline
import Stages

/// Returns the output of one stage for one payload.
func apply<S: Stage>(_ stage: S, to payload: S.Input) throws -> S.Output {
    try firstOutput(of: stage, for: Frame(payload, at: .zero))
}

/// Returns a gesture of one stroke, from pairs of coordinates, with one millisecond per point.
func stroke(_ points: [(Double, Double)], label: String? = nil) -> Stroke {
    Stroke(
        samples: points.enumerated().map { Sample(x: $1.0, y: $1.1, t: Double($0) * 1000) }, fields: .time, label: label
    )
}

/// Returns a closed curve around a center, whose varying radius makes its direction recognizable.
func egg(count: Int = 50, radius: Double = 100, turnedBy degrees: Double = 0, at center: (Double, Double) = (0, 0))
    -> Stroke
{
    let turn = degrees * .pi / 180
    return stroke(
        (0..<count).map { i in
            let angle = Double(i) / Double(count) * 2 * .pi
            let r = radius * (1 + 0.4 * cos(angle) + 0.2 * sin(3 * angle))
            return (center.0 + r * cos(angle + turn), center.1 + r * sin(angle + turn))
        })
}

extension Stroke {
    /// The length of the path along all samples.
    var pathLength: Double { zip(samples, samples.dropFirst()).reduce(0) { $0 + $1.0.distance(to: $1.1) } }

    /// The coordinates, alternating x and y.
    var coordinates: [Double] { samples.flatMap { [$0.x, $0.y] } }

    /// Returns the same points rotated about the origin.
    func turned(by degrees: Double) -> Stroke {
        let (c, s) = (cos(degrees * .pi / 180), sin(degrees * .pi / 180))
        var copy = self
        copy.samples = samples.map { Sample(x: $0.x * c - $0.y * s, y: $0.x * s + $0.y * c, t: $0.t, p: $0.p) }
        return copy
    }
}

extension Sample {
    func distance(to other: Sample) -> Double { hypot(x - other.x, y - other.y) }
}

/// Strokes that have broken recognizers. A stage must give finite numbers or a frame error for each of them, and must not hang.
enum HostileStroke: String, CaseIterable, Sendable {
    case empty, onePoint, twoPoints, allEqual, vertical, horizontal, subnormal, tiny, huge, nearLimit, beyondLimit, nan
    case infinite, nanTime, million, badCounts, negativeCounts, farAway

    var stroke: Stroke {
        func made(_ points: [(Double, Double)]) -> Stroke { madeStroke(points) }
        let ten = (0..<10).map(Double.init)
        switch self {
        case .empty: return made([])
        case .onePoint: return made([(3, 4)])
        case .twoPoints: return made([(0, 0), (3, 4)])
        case .allEqual: return made(ten.map { _ in (5, 5) })
        case .vertical: return made(ten.map { (7, $0) })
        case .horizontal: return made(ten.map { ($0, 7) })
        case .subnormal:
            return made(ten.map { ($0 * Double.leastNonzeroMagnitude, $0 * $0 * Double.leastNonzeroMagnitude) })
        case .tiny: return made(ten.map { ($0 * 1e-160, $0 * $0 * 1e-160) })
        case .huge: return made(ten.map { ($0 * 1e30, $0 * $0 * -1e30) })
        case .nearLimit: return made(ten.map { ($0 * 1e149, $0 * -1e149) })
        case .beyondLimit: return made(ten.map { ($0 * 1e300, $0 * 1e300) })
        case .nan: return made([(0, 0), (.nan, 1), (2, 2)])
        case .infinite: return made([(0, 0), (.infinity, 1), (2, 2)])
        case .nanTime: return Stroke(samples: [Sample(x: 0, y: 0), Sample(x: 1, y: 1, t: .nan)])
        case .million: return made((0..<1_000_000).map { (Double($0 % 1000), Double($0 / 1000)) })
        case .badCounts: return Stroke(samples: egg().samples, counts: [10, 10])
        case .negativeCounts: return Stroke(samples: egg().samples, counts: [60, -10])
        case .farAway: return made(ten.map { (1e15 + $0, 1e15 + $0 * $0) })
        }
    }
}

private func madeStroke(_ points: [(Double, Double)]) -> Stroke { stroke(points) }

/// Runs `body` and returns its value, or `nil` if it throws a frame error. Other errors are rethrown.
func refusedOrValue<Value>(_ body: () throws -> Value) throws -> Value? {
    do {
        return try body()
    } catch let error as PipelineError where error.category == .frame {
        return nil
    }
}

/// Strokes, and the results of `Tests/peers/strokes.py` for them.
struct PeerTrace: Decodable {
    let strokes: [[[Double]]]
    let resampled: [[[Double]]]
    let normal_forms: [[[Double]]]
    let protractor: [String: [[Double]]]
    let dollar1: [[Double]]

    static func load() throws -> PeerTrace {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let data = try Data(contentsOf: folder.appendingPathComponent("Traces/strokes.json"))
        return try JSONDecoder().decode(PeerTrace.self, from: data)
    }

    var gestures: [Stroke] { strokes.map { stroke($0.map { ($0[0], $0[1]) }) } }
}

/// Returns the largest difference between corresponding numbers; infinity if the counts differ.
func largestDifference(_ a: [Double], _ b: [Double]) -> Double {
    guard a.count == b.count else { return .infinity }
    return zip(a, b).map { abs($0 - $1) }.max() ?? 0
}
