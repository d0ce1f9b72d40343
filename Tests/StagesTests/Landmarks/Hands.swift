import Foundation
import Pipeline
import Testing

@testable import Stages

/// A landmark.
func point(_ x: Double, _ y: Double, _ z: Double = 0) -> Landmarks.Point { .init(x: x, y: y, z: z) }

/// Landmarks of a topology of one's own, from pairs of coordinates.
func landmarks(
    _ places: [(Double, Double)], space: String? = "normalized", confidences: [Double] = []
) -> Landmarks {
    let names = places.indices.map { "p\($0)" }.joined(separator: ",")
    return Landmarks(
        topology: "test(\(names))", space: space, points: places.map { point($0.0, $0.1) }, hasDepth: false,
        confidences: confidences)
}

/// Whether points agree to within a billionth.
func agree(_ a: [Landmarks.Point], _ b: [Landmarks.Point], within tolerance: Double = 1e-9) -> Bool {
    a.count == b.count
        && zip(a, b).allSatisfy {
            abs($0.x - $1.x) <= tolerance && abs($0.y - $1.y) <= tolerance && abs($0.z - $1.z) <= tolerance
        }
}

/// What configurations say of a pipeline: the codes of the findings with their helps.
func findings(_ stages: String, source: String = "stdin: { kind: landmarks }") -> [(code: String, help: String?)] {
    let text = "version: 1\nsources:\n  - \(source)\nstages:\n\(stages)\nsinks:\n  - null\n"
    let loaded = PipelineLoader(registry: .standard).load(text: text, name: "test", baseDirectory: ".")
    return loaded.diagnostics.map { ($0.code, $0.help) }
}

/// Recorded hands.
enum HandData {
    /// MediaPipe's own test hands: 21 normalized landmarks with those in the world.
    static func mediaPipe(_ name: String) throws -> Landmarks {
        let path = "\(GestureData.folder ?? "")/hands/mediapipe/\(name)_landmarks.pbtxt"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let number = /[xyz]: (\S+)/
        let numbers = text.matches(of: number).compactMap { Double($0.output.1) }
        try #require(numbers.count == 126)
        let points = stride(from: 0, to: 126, by: 3).map { point(numbers[$0], numbers[$0 + 1], numbers[$0 + 2]) }
        return Landmarks(space: "normalized", points: Array(points[..<21]), world: Array(points[21...]))
    }

    /// Hands of another person, relative to the wrist: Open, Close, Pointer, OK by number.
    static func keypoints() throws -> [(label: Int, hand: Landmarks)] {
        let text = try String(contentsOfFile: "\(GestureData.folder ?? "")/hands/keypoint.csv", encoding: .utf8)
        return text.split(whereSeparator: \.isNewline).map { line in
            let numbers = line.split(separator: ",").compactMap { Double($0) }
            let points = stride(from: 1, to: numbers.count - 1, by: 2).map { point(numbers[$0], numbers[$0 + 1]) }
            return (Int(numbers.first ?? -1), Landmarks(space: "unitless", points: points, hasDepth: false))
        }
    }
}
