import Pipeline
import Stages

/// Shows what a gesture library holds.
enum LibraryListing {
    /// A gesture a line.
    static func text(_ library: GestureLibrary, _ style: Style) -> String {
        var table = Table([
            ("gesture", .left), ("kind", .left), ("samples", .right), ("points", .right), ("shown as", .left),
        ])
        for gesture in library.gestures {
            let names = gesture.displayNames.sorted { $0.key < $1.key }.map { "\($0.value) (\($0.key))" }
            table.add([
                gesture.name, gesture.kind.rawValue, "\(gesture.samples.count)", points(gesture),
                names.joined(separator: ", "),
            ])
        }
        return table.text(style)
    }

    /// A gesture as data, without its samples' points.
    static func json(_ gesture: GestureLibrary.Gesture) -> JSONValue {
        .object([
            ("name", .string(gesture.name)), ("kind", .string(gesture.kind.rawValue)),
            (
                "display_names",
                .object(gesture.displayNames.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })
            ),
            ("samples", .array(gesture.samples.map { .object([("points", .integer($0.samples.count))]) })),
        ])
    }

    /// Drawings of samples, under a heading for each gesture.
    static func drawings(_ gestures: [GestureLibrary.Gesture], numbered first: Int = 1, _ style: Style) -> String {
        gestures.map { gesture in
            let samples = gesture.samples.enumerated().map { index, sample in
                let strokes = max(1, sample.counts.count)
                var heading = "sample \(first + index), \(sample.samples.count) points"
                if strokes > 1 { heading += " in \(strokes) strokes" }
                if let subject = sample.subject { heading += ", by \(subject)" }
                return style.faint(heading) + "\n" + GestureDrawing.text(sample) + "\n"
            }
            return style.strong(gesture.name) + "\n" + samples.joined(separator: "\n")
        }.joined(separator: "\n")
    }

    /// Every sample as a line of canonical JSON, labelled with its gesture's name, a second behind the one before.
    static func export(_ library: GestureLibrary, _ write: (String) throws -> Void) throws {
        let encoder = CanonicalEncoder()
        var sequence: Int64 = 0
        var next = Timestamp.zero
        for gesture in library.gestures {
            for sample in gesture.samples {
                var sample = sample
                sample.label = gesture.name
                let lasts = sample.end.rawValue - sample.start.rawValue
                sample.start = next
                let end = Timestamp(rawValue: next.rawValue + lasts)
                var json = TextBuffer()
                try encoder.encode(Frame(sample, at: end, stream: "library", sequence: sequence), into: &json)
                try write(json.text + "\n")
                sequence += 1
                next = end.advanced(byMilliseconds: 1000)
            }
        }
    }

    private static func points(_ gesture: GestureLibrary.Gesture) -> String {
        let counts = gesture.samples.map(\.samples.count)
        guard let least = counts.min(), let most = counts.max() else { return "" }
        return least == most ? "\(least)" : "\(least) to \(most)"
    }
}
