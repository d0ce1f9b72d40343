import Pipeline
import Stages

extension DecodePreset {
    /// A description of the messages, for help texts.
    package var summary: String {
        switch self {
        case .canonical: "The project's own messages, which are also read if decode has neither a preset nor paths"
        case .mediapipe: "The result objects of MediaPipe's packages for Python and for the web, new and old"
        case .pupil: "What Pupil Core publishes: gaze, as landmarks or as a path"
        case .openpose: "OpenPose's JSON: the hands of all people, or the body of the first"
        case .flat63: "The 63 coordinates of a hand in one list"
        }
    }

    /// The kinds of payload that the messages can be decoded into.
    package var kinds: [PayloadKind] {
        switch self {
        case .canonical: [.points, .stroke, .landmarks, .hands, .vector]
        case .mediapipe, .openpose: [.hands, .landmarks]
        case .pupil: [.landmarks, .points]
        case .flat63: [.hands, .landmarks]
        }
    }

    /// Returns the options that the preset stands for.
    ///
    /// - Parameter kind: The kind of payload that the source produces. A message can have hands and bodies at different paths.
    public func options(for kind: PayloadKind) -> DecodeOptions {
        var options = DecodeOptions()
        switch self {
        case .canonical: options.takeCanonical(kind)
        case .mediapipe:
            let hands = [
                "hand_landmarks[*]", "landmarks[*]", "handLandmarks[*]", "multi_hand_landmarks[*].landmark",
                "multiHandLandmarks[*]",
            ]
            let others = ["pose_landmarks[*]", "poseLandmarks[*]", "face_landmarks[*]", "faceLandmarks[*]"]
            options.points = Self.paths(kind == .hands ? hands : hands + others)
            if kind == .hands {
                options.left = Self.paths(["left_hand_landmarks[*]", "leftHandLandmarks[*]"])
                options.right = Self.paths(["right_hand_landmarks[*]", "rightHandLandmarks[*]"])
                options.leftWorld = Self.paths(["left_hand_world_landmarks[*]", "leftHandWorldLandmarks[*]"])
                options.rightWorld = Self.paths(["right_hand_world_landmarks[*]", "rightHandWorldLandmarks[*]"])
            }
            let worlds = [
                "hand_world_landmarks[*]", "worldLandmarks[*]", "handWorldLandmarks[*]",
                "multi_hand_world_landmarks[*].landmark", "multiHandWorldLandmarks[*]",
            ]
            options.world = Self.paths(
                kind == .hands ? worlds : worlds + ["pose_world_landmarks[*]", "poseWorldLandmarks[*]"])
            options.handedness = Self.paths([
                "handedness[*][0].category_name", "handedness[*][0].categoryName", "handednesses[*][0].categoryName",
                "multi_handedness[*].classification[0].label", "multiHandedness[*].label",
            ])
            options.handednessScore = Self.paths([
                "handedness[*][0].score", "handednesses[*][0].score", "multi_handedness[*].classification[0].score",
                "multiHandedness[*].score",
            ])
            options.t = Self.paths(["timestamp_ms", "timestampMs"])
            options.tUnit = .ms
        case .pupil:
            options.format = .msgpack
            options.frames = .topicAndPayload
            options.points = Self.paths(["norm_pos"])
            if kind == .landmarks { options.score = Self.paths(["confidence"]) }
            options.t = Self.paths(["timestamp"])
            options.tUnit = .s
        case .openpose:
            if kind == .hands {
                options.left = Self.paths(["people[*].hand_left_keypoints_2d"])
                options.right = Self.paths(["people[*].hand_right_keypoints_2d"])
                options.leftWorld = Self.paths(["people[*].hand_left_keypoints_3d"])
                options.rightWorld = Self.paths(["people[*].hand_right_keypoints_3d"])
            } else {
                options.points = Self.paths(["people[*].pose_keypoints_2d"])
                options.world = Self.paths(["people[*].pose_keypoints_3d"])
            }
            options.fields = PointFields(.x, .y, .c)
        case .flat63:
            options.points = Self.paths(["$", "landmarks", "points", "data"])
            options.fields = PointFields(.x, .y, .z)
        }
        return options
    }

    /// Returns the traits of the sender's landmarks. Traits in the configuration of a source take precedence.
    public func landmarks(for kind: PayloadKind) -> LandmarkTraits {
        var traits = LandmarkTraits()
        guard kind.holdsLandmarks else { return traits }
        switch self {
        case .canonical: break
        case .mediapipe: (traits.space, traits.y) = (.normalized, .down)
        case .pupil:
            (traits.space, traits.y) = (.normalized, .up)
            traits.topology = Self.topology("eye(gaze)")
        case .openpose:
            (traits.space, traits.y) = (.pixels, .down)
            if kind == .landmarks { traits.topology = Self.topology(Self.body25) }
        case .flat63: traits.topology = TopologyName(.hand21)
        }
        return traits
    }

    /// The 25 points of OpenPose's default body, in its order.
    private static let body25 =
        "body25(nose, neck, rightShoulder, rightElbow, rightWrist, leftShoulder, leftElbow, leftWrist, midHip, rightHip, "
        + "rightKnee, rightAnkle, leftHip, leftKnee, leftAnkle, rightEye, leftEye, rightEar, leftEar, leftBigToe, "
        + "leftSmallToe, leftHeel, rightBigToe, rightSmallToe, rightHeel)"

    // `try?` is safe here: the paths in this file are constants, and tests cover every preset.
    static func paths(_ texts: [String]) -> FieldPaths { texts.compactMap { try? FieldPath($0) } }

    private static func topology(_ identifier: String) -> TopologyName? {
        (try? Topology(identifier: identifier)).map(TopologyName.init)
    }
}
