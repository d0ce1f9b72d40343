import Pipeline

/// What was recognized in one camera frame: its hands, each with gestures. MediaPipe's `GestureRecognizerResult`.
public struct HandResults: Payload, Hashable {
    public static let kind: Kind = "results"

    /// One hand with what it shows.
    public struct Hand: Hashable, Sendable {
        /// The hand: its landmarks, those in the world, its handedness, its track.
        public var landmarks: Landmarks

        /// What it shows, best first; empty when nothing was said of it in this frame.
        public var gestures: [Recognition.Category]

        /// Puts gestures to a hand.
        public init(landmarks: Landmarks, gestures: [Recognition.Category] = []) {
            self.landmarks = landmarks
            self.gestures = gestures
        }
    }

    /// The hands; none when the frame shows none.
    public var hands: [Hand]

    /// Makes a frame's results.
    public init(hands: [Hand]) { self.hands = hands }
}
