import Pipeline
import PipelineComponents
import PipelineConfiguration
import PipelineTesting
import Testing

@testable import Connectors
@testable import Stages

/// Tests every registered stage for landmarks or hands with the faulty input that cameras and detectors produce.
@Suite("Stages for landmarks with faulty input")
struct LandmarkSurvivalTests {
    private let files: ExampleFiles

    init() throws { files = try ExampleFiles() }

    static let registry = Registry.standard

    /// Problematic output of a detector, one set of landmarks per frame.
    enum Trouble: String, CaseIterable, Sendable {
        case missingJoints, notFinite, otherTopologies, faces, allInOnePlace, noConfidences

        private static let topologies = [("pose33", 33), ("tool(a,b)", 2), ("hand21", 0)]

        /// Whether a frame is as it should be.
        static func isGood(_ index: Int) -> Bool { index % 3 == 0 }

        var landmarks: [Landmarks] {
            (0..<12).map { index in
                var hand = Landmarks.typical(index)
                guard !Self.isGood(index) else { return hand }
                switch self {
                case .missingJoints:
                    hand.points.removeLast(index)
                    hand.confidences.removeLast(index)
                    hand.world = []
                case .notFinite: hand.points[index].x = [.nan, .infinity][index % 2]
                case .otherTopologies:
                    let (topology, count) = Self.topologies[index / 3 % 3]
                    hand = Landmarks(
                        topology: topology, space: "pixels", points: Array(repeating: point(1, 2), count: count))
                case .faces:
                    hand.topology = "face478"
                    hand.points = (0..<478).map { point(Double($0 % 22), Double($0 / 22)) }
                    hand.confidences = []
                    hand.world = []
                case .allInOnePlace: hand.points = Array(repeating: point(0.5, 0.5), count: 21)
                case .noConfidences: (hand.confidences, hand.score, hand.presence) = ([], nil, nil)
                }
                return hand
            }
        }
    }

    /// The names of the stages that take landmarks or hands.
    static let names: [String] = registry.entries.filter { $0.role == .stage }.compactMap { entry in
        let words = entry.takes.split { !$0.isLetter }
        return words.contains("landmarks") || words.contains("hands") ? entry.manifest.name : nil
    }

    private func stage(_ name: String) throws -> any Stage {
        // The examples of these stages use strokes and points.
        if name == "vectorize" { return try Vectorize.landmarks(Vectorize.Options()) }
        if name == "spot" { return try Spot.landmarks(GestureLibrary(readingFrom: "\(files.path)/motions.json")) }
        let entry = try #require(Self.registry.entry(name, .stage))
        let loaded = PipelineLoader(registry: Self.registry)
            .load(text: entry.manifest.example, name: name, baseDirectory: files.path)
        let node = try #require(loaded.plan?.nodes.first { $0.component == name })
        guard case .stage(let stage) = node.body else { throw PipelineError(.defect, "test.no_stage", name) }
        return stage
    }

    @Test("Each kind of trouble changes two of three frames, and all of the other topologies occur")
    func troubles() {
        for trouble in Trouble.allCases {
            let changed = trouble.landmarks.enumerated().filter { "\($1)" != "\(Landmarks.typical($0))" }.map(\.offset)
            #expect(changed == (0..<12).filter { !Trouble.isGood($0) }, "\(trouble)")
        }
        let topologies = Trouble.otherTopologies.landmarks.map { "\($0.topology) \($0.points.count)" }
        #expect(Set(topologies) == ["hand21 21", "pose33 33", "tool(a,b) 2", "hand21 0"])
    }

    @Test("Stages for landmarks are found in the registry by their input types")
    func found() {
        for name in [
            "convert", "select", "gate", "smooth", "resample_time", "measure", "thumb_swipe", "normalize_hand",
            "vectorize",
            "recognize_hand",
        ] {
            #expect(Self.names.contains(name))
        }
    }

    @Test(
        "Stages for landmarks refuse bad frames with frame errors, process the others, and emit finite numbers",
        arguments: names, Trouble.allCases)
    func trouble(name: String, trouble: Trouble) async throws {
        let stage = try stage(name)
        try await check(stage, trouble)
    }

    private func check<S: Stage>(_ stage: S, _ trouble: Trouble) async throws {
        let inputs: [S.Input]
        if S.Input.self == Landmarks.self {
            inputs = trouble.landmarks.compactMap { $0 as? S.Input }
        } else {
            let hands = trouble.landmarks.enumerated().map { index, hand in
                Hands(hands: index % 4 == 0 ? [] : [Landmarks.typical(index + 20), hand])
            }
            inputs = hands.compactMap { $0 as? S.Input }
        }
        try #require(!inputs.isEmpty, "it takes \(S.Input.kind)")
        let result = await StageHarness(stage).run(inputs)
        #expect(result.report.violations == [])
        #expect(result.errors.allSatisfy { $0.error.category == .frame })
        #expect(result.errors.count == Int(result.ledger.failed))
        let refused = Set(result.errors.map { $0.frame.map { "\($0)" } ?? "" })
        for (index, input) in inputs.enumerated() where Trouble.isGood(index) {
            #expect(!refused.contains("\(input)"), "frame \(index)")
        }
        for payload in result.payloads { #expect(!"\(payload)".contains("nan") && !"\(payload)".contains("inf")) }
    }
}
