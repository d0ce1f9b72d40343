/// The standard topologies, whose identifiers are single words.
extension Topology {
    /// All standard topologies.
    public static let standard = [hand21, pose33, pose17, face478]

    /// A hand: the 21 points of MediaPipe in its order. Apple's Vision has the same points. Both sets of names are accepted:
    /// `thumbTip` is `THUMB_TIP`, `littleMCP` is `PINKY_MCP`.
    public static let hand21: Topology = {
        let fingers = [
            ("index", "INDEX_FINGER"), ("middle", "MIDDLE_FINGER"), ("ring", "RING_FINGER"), ("little", "PINKY"),
        ]
        let joints = ["MCP", "PIP", "DIP", "Tip"]
        let thumb = ["thumbCMC", "thumbMP", "thumbIP", "thumbTip"]
        return Topology(
            "hand21",
            points: ["wrist"] + thumb + fingers.flatMap { finger in joints.map { finger.0 + $0 } },
            otherNames: ["WRIST", "THUMB_CMC", "THUMB_MCP", "THUMB_IP", "THUMB_TIP"]
                + fingers.flatMap { finger in joints.map { "\(finger.1)_\($0.uppercased())" } },
            groups: ["thumb", "indexFinger", "middleFinger", "ringFinger", "littleFinger"].enumerated()
                .map { Group(name: $1, indices: Array((1 + 4 * $0)...(4 + 4 * $0))) },
            isWhole: true)
    }()

    /// A body: the 33 points of MediaPipe (BlazePose).
    public static let pose33 = body(
        "pose33",
        points: [
            "nose", "leftEyeInner", "leftEye", "leftEyeOuter", "rightEyeInner", "rightEye", "rightEyeOuter", "leftEar",
            "rightEar", "mouthLeft", "mouthRight", "leftShoulder", "rightShoulder", "leftElbow", "rightElbow",
            "leftWrist", "rightWrist", "leftPinky", "rightPinky", "leftIndex", "rightIndex", "leftThumb", "rightThumb",
            "leftHip", "rightHip", "leftKnee", "rightKnee", "leftAnkle", "rightAnkle", "leftHeel", "rightHeel",
            "leftFootIndex", "rightFootIndex",
        ])

    /// A body: the 17 points of COCO, as emitted by MoveNet and many other models.
    public static let pose17 = body(
        "pose17",
        points: [
            "nose", "leftEye", "rightEye", "leftEar", "rightEar", "leftShoulder", "rightShoulder", "leftElbow",
            "rightElbow", "leftWrist", "rightWrist", "leftHip", "rightHip", "leftKnee", "rightKnee", "leftAnkle",
            "rightAnkle",
        ])

    private static func body(_ name: String, points: [String]) -> Topology {
        let limbJoints = ["Shoulder", "Elbow", "Wrist", "Hip", "Knee", "Ankle"]
        func places(_ names: [String]) -> [Int] { names.compactMap { points.firstIndex(of: $0) } }
        func limb(_ side: String, _ joints: ArraySlice<String>) -> [Int] { places(joints.map { side + $0 }) }
        return Topology(
            name, points: points, otherNames: points.map(spacedCapitals),
            groups: [
                Group(name: "face", indices: Array(0..<(points.firstIndex(of: "leftShoulder") ?? 0))),
                Group(
                    name: "torso",
                    indices: places(["leftShoulder", "rightShoulder", "leftHip", "rightHip"])),
                Group(name: "leftArm", indices: limb("left", limbJoints[..<3])),
                Group(name: "rightArm", indices: limb("right", limbJoints[..<3])),
                Group(name: "leftLeg", indices: limb("left", limbJoints[3...])),
                Group(name: "rightLeg", indices: limb("right", limbJoints[3...])),
            ],
            isWhole: true)
    }

    /// Returns a name in MediaPipe's spelling: `LEFT_EYE_INNER` for `leftEyeInner`.
    private static func spacedCapitals(_ name: String) -> String {
        name.reduce(into: "") { $0 += $1.isUppercase ? "_\($1)" : $1.uppercased() }
    }

    /// A face: the 468 points of MediaPipe's mesh and ten of the irises. Their names are numbers. The groups are the contours of
    /// MediaPipe's `face_mesh_connections`.
    public static let face478 = Topology(
        "face478", points: (0..<478).map(String.init),
        groups: [
            Group(
                name: "lips",
                indices: [
                    0, 13, 14, 17, 37, 39, 40, 61, 78, 80, 81, 82, 84, 87, 88, 91, 95, 146, 178, 181, 185, 191, 267,
                    269,
                    270, 291, 308, 310, 311, 312, 314, 317, 318, 321, 324, 375, 402, 405, 409, 415,
                ]),
            Group(
                name: "leftEye",
                indices: [249, 263, 362, 373, 374, 380, 381, 382, 384, 385, 386, 387, 388, 390, 398, 466]),
            Group(
                name: "rightEye",
                indices: [7, 33, 133, 144, 145, 153, 154, 155, 157, 158, 159, 160, 161, 163, 173, 246]),
            Group(name: "leftEyebrow", indices: [276, 282, 283, 285, 293, 295, 296, 300, 334, 336]),
            Group(name: "rightEyebrow", indices: [46, 52, 53, 55, 63, 65, 66, 70, 105, 107]),
            Group(name: "leftIris", indices: Array(474...477)),
            Group(name: "rightIris", indices: Array(469...472)),
            Group(
                name: "faceOval",
                indices: [
                    10, 21, 54, 58, 67, 93, 103, 109, 127, 132, 136, 148, 149, 150, 152, 162, 172, 176, 234, 251, 284,
                    288,
                    297, 323, 332, 338, 356, 361, 365, 377, 378, 379, 389, 397, 400, 454,
                ]),
        ],
        isWhole: true)
}
