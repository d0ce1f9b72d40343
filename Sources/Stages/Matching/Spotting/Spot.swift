import Pipeline
import PipelineComponents

/// Finds gestures in a continuous movement: of a mouse, of a pen that is never lifted, or of a fingertip of a tracked hand.
///
/// `Spotter`, `SpotTracker` and `SpotVerifier` implement the algorithm.
public enum Spot {
    public struct Options: ComponentOptions {
        @Option("File of the gesture library.", isRequired: true, example: "gestures.json")
        public var library = FilePath("")

        @Option(
            "Landmark to follow if the input is landmarks; the tip of the index finger by default.",
            example: "thumbTip")
        public var landmark: LandmarkName?

        @Option(
            "Largest distance that is a match. Lower values give fewer gestures and fewer false alarms.",
            in: 0...10)
        public var maxDistance = 0.265

        @Option(
            "Length of a step of the pointer, in the unit of the coordinates. By default 10; for landmarks 0.005 in world space, 10 in pixels, otherwise 0.01.",
            in: 1e-9...1e9, example: "5")
        public var step: Double?

        @Option("Time constant of the exponential smoothing; 0 for none.", in: 0...1000)
        public var smoothingMs = 16.0

        @Option("Shortest duration of a gesture, as a share of the duration of its sample.", in: 0...10)
        public var minDuration = 0.5

        @Option("Shortest length of a gesture's path, in the unit of the coordinates.", in: 0...1e9)
        public var minLength = 0.0

        @Option(
            "Longest delay between the last movement of a gesture and its recognition. Until then, a better gesture that overlaps can replace the gesture.",
            in: 0...10_000)
        public var maxDelayMs = 60.0

        @Option("Longest pause between landmarks. After a longer one, a new movement starts.", in: 0...3_600_000)
        public var maxGapMs = 500.0

        @Option("Gesture whose samples are examples of None. If a movement is nearest to it, nothing is reported.")
        public var noneClass = "none"

        public var categories = CategoryOptions()

        @Option("Locale of display names.", example: "de")
        public var displayNames: String?

        @Option("Whether recognitions include the path of the gesture, as a stroke.")
        public var subject = false

        public init() {}
    }
}
