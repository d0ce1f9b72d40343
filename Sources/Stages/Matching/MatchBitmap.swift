import Pipeline
import PipelineComponents

/// Recognizes gestures by comparison of their pictures with those of a library.
///
/// It is made as ``Match`` is: the library's strokes go through fresh copies of the pure stages right above (`rasterize`), and what
/// it can be told of categories is the same. The comparison stands in `BitmapMatcher`.
public enum MatchBitmap {
    /// How two pictures are compared.
    public enum Score: String, OptionChoice {
        /// Twice the cells that both have, by the cells that each has (Dice 1945, Sørensen 1948).
        case dice
        /// The share of the drawn cells that the pattern has too: Scribe's order.
        case overlap
        /// The share of the 64 cells that are alike.
        case hamming
    }

    public struct Options: ComponentOptions {
        @Option("File of the gesture library.", isRequired: true, example: "gestures.json")
        public var library = FilePath("")

        @Option(
            "dice compares the common cells with those of both pictures; overlap with the drawn ones alone, as Scribe does; hamming counts equal cells."
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

        @Option("Whether recognitions carry what was recognized.")
        public var subject = false

        public init() {}
    }
}
