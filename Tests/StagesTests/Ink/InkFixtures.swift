import Foundation
import Stages

@testable import Pipeline

/// A curve that a pen could follow, as a function of time in seconds, with loops, an inflection and a varying speed: a moving
/// ellipse, driven by an oscillating clock.
enum TestCurve {
    static let seconds = 2.0

    static func place(_ time: Double) -> (x: Double, y: Double) {
        let phase = 2 * Double.pi * (time + 0.12 * sin(2 * Double.pi * time))
        return (60 * time + 70 * cos(phase) + 100, 120 + 90 * sin(phase))
    }

    /// Returns samples of the curve at a rate, including the first and last.
    static func samples(hz: Double) -> [Sample] {
        (0...Int(seconds * hz)).map { i in
            let (x, y) = place(Double(i) / hz)
            return Sample(x: x, y: y, t: (Double(i) / hz * 1e6).rounded())
        }
    }
}

/// Returns a complete stroke with times.
func timedStroke(_ samples: [Sample]) -> Stroke { Stroke(samples: samples, fields: .time) }

/// Returns a stroke cut into pieces with the given numbers of samples, in turn. Each piece has the timestamp of its last sample.
/// A stroke that fits into one piece gets an empty second piece that ends it.
func pieces(_ samples: [Sample], sizes: [Int]) -> [Frame<Points>] {
    var frames: [Frame<Points>] = []
    var at = 0
    while at < samples.count {
        let count = min(max(sizes[frames.count % sizes.count], 1), samples.count - at)
        let part = Array(samples[at..<at + count])
        at += count
        let phase: Points.Phase = frames.isEmpty ? .begin : at == samples.count ? .end : .move
        frames.append(
            Frame(
                Points(phase: phase, samples: part, fields: .time),
                at: .microseconds(max(Int64(part.last?.t ?? 0), (frames.last?.timestamp.rawValue ?? -1) + 1)),
                sequence: Int64(frames.count)))
    }
    if frames.count == 1 { frames.append(Frame(Points(phase: .end, samples: []), at: .max, sequence: 1)) }
    return frames
}

/// The end of a chain: joins the pieces of ink, or only counts their points.
final class InkEnd: ReceivingObject {
    typealias Received = Ink

    private let keeps: Bool
    private(set) var ink = Ink(points: [])
    private(set) var phases: [Ink.Phase] = []
    private(set) var points = 0

    init(keeps: Bool = true) { self.keeps = keeps }

    func receive(_ piece: borrowing Ink, _ header: UnsafePointer<FrameHeader>) {
        points += piece.points.count
        guard keeps else { return }
        phases.append(piece.phase)
        ink.points += piece.points
        ink.mesh += piece.mesh
        ink.isTimed = piece.isTimed
    }
}

/// Returns the joined result of bezier, stroke_width and tessellate for the pieces of one stroke.
func inkOfPieces(_ frames: [Frame<Points>], _ bezier: Bezier.Options = .init(), _ width: StrokeWidth.Options = .init())
    -> InkEnd
{
    let end = InkEnd()
    let chain = BareChain<Points>([PointsBezier(bezier), StrokeWidth(width), Tessellate()], end: end)
    for frame in frames { chain.receive(frame) }
    return end
}

/// Returns the result of bezier, stroke_width and tessellate for a complete stroke.
func inkOfWhole(_ stroke: Stroke, _ bezier: Bezier.Options = .init(), _ width: StrokeWidth.Options = .init()) throws
    -> Ink
{
    try apply(Tessellate(), to: apply(StrokeWidth(width), to: apply(StrokeBezier(bezier), to: stroke)))
}

extension Ink {
    /// Whether all numbers are finite and no width is negative.
    var isSane: Bool {
        points.allSatisfy { $0.x.isFinite && $0.y.isFinite && $0.t.isFinite && $0.width.isFinite && $0.width >= 0 }
            && mesh.allSatisfy { $0.x.isFinite && $0.y.isFinite }
    }

    /// The distances between neighboring points.
    var steps: [Double] { zip(points, points.dropFirst()).map { hypot($1.x - $0.x, $1.y - $0.y) } }

    /// All triangles of the strip.
    var triangles: [(Vertex, Vertex, Vertex)] {
        mesh.indices.dropFirst(2).map { (mesh[$0 - 2], mesh[$0 - 1], mesh[$0]) }
    }
}
