/// Files with landmarks as other programs write them.
enum LandmarkFiles {
    /// Returns a hand as a printed `LandmarksDetectionResult`, in MediaPipe's text format.
    static func mediaPipe(points: Int = 21, handedness: String = "Left") -> String {
        func list(_ name: String, _ scale: Double) -> String {
            "\(name) {\n"
                + (0..<points).map { i in
                    "  landmark {\n    x: \(Double(i) * scale)\n    y: -\(Double(i))e-2\n    z: 0.5\n  }\n"
                }.joined() + "}\n"
        }
        return """
            # a hand
            classifications {
              classification { score: 0.75 label: "\(handedness)" display_name: "\(handedness)" }
            }

            """ + list("landmarks", 0.25) + list("world_landmarks", 0.125)
    }

    /// Returns a person in OpenPose's file format: the right hand is visible, the left one is not.
    static func openPose() -> String {
        func numbers(_ number: (Int) -> String) -> String { (0..<21).map(number).joined(separator: ",") }
        return """
            {"version":1.3,"people":[{"person_id":[-1],"pose_keypoints_2d":[1,2,0.5],"face_keypoints_2d":[],
            "hand_left_keypoints_2d":[\(numbers { _ in "0,0,0" })],
            "hand_right_keypoints_2d":[\(numbers { "\($0 * 10),\($0).5,0.\($0 % 10)" })],
            "pose_keypoints_3d":[],"hand_left_keypoints_3d":[],"hand_right_keypoints_3d":[]}]}
            """
    }
}
