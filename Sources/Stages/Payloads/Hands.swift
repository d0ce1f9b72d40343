import Pipeline

/// All hands of one camera frame, possibly none.
public struct Hands: Payload, Hashable {
    public static let kind: Kind = "hands"

    /// The hands.
    public var hands: [Landmarks]

    /// Creates the hands of a frame.
    public init(hands: [Landmarks]) { self.hands = hands }
}
