import Connectors
import Pipeline
import PipelineComponents
import Stages

/// Writes the contents of a gesture library as text, JSON and drawings.
enum LibraryListing {
    /// Returns a table with one gesture per line.
    static func text(_ library: GestureLibrary, _ style: Style) -> String {
        var table = Table([
            ("gesture", .left), ("kind", .left), ("samples", .right), ("points", .right), ("shown as", .left),
        ])
        for gesture in library.gestures {
            let names = gesture.displayNames.sorted { $0.key < $1.key }.map { "\($0.value) (\($0.key))" }
            table.add([
                gesture.name, gesture.kind.rawValue, "\(gesture.sampleCount)", points(gesture),
                names.joined(separator: ", "),
            ])
        }
        return table.text(style)
    }

    /// Returns a gesture as JSON, without the points of its samples.
    static func json(_ gesture: GestureLibrary.Gesture) -> JSONValue {
        .object([
            ("name", .string(gesture.name)), ("kind", .string(gesture.kind.rawValue)),
            (
                "display_names",
                .object(gesture.displayNames.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })
            ),
            ("samples", .array(counts(gesture).map { .object([("points", .integer($0))]) })),
            ("patterns", .array(gesture.patterns.map { .string($0.hexadecimal) })),
        ])
    }

    /// Returns drawings of samples, under a heading for each gesture.
    ///
    /// - Parameters:
    ///   - first: The number that the heading of the first sample shows.
    ///   - asGrid: Whether to draw strokes as bitmaps.
    static func drawings(
        _ gestures: [GestureLibrary.Gesture], numbered first: Int = 1, asGrid: Bool = false, _ style: Style
    ) -> String {
        gestures.map { gesture in
            let samples = gesture.samples.enumerated().map { index, sample in
                let strokes = max(1, sample.counts.count)
                var heading = "sample \(first + index), \(sample.samples.count) points"
                if strokes > 1 { heading += " in \(strokes) strokes" }
                if let subject = sample.subject { heading += ", by \(subject.shown)" }
                let drawing = asGrid ? BitmapDrawing.text(sample) ?? "" : GestureDrawing.text(sample)
                return style.faint(heading) + "\n" + drawing + "\n"
            }
            let hands = gesture.hands.enumerated().map { index, hand in
                let side = hand.handedness.map { ", \($0.lowercased().shown)" } ?? ""
                let heading = "sample \(first + samples.count + index), a hand\(side)"
                return style.faint(heading) + "\n" + GestureDrawing.text(hand) + "\n"
            }
            let patterns = gesture.patterns.enumerated().map { index, pattern in
                let heading = "sample \(first + samples.count + hands.count + index), a bitmap"
                return style.faint(heading) + "\n" + BitmapDrawing.text(pattern) + "\n"
            }
            return style.strong(gesture.name.shown) + "\n" + (samples + hands + patterns).joined(separator: "\n")
        }.joined(separator: "\n")
    }

    /// Writes every sample of a kind as a line of canonical JSON, labeled with its gesture's name. Each sample starts one second
    /// after the end of the previous one.
    static func export(
        _ library: GestureLibrary, _ kind: GestureLibrary.GestureKind, _ write: (String) throws -> Void
    ) throws {
        let encoder = CanonicalEncoder()
        var sequence: Int64 = 0
        var next = Timestamp.zero
        func writeLine(_ payload: some WireEncodable, until end: Timestamp) throws {
            var json = TextBuffer()
            try encoder.encode(Frame(payload, at: end, stream: "library", sequence: sequence), into: &json)
            try write(json.text + "\n")
            sequence += 1
            next = end.advanced(byMilliseconds: 1000)
        }
        for gesture in library.gestures {
            for sample in gesture.samples where kind == .stroke || (kind == .motion && gesture.kind == .motion) {
                var sample = sample
                sample.label = gesture.name
                let duration = sample.end.rawValue - sample.start.rawValue
                sample.start = next
                try writeLine(sample, until: Timestamp(rawValue: next.rawValue + duration))
            }
            for hand in gesture.hands where kind == .hand21 {
                var hand = hand
                hand.label = gesture.name
                try writeLine(hand, until: next)
            }
            for pattern in gesture.patterns where kind == .bitmap {
                try writeLine(Bitmap(bits: pattern, start: next, end: next, label: gesture.name), until: next)
            }
        }
    }

    /// Returns the number of points of every sample, except bare bitmaps.
    private static func counts(_ gesture: GestureLibrary.Gesture) -> [Int] {
        gesture.samples.map(\.samples.count) + gesture.hands.map(\.points.count)
    }

    private static func points(_ gesture: GestureLibrary.Gesture) -> String {
        let counts = counts(gesture)
        guard let least = counts.min(), let most = counts.max() else { return "" }
        return least == most ? "\(least)" : "\(least) to \(most)"
    }
}
