/// Which landmarks of a topology are joined by lines.
enum Skeleton {
    /// A line between two landmarks, and the part it belongs to, for its colour.
    typealias Bone = (from: Int, to: Int, part: Int)

    /// The lines of a topology, as the programs draw them that it comes from; none for one that is not known.
    static func bones(of topology: String) -> [Bone] {
        switch topology {
        case "hand21": hand
        case "pose33": pose33
        case "pose17": pose17
        default: []
        }
    }

    /// MediaPipe's `HAND_CONNECTIONS`: five fingers from the wrist, and the palm across the knuckles.
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
