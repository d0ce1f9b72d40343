import Pipeline

/// The recognitions of one camera frame: its hands, each with gestures. Equivalent to MediaPipe's `GestureRecognizerResult`.
public struct HandResults: Payload, Hashable {
    public static let kind: Kind = "results"

    /// One hand with its gestures.
    public struct Hand: Hashable, Sendable {
        /// The hand: its landmarks, world coordinates, handedness and track.
        public var landmarks: Landmarks

        /// The gestures, best first; empty if nothing was recognized in this frame.
        public var gestures: [Recognition.Category]

        /// Creates a hand with gestures.
        public init(landmarks: Landmarks, gestures: [Recognition.Category] = []) {
            self.landmarks = landmarks
            self.gestures = gestures
        }
    }

    /// The hands; empty if the frame shows none.
    public var hands: [Hand]

    /// Creates the results of a frame.
    public init(hands: [Hand]) { self.hands = hands }
}
