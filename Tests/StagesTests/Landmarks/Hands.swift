import Pipeline
import PipelineComponents
import PipelineConfiguration
import Testing

@testable import Connectors
@testable import Stages

/// Returns a landmark.
func point(_ x: Double, _ y: Double, _ z: Double = 0) -> Landmarks.Point { .init(x: x, y: y, z: z) }

/// Returns landmarks of a custom topology, from pairs of coordinates.
func landmarks(
    _ places: [(Double, Double)], space: String? = "normalized", confidences: [Double] = []
) -> Landmarks {
    let names = places.indices.map { "p\($0)" }.joined(separator: ",")
    return Landmarks(
        topology: "test(\(names))", space: space, points: places.map { point($0.0, $0.1) }, hasDepth: false,
        confidences: confidences)
}

/// Returns whether points agree within a tolerance, 1e-9 by default.
func agree(_ a: [Landmarks.Point], _ b: [Landmarks.Point], within tolerance: Double = 1e-9) -> Bool {
    a.count == b.count
        && zip(a, b).allSatisfy {
            abs($0.x - $1.x) <= tolerance && abs($0.y - $1.y) <= tolerance && abs($0.z - $1.z) <= tolerance
        }
}

/// Returns the codes and help texts of the findings about a pipeline with the given stages, in YAML.
func findings(_ stages: String, source: String = "stdin: { kind: landmarks }") -> [(code: String, help: String?)] {
    let text = "version: 1\nsources:\n  - \(source)\nstages:\n\(stages)\nsinks:\n  - null\n"
    let loaded = PipelineLoader(registry: .standard).load(text: text, name: "test", baseDirectory: ".")
    return loaded.diagnostics.map { ($0.code, $0.help) }
}

/// Recorded hands, read by the `file` source.
enum HandData {
    /// The folder of recorded hands.
    static var folder: String { "\(GestureData.folder ?? "")/hands" }

    /// Returns the payloads of all frames in a file. Fails the test if the file has errors.
    static func read<P: WirePayload>(
        _ path: String, as _: P.Type, _ change: (inout FileSource.Options) -> Void = { _ in }
    ) async throws -> [P] {
        var options = FileSource.Options()
        options.path = FilePath(path)
        change(&options)
        let reading = try await drain(FileReplay<P>(options, defaultStream: "file"))
        try #require(reading.failures.isEmpty, "\(reading.failures)")
        return reading.frames.map(\.payload)
    }

    /// Returns one of MediaPipe's test hands: 21 normalized landmarks with world landmarks.
    static func mediaPipe(_ name: String) async throws -> Landmarks {
        let hands = try await read("\(folder)/mediapipe/\(name)_landmarks.pbtxt", as: Landmarks.self)
        return try #require(hands.first)
    }

    /// Returns recorded hands of one person, relative to the wrist, with the labels Open, Close, Pointer and OK.
    static func keypoints() async throws -> [Landmarks] {
        try await read("\(folder)/keypoint.csv", as: Landmarks.self) {
            $0.kind = .landmarks
            $0.decode.labels = FilePath("\(folder)/keypoint_classifier_label.csv")
            $0.landmarks.space = .unitless
        }
    }
}
