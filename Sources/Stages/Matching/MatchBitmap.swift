import Pipeline
import PipelineComponents

/// Recognizes gestures by comparing their bitmaps with those of a library.
///
/// The library is prepared as for ``Match``: its strokes go through new instances of the pure stages directly upstream
/// (`rasterize`). The category options are also the same. `BitmapMatcher` implements the comparison.
public enum MatchBitmap {
    /// The similarity measure of two bitmaps.
    public enum Score: String, OptionChoice {
        /// Twice the number of common black cells, divided by the sum of both numbers of black cells (Dice 1945, Sørensen 1948).
        /// It is 1 for two empty bitmaps.
        case dice
        /// The share of the query's black cells that the pattern also has, as in Scribe. It is 0 for an empty query.
        case overlap
        /// The share of the 64 cells that are equal.
        case hamming
    }

    public struct Options: ComponentOptions {
        @Option("File of the gesture library.", isRequired: true, example: "gestures.json")
        public var library = FilePath("")

        @Option(
            "dice: share of the black cells of both bitmaps that are common, 1 for two empty bitmaps; overlap: share of the drawn ones, 0 for an empty drawing, as in Scribe; hamming: share of equal cells."
        )
        public var score = Score.dice

        @Option("Lowest score that is a match.", in: 0...1)
        public var scoreThreshold = 0.5

        public var categories = CategoryOptions()

        @Option(
            "Whether None is emitted when nothing matches. Otherwise the frame is dropped as no_match.")
        public var emitNone = true

        @Option("Locale of display names.", example: "de")
        public var displayNames: String?

        @Option("Whether recognitions include the recognized payload.")
        public var subject = false

        public init() {}
    }
}
