import Pipeline
import Stages

/// A drawable sample of a gesture library. A library may contain strokes, hands and bitmaps.
package struct DrawnSample: Drawable {
    package static let kind: Kind = "sample"

    /// The stroke, hand or bitmap to draw.
    private enum Content {
        case stroke(Stroke)
        case hand(Landmarks)
        case bitmap(Bitmap)
    }

    private let content: Content
    private let gesture: String
    private let note: String

    /// Returns all samples of a library, gesture by gesture: strokes, hands, then bitmaps.
    package static func all(of library: GestureLibrary) -> [DrawnSample] {
        library.gestures.flatMap { gesture in
            let contents =
                gesture.samples.map(Content.stroke) + gesture.hands.map(Content.hand)
                + gesture.patterns.map { Content.bitmap(Bitmap(bits: $0)) }
            return contents.enumerated().map { place, content in
                var note = "sample \(place + 1)"
                if case .stroke(let stroke) = content, let subject = stroke.subject { note = subject }
                return DrawnSample(content: content, gesture: gesture.name, note: note)
            }
        }
    }

    static func add(_ frame: Frame<DrawnSample>, to collection: inout FigureCollection) throws {
        let sample = frame.payload
        let parts =
            switch sample.content {
            case .stroke(let stroke): try Stroke.figure(of: stroke, frame).parts
            // The figure is named by its gesture, so the hand needs no name of its own.
            case .hand(let hand): [try hand.skeleton(named: "")]
            case .bitmap(let bitmap): Bitmap.parts(of: bitmap)
            }
        collection.add(Figure(parts: parts, label: sample.gesture, isNamed: true, note: sample.note))
    }
}
