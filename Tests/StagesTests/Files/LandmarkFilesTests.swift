import Pipeline
import PipelineComponents
import PipelineTesting
import Testing

@testable import Connectors
@testable import Stages

@Suite("Files of landmarks")
struct LandmarkFilesTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func read<P: WirePayload>(
        _ name: String, _ text: String, _: P.Type = P.self, _ change: (inout FileSource.Options) -> Void = { _ in }
    ) async throws -> Reading<P> {
        var options = FileSource.Options()
        options.path = FilePath(try folder.write(name, text))
        change(&options)
        return try await drain(FileReplay<P>(options, defaultStream: "file"))
    }

    @Test("Files of landmarks of MediaPipe hold a hand with its handedness and its world positions")
    func mediaPipe() async throws {
        let reading = try await read("a.pbtxt", LandmarkFiles.mediaPipe(), Landmarks.self)
        #expect(reading.failures.isEmpty)
        let hand = try #require(reading.frames.first?.payload)
        #expect(hand.points == (0..<21).map { point(0.25 * Double($0), -0.01 * Double($0), 0.5) })
        #expect(hand.world == (0..<21).map { point(0.125 * Double($0), -0.01 * Double($0), 0.5) })
        #expect((hand.handedness, hand.handednessScore) == ("Left", 0.75))
        #expect((hand.space, hand.hasDepth, hand.topology) == ("normalized", true, "hand21"))
    }

    @Test(
        "Files of landmarks of MediaPipe with visibilities of only some points are refused, and all visibilities are kept"
    )
    func visibilities() async throws {
        func text(_ count: Int) -> String {
            (0..<21).map { "landmark { x: \($0) y: 0\($0 < count ? " visibility: 0.5" : "") }\n" }.joined()
        }
        let some = try await read("a.pbtxt", text(5), Landmarks.self)
        #expect(some.failures.map(\.code) == ["decode.count"] && some.frames.isEmpty)
        #expect(some.failures.first?.message == "5 visibilities for 21 landmarks")
        for count in [0, 21] {
            let hand = try await read("b.pbtxt", text(count), Landmarks.self).frames.first?.payload
            #expect(hand?.confidences == [Double](repeating: 0.5, count: count))
        }
    }

    @Test("Files of landmarks of MediaPipe hold several hands, whose lists belong together by order or by name")
    func severalHands() async throws {
        let two = LandmarkFiles.mediaPipe() + LandmarkFiles.mediaPipe(handedness: "Right")
        let hands = try await read("a.pbtxt", two, Hands.self).frames[0].payload.hands
        #expect(hands.map(\.handedness) == ["Left", "Right"])
        #expect(hands.allSatisfy { $0.world.count == 21 })
        let list = LandmarkFiles.mediaPipe().split(separator: "\n").drop { !$0.hasPrefix("landmarks") }
            .prefix { !$0.hasPrefix("world") }.joined(separator: "\n")
        let holistic =
            "pose_landmarks { landmark { x: 1 } }\nright_hand_\(list)\nleft_hand_\(list)\n"
            + "left_hand_world_\(list)\nface_blendshapes { classification { label: '_neutral' score: 1 } }"
        let both = try await read("b.pbtxt", holistic, Hands.self).frames[0].payload.hands
        #expect(both.map(\.handedness) == ["Right", "Left"])
        #expect(both.map(\.world.count) == [0, 21])
        let world = try await read("c.pbtxt", two, Hands.self) { $0.landmarks.space = .world }
        #expect(world.frames[0].payload.hands.map { $0.points[20].x } == [2.5, 2.5])
    }

    @Test(
        "Files of landmarks of MediaPipe's tests are read, and those without landmarks refused",
        .enabled(if: GestureData.isThere, "PIPELINE_DATA is not set"))
    func recorded() async throws {
        var options = FileSource.Options()
        options.path = FilePath("\(HandData.folder)/mediapipe")
        let reading = try await drain(FileReplay<Hands>(options, defaultStream: "file"))
        #expect(reading.frames.map(\.payload.hands.count).sorted() == Array(repeating: 1, count: 12) + [2])
        #expect(reading.failures.map(\.code) == Array(repeating: "decode.missing", count: 3))
        let fist = try await HandData.mediaPipe("fist")
        #expect(fist.points[1] == point(0.6125982, 0.5578249, -0.041392017))
        #expect(fist.handedness == "Right" && fist.world.count == 21)
    }

    @Test("Files of landmarks of OpenPose hold the detected hands, in pixels")
    func openPose() async throws {
        let reading = try await read("clip_000000000007_keypoints.json", LandmarkFiles.openPose(), Hands.self)
        #expect(reading.failures.isEmpty)
        let hands = try #require(reading.frames.first?.payload.hands)
        #expect(hands.map(\.handedness) == ["Right"])
        #expect(hands[0].points == (0..<21).map { point(10 * Double($0), Double($0) + 0.5) })
        #expect(hands[0].confidences[13] == 0.3)
        #expect(hands[0].space == "pixels" && !hands[0].hasDepth)
        let deep = try await read("c_keypoints.json", SenderMessages.openPose3D, Hands.self)
        #expect(deep.frames.first?.payload.hands.map(\.world.count) == [21, 21, 0])
        let nobody = try await read("b_keypoints.json", #"{"version":1.3,"people":[]}"#, Hands.self)
        #expect(nobody.frames.map(\.payload.hands.count) == [0])
    }

    @Test("Files of landmarks of OpenPose are read from a folder")
    func openPoseFolder() async throws {
        for number in 1...2 { try folder.write("clip/\(number)_keypoints.json", LandmarkFiles.openPose()) }
        var options = FileSource.Options()
        options.path = FilePath("\(folder.path)/clip")
        options.kind = .hands
        let reading = try await drain(FileReplay<Hands>(options, defaultStream: "file"))
        #expect(reading.failures.map(\.description) == [])
        #expect(reading.frames.map { $0.payload.hands.map(\.space) } == [["pixels"], ["pixels"]])
    }

    @Test("Files of landmarks of OpenPose: an image without people is empty, and further people get one warning")
    func people() async throws {
        let body = "{\"pose_keypoints_2d\":[\((0..<25).map { "\($0),1,0.5" }.joined(separator: ","))]}"
        for (number, people) in zip(0..., [[], [body], [body, body], [], [body, body]]) {
            try folder.write(
                "clip/\(number)_keypoints.json", "{\"people\":[\(people.joined(separator: ","))]}")
        }
        var options = FileSource.Options()
        options.path = FilePath("\(folder.path)/clip")
        options.kind = .landmarks
        options.decode.hz = 10
        let reading = try await drain(FileReplay<Landmarks>(options, defaultStream: "file"))
        #expect(reading.failures.isEmpty)
        #expect(reading.story.count == 5)
        #expect(reading.story.filter { $0.contains("empty") }.count == 2)
        #expect(reading.frames.map(\.timestamp.rawValue) == [100_000, 200_000, 400_000])
        let warning = "a message has 2 sets of landmarks, but kind: landmarks reads only the first"
        #expect(reading.log.filter { $0.contains(warning) }.count == 1, "\(reading.log)")
    }

    @Test("Files of landmarks follow each other by a second, or at a given rate")
    func times() async throws {
        for name in ["a2.pbtxt", "a10.pbtxt"] { try folder.write("clip/\(name)", LandmarkFiles.mediaPipe()) }
        for (hz, times) in [(nil, [0, 1_000_000]), (30.0, [0, 33_333])] as [(Double?, [Int64])] {
            var options = FileSource.Options()
            options.path = FilePath("\(folder.path)/clip")
            options.decode.hz = hz
            let reading = try await drain(FileReplay<Landmarks>(options, defaultStream: "file"))
            #expect(reading.frames.map(\.timestamp.rawValue) == times)
            #expect(reading.frames.map { $0.origin?.file?.hasSuffix("a2.pbtxt") } == [true, false])
        }
    }

    @Test(
        "Files of landmarks that are invalid give errors with a position, and wrong counts give a remedy",
        arguments: [
            ("a.pbtxt", "landmarks { landmark { x: nan } }", "decode.type", "a.pbtxt, line 1"),
            ("a.pbtxt", "landmarks { landmark { x: 1 } }", "decode.count", "a.pbtxt"),
            ("a.pbtxt", "detections { score: 1 }", "decode.missing", "a.pbtxt"),
            ("a.pbtxt", "landmarks {\n  landmark {", "decode.truncated", "a.pbtxt, line 2"),
            ("a.pbtxt", LandmarkFiles.mediaPipe() + LandmarkFiles.mediaPipe(), "decode.count", "a.pbtxt"),
            ("a_keypoints.json", #"{"version":1.3}"#, "decode.missing", "a_keypoints.json"),
            (
                "a_keypoints.json", #"{"people":[{"pose_keypoints_2d":[1,2]}]}"#, "decode.count",
                "a_keypoints.json, byte 32"
            ),
            ("a_keypoints.json", #"{"people":7}"#, "decode.type", "a_keypoints.json, byte 10"),
        ])
    func wrong(name: String, text: String, code: String, place: String) async throws {
        let reading = try await read(name, text, Landmarks.self)
        #expect(reading.frames.isEmpty)
        #expect(reading.failures.map(\.code) == [code])
        #expect(reading.failures.first?.location == "\(folder.path)/\(place)")
        #expect(code != "decode.count" || reading.failures.first?.help != nil)
    }

    @Test("Files of landmarks read as another kind are a finding")
    func kinds() {
        for path in ["a.pbtxt", "a_keypoints.json"] {
            #expect(findings("  - tap", source: "file: { path: \(path), kind: hands }").isEmpty)
            let found = findings("  - tap", source: "file: { path: \(path) }")
            #expect(found.map(\.code) == ["file.kind"])
            #expect(found.first?.help?.contains("kind: hands") == true)
        }
        // The checker knows the coordinate space that the format declares.
        let swipe = findings("  - thumb_swipe", source: "file: { path: a.pbtxt, kind: landmarks, y: up }")
        #expect(swipe.map(\.code) == ["graph.attribute_mismatch"])
    }
}
