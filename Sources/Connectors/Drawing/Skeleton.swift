/// The lines that join the landmarks of a topology.
enum Skeleton {
    /// A line between two landmarks, with the body part that determines its color.
    typealias Bone = (from: Int, to: Int, part: Int)

    /// Returns the lines of a topology, as the software that defines the topology draws them. Returns none for an unknown topology.
    static func bones(of topology: String) -> [Bone] {
        switch topology {
        case "hand21": hand
        case "pose33": pose33
        case "pose17": pose17
        default: []
        }
    }

    /// Returns the number of the body part that each of `count` landmarks belongs to. O(bones).
    static func parts(of topology: String, count: Int) -> [Int] {
        var parts = [Int](repeating: 0, count: count)
        for bone in bones(of: topology) where max(bone.from, bone.to) < count {
            parts[bone.to] = max(parts[bone.to], bone.part)
            parts[bone.from] = max(parts[bone.from], bone.part)
        }
        // The wrist belongs to no finger.
        if topology == "hand21", !parts.isEmpty { parts[0] = 0 }
        return parts
    }

    /// Returns the body part that a hand belongs to, so that a left hand has the color of a left arm. Returns `nil` if the
    /// handedness is unknown.
    static func part(ofHand handedness: String?) -> Int? {
        switch handedness {
        case "Left": 1
        case "Right": 4
        default: nil
        }
    }

    /// Returns the opacity of an element that depends on some landmarks. The element is pale if the detector's confidence in one of
    /// them is below 0.5.
    static func opacity(of landmarks: [Int], _ confidences: [Double]) -> Double {
        let sure = landmarks.compactMap { confidences.indices.contains($0) ? confidences[$0] : nil }.min()
        return sure.map { $0 < 0.5 ? 0.35 : 1 } ?? 1
    }

    /// MediaPipe's `HAND_CONNECTIONS`: the thumb from the wrist, four fingers from their knuckles, and the outline of the palm.
    private static let hand: [Bone] =
        chain([0, 1, 2, 3, 4], 1) + chain([5, 6, 7, 8], 2) + chain([9, 10, 11, 12], 3) + chain([13, 14, 15, 16], 4)
        + chain([17, 18, 19, 20], 5) + chain([0, 5, 9, 13, 17, 0], 0)

    /// MediaPipe's `POSE_CONNECTIONS`: face, trunk, arms with hands, legs with feet.
    private static let pose33: [Bone] =
        chain([8, 6, 5, 4, 0, 1, 2, 3, 7], 0) + chain([9, 10], 0) + chain([11, 12, 24, 23, 11], 0)
        + chain([11, 13, 15, 17, 19, 15, 21], 1) + chain([12, 14, 16, 18, 20, 16, 22], 4)
        + chain([23, 25, 27, 29, 31, 27], 2) + chain([24, 26, 28, 30, 32, 28], 3)

    /// COCO's skeleton: face, trunk, arms, legs.
    private static let pose17: [Bone] =
        chain([3, 1, 0, 2, 4], 0) + chain([5, 6, 12, 11, 5], 0) + chain([5, 7, 9], 1) + chain([6, 8, 10], 4)
        + chain([11, 13, 15], 2) + chain([12, 14, 16], 3)

    private static func chain(_ places: [Int], _ part: Int) -> [Bone] {
        zip(places, places.dropFirst()).map { ($0, $1, part) }
    }
}
