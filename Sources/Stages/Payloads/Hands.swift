import Pipeline

/// All hands of one camera frame, possibly none.
public struct Hands: Payload, Hashable {
    public static let kind: Kind = "hands"

    /// The hands.
    public var hands: [Landmarks]

    /// Makes a frame's hands.
    public init(hands: [Landmarks]) { self.hands = hands }
}
