import Pipeline
import PipelineComponents
import Stages

/// A payload that a picture can show.
protocol Drawable: Payload {
    /// Adds the figure of a frame to a collection.
    ///
    /// - Throws: A frame error if the frame contains numbers that are not finite, or nothing to draw.
    static func add(_ frame: Frame<Self>, to collection: inout FigureCollection) throws
}

extension Stroke: Drawable {
    static func add(_ frame: Frame<Stroke>, to collection: inout FigureCollection) throws {
        collection.add(try figure(of: frame.payload, frame))
    }

    static func figure<P>(of stroke: Stroke, _ frame: Frame<P>) throws -> Figure {
        try stroke.check()
        let lines = stroke.strokeRanges.map { range in
            Figure.Part.line(stroke.samples[range].map { Picture.Place(x: $0.x, y: $0.y) })
        }
        return Figure(
            parts: lines, label: stroke.label ?? frame.stream.name, isNamed: stroke.label != nil,
            note: stroke.subject ?? frame.seconds)
    }
}

extension Points: Drawable {
    static func add(_ frame: Frame<Points>, to collection: inout FigureCollection) throws {
        let points = frame.payload
        try points.check()
        let places = points.samples.map { Ink.Point(x: $0.x, y: $0.y) }
        collection.extend(frame.stream, points.phase.ink, by: places, isInk: false, note: frame.seconds)
    }
}

extension Ink: Drawable {
    static func add(_ frame: Frame<Ink>, to collection: inout FigureCollection) throws {
        let ink = frame.payload
        try ink.check()
        guard ink.phase == .whole else {
            return collection.extend(frame.stream, ink.phase, by: ink.points, isInk: true, note: frame.seconds)
        }
        let parts = ink.strokeRanges.map { Figure.Part.ink(Array(ink.points[$0])) }
        collection.add(
            Figure(
                parts: parts, label: ink.label ?? frame.stream.name, isNamed: ink.label != nil,
                note: ink.subject ?? frame.seconds))
    }
}

extension Landmarks: Drawable {
    static func add(_ frame: Frame<Landmarks>, to collection: inout FigureCollection) throws {
        let landmarks = frame.payload
        collection.show(
            Figure(
                parts: [try landmarks.skeleton()], label: landmarks.title ?? landmarks.topology, note: frame.seconds),
            of: frame.stream)
    }

    /// The handedness and the label of a hand; `nil` if neither is known.
    var title: String? {
        let words = [handedness, label].compactMap { $0 }
        return words.isEmpty ? nil : words.joined(separator: " ")
    }

    /// Returns the landmarks as a figure part in which connected landmarks are joined by lines.
    ///
    /// - Parameter name: The name of the part. By default, it is ``title``.
    func skeleton(named name: String? = nil) throws -> Figure.Part {
        let most = Stroke.largestMagnitude
        guard points.allSatisfy({ abs($0.x) <= most && abs($0.y) <= most }) else {
            throw PipelineError.frame("landmarks.not_finite", "a landmark is not finite or too large")
        }
        return .skeleton(
            points.map { Picture.Place(x: $0.x, y: $0.y) },
            Figure.SkeletonAttributes(topology: topology, confidences: confidences, name: name ?? title))
    }
}

extension Hands: Drawable {
    static func add(_ frame: Frame<Hands>, to collection: inout FigureCollection) throws {
        let hands = frame.payload.hands
        let names = hands.compactMap(\.title).joined(separator: ", ")
        collection.show(
            Figure(
                parts: try hands.map { try $0.skeleton() },
                label: hands.isEmpty ? "no hand" : names.isEmpty ? frame.stream.name : names, note: frame.seconds),
            of: frame.stream)
    }
}

extension HandResults: Drawable {
    static func add(_ frame: Frame<HandResults>, to collection: inout FigureCollection) throws {
        let hands = frame.payload.hands
        let names = hands.map(\.title)
        let label = names.filter { !$0.isEmpty }.joined(separator: ", ")
        collection.show(
            Figure(
                parts: try zip(hands, names).map { try $0.landmarks.skeleton(named: $1) },
                label: hands.isEmpty ? "no hand" : label.isEmpty ? frame.stream.name : label, note: frame.seconds),
            of: frame.stream)
    }
}

extension HandResults.Hand {
    /// The handedness and the recognized gesture of a hand; empty if neither is known.
    var title: String {
        [landmarks.handedness, gestures.first?.displayName ?? landmarks.label].compactMap { $0 }
            .joined(separator: " ")
    }
}

extension Bitmap: Drawable {
    static func add(_ frame: Frame<Bitmap>, to collection: inout FigureCollection) throws {
        let bitmap = frame.payload
        collection.add(
            Figure(
                parts: parts(of: bitmap), label: bitmap.label ?? frame.stream.name, isNamed: bitmap.label != nil,
                note: frame.seconds))
    }

    /// Returns the parts of a bitmap's figure: the border around all cells, and the black cells.
    static func parts(of bitmap: Bitmap) -> [Figure.Part] {
        func square(_ x: Int, _ y: Int, side: Int) -> [Picture.Place] {
            [(x, y), (x + side, y), (x + side, y + side), (x, y + side)].map {
                Picture.Place(x: Double($0.0), y: Double($0.1))
            }
        }
        var black: [[Picture.Place]] = []
        for row in 0..<Bitmap.side {
            for column in 0..<Bitmap.side where bitmap[row: row, column: column] {
                black.append(square(column, row, side: 1))
            }
        }
        return [.cells(black, within: square(0, 0, side: Bitmap.side))]
    }
}

extension Recognition: Drawable {
    static func add(_ frame: Frame<Recognition>, to collection: inout FigureCollection) throws {
        let recognition = frame.payload
        var figure: Figure
        var moves = false
        switch recognition.subject {
        case .stroke(let stroke): figure = try Stroke.figure(of: stroke, frame)
        case .landmarks(var landmarks):
            // The figure's label names the recognized gesture, so the hand needs no name of its own.
            (landmarks.handedness, landmarks.label) = (nil, nil)
            figure = Figure(parts: [try landmarks.skeleton()])
            moves = true
        case nil:
            throw PipelineError.frame(
                "draw.no_subject", "the recognition does not carry what was recognized",
                help: "match: { subject: true }")
        }
        guard recognition.best.score.isFinite else {
            throw PipelineError.frame("draw.not_finite", "the score of the recognition is not finite")
        }
        figure.label = recognition.best.displayName
        figure.isNamed = true
        var note = TextBuffer(capacity: 64)
        note.fixed(recognition.best.score, decimals: 2)
        figure.note = note.text
        if let label = recognition.label, label != recognition.best.name { figure.note = "labeled \(label)" }
        if moves { collection.show(figure, of: frame.stream) } else { collection.add(figure) }
    }
}

extension Frame {
    /// The frame's timestamp as human-readable text.
    fileprivate var seconds: String {
        var text = TextBuffer(capacity: 64)
        text.fixed(Double(timestamp.rawValue) / 1e6, decimals: 2)
        text.literal(" s")
        return text.text
    }
}
