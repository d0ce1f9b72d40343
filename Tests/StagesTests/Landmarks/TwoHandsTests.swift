import Foundation
import Pipeline
import PipelineConfiguration
import Testing

@testable import Connectors
@testable import Stages

@Suite("Two hands, recorded")
struct TwoHandsTests {
    private static let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Configs/two-hands.yaml")

    @Test(
        "Two recorded hands: each hand keeps its identity, and each of its seven gestures is reported once, while it is shown"
    )
    func gestures() async throws {
        let loaded = PipelineLoader(registry: .standard).load(file: Self.file.path(percentEncoded: false))
        let run = Run(try #require(loaded.plan).replacingSinks { _, _ in Nothing<HandResults>() })
        var reported: [Int: [String]] = [:]
        var names: [Int: Set<String?>] = [:]
        for try await frame in try run.results(of: "each", as: HandResults.self) {
            for hand in frame.payload.hands {
                let track = try #require(hand.landmarks.track)
                names[track, default: []].insert(hand.landmarks.handedness)
                guard let gesture = hand.gestures.first else { continue }
                // The recording was created from a script, and its labels are the gestures of that script.
                #expect(gesture.name == hand.landmarks.label)
                reported[track, default: []].append(gesture.name)
            }
        }
        #expect(await run.finished().isSuccess)
        #expect(names == [1: ["Right"], 2: ["Left"]])
        let all = Set(SyntheticGesture.allCases.map(\.rawValue))
        for track in [1, 2] { #expect(Set(reported[track] ?? []) == all && reported[track]?.count == all.count) }
    }
}
