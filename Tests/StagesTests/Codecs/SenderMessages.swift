/// Messages in the formats of real senders, with numbers that identify each point.
enum SenderMessages {
    /// Returns the points of a hand as objects: x is the index of the point, y a tenth of it, and z a hundredth of it, negated.
    static func points(_ more: String = "") -> String {
        "["
            + (0..<21).map { "{\"x\":\($0),\"y\":\(Double($0) / 10),\"z\":\(-Double($0) / 100)\(more)}" }
            .joined(separator: ",") + "]"
    }

    /// The same points, each as a list of three numbers.
    static let rows =
        "[" + (0..<21).map { "[\($0),\(Double($0) / 10),\(-Double($0) / 100)]" }.joined(separator: ",") + "]"

    /// A confidence for each of these points.
    static let confidences = "[" + (0..<21).map { "\(Double($0) / 32)" }.joined(separator: ",") + "]"

    /// The same points as one list of 63 numbers.
    static let flat =
        "[" + (0..<21).map { "\($0),\(Double($0) / 10),\(-Double($0) / 100)" }.joined(separator: ",") + "]"

    /// `JSON.stringify(result)` of a HandLandmarkerResult of @mediapipe/tasks-vision.
    static let mediaPipeWeb = """
        {"landmarks":[\(points(",\"visibility\":0"))],"worldLandmarks":[\(points(",\"visibility\":0"))],\
        "handedness":[[{"score":0.9375,"index":1,"categoryName":"Left","displayName":"Left"}]],\
        "handednesses":[[{"score":0.9375,"index":1,"categoryName":"Left","displayName":"Left"}]]}
        """

    /// `json.dumps(dataclasses.asdict(result))` of a HandLandmarkerResult of the Python package, with its timestamp.
    static let mediaPipePython = """
        {"handedness": [[{"index": 0, "score": 0.9375, "display_name": "Right", "category_name": "Right"}], \
        [{"index": 1, "score": 0.875, "display_name": "Left", "category_name": "Left"}]], \
        "hand_landmarks": [\(points(",\"visibility\":0.0,\"presence\":0.0,\"name\":null")), \
        \(points(",\"visibility\":0.0,\"presence\":0.0"))], \
        "hand_world_landmarks": [\(points(",\"visibility\":0.0")), \(points(",\"visibility\":0.0"))], "timestamp_ms": 40}
        """

    /// A result of the Python package without a hand.
    static let mediaPipeNobody = #"{"handedness": [], "hand_landmarks": [], "hand_world_landmarks": []}"#

    /// `MessageToDict` of the lists of `mediapipe.solutions.hands`, as many programs send it.
    static let mediaPipeLegacy = """
        {"multi_hand_landmarks": [{"landmark": \(points())}], \
        "multi_handedness": [{"classification": [{"index": 0, "score": 0.9375, "label": "Left"}]}]}
        """

    /// The results of @mediapipe/hands.
    static let mediaPipeLegacyWeb = """
        {"multiHandLandmarks":[\(points())],"multiHandedness":[{"index":0,"score":0.9375,"label":"Left","displayName":"Left"}]}
        """

    /// The results of @mediapipe/holistic if only one hand is visible.
    static let holistic = "{\"rightHandLandmarks\":\(points()),\"poseLandmarks\":[]}"

    /// OpenPose's output for two people. The body and the left hand of the first person are visible, and nothing of the second.
    static let openPose = """
        {"version":1.3,"people":[{"person_id":[-1],"pose_keypoints_2d":\(triples(25)),"face_keypoints_2d":[],\
        "hand_left_keypoints_2d":\(triples(21)),"hand_right_keypoints_2d":\(unseen(21)),"pose_keypoints_3d":[],\
        "hand_left_keypoints_3d":[]},{"person_id":[-1],"pose_keypoints_2d":\(unseen(25)),\
        "hand_left_keypoints_2d":\(unseen(21)),"hand_right_keypoints_2d":\(unseen(21))}]}
        """

    /// OpenPose's output with `--3d`. Both hands and the body of the first person are reconstructed, except for one point of each.
    /// Nothing of the second person is reconstructed.
    static let openPose3D = """
        {"version":1.3,"people":[{"person_id":[-1],"pose_keypoints_2d":\(triples(25)),"face_keypoints_2d":[],\
        "hand_left_keypoints_2d":\(triples(21)),"hand_right_keypoints_2d":\(triples(21)),"pose_keypoints_3d":\(quadruples(25)),\
        "face_keypoints_3d":[],"hand_left_keypoints_3d":\(quadruples(21)),"hand_right_keypoints_3d":\(quadruples(21, -1))},\
        {"person_id":[-1],"pose_keypoints_2d":\(triples(25)),"hand_left_keypoints_2d":\(triples(21)),\
        "hand_right_keypoints_2d":\(unseen(21)),"pose_keypoints_3d":\(unseen(25, 4)),"hand_left_keypoints_3d":\(unseen(21, 4)),\
        "hand_right_keypoints_3d":[]}]}
        """

    /// Returns points as x, y, z and a score. The fourth point was not reconstructed.
    private static func quadruples(_ count: Int, _ sign: Double = 1) -> String {
        "["
            + (0..<count).map {
                $0 == 3 ? "0,0,0,0" : "\(sign * Double($0) / 64),\(Double($0) / 32),\(2 + Double($0) / 8),1"
            }
            .joined(separator: ",") + "]"
    }

    private static func triples(_ count: Int) -> String {
        "[" + (0..<count).map { "\($0),\(Double($0) / 10),0.5" }.joined(separator: ",") + "]"
    }

    private static func unseen(_ count: Int, _ width: Int = 3) -> String {
        "[" + [String](repeating: "0", count: count * width).joined(separator: ",") + "]"
    }

    /// A datum of Pupil Core's gaze mapper, as JSON. On the wire, it is MessagePack after a topic.
    static let pupil = """
        {"topic":"gaze.3d.0.","norm_pos":[0.25,0.75],"confidence":0.9375,"timestamp":1234.567891,\
        "gaze_point_3d":[1.5,-2.5,300.0],"base_data":[{"id":0,"method":"pye3d 0.3.0 real-time"}]}
        """
}
