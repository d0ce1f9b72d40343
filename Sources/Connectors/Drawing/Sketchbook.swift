import Pipeline
import Stages

/// The figures that frames have shown so far, those still being drawn included.
struct Sketchbook: Sendable {
    /// The most points it holds, so that a stroke without end does not take all memory.
    static let mostPoints = 4_194_304

    private struct Open {
        var points: [Ink.Point]
        let isInk: Bool
        let note: String
        /// How many frames it was made of.
        var frames = 0
    }

    /// The figures that are done, in order.
    private(set) var figures: [Figure] = []

    /// What streams show at present, when only that is kept.
    private var present: [StreamID: Figure] = [:]

    private let keepsPresent: Bool
    private var open: [StreamID: Open] = [:]
    private var size = 0

    /// An empty book.
    ///
    /// - Parameter keepsPresent: Whether of what moves, such as a hand, only the newest figure of each stream is kept; otherwise all are.
    init(keepsPresent: Bool = false) { self.keepsPresent = keepsPresent }

    /// Whether nothing more should be added.
    var isFull: Bool { size >= Self.mostPoints }

    /// How many figures there are, without those still being drawn.
    var count: Int { figures.count + present.count }

    /// Whether a figure that a stream shows would take the place of its last.
    func shows(_ stream: StreamID) -> Bool { present[stream] != nil }

    /// Adds a figure.
    mutating func add(_ figure: Figure) {
        figures.append(figure)
        size += figure.size
    }

    /// Adds what a stream shows at present: a figure that moves.
    mutating func show(_ figure: Figure, of stream: StreamID) {
        guard keepsPresent else { return add(figure) }
        size += figure.size - (present.updateValue(figure, forKey: stream)?.size ?? 0)
    }

    /// Adds a piece of the stroke that a stream is drawing. A piece without a beginning is one.
    mutating func extend(
        _ stream: StreamID, _ phase: Ink.Phase, by points: [Ink.Point], isInk: Bool, note: String
    ) {
        if phase == .cancel {
            size -= open.removeValue(forKey: stream)?.points.count ?? 0
            return
        }
        if phase == .begin { finish(stream) }
        open[stream, default: Open(points: [], isInk: isInk, note: note)].points.append(contentsOf: points)
        open[stream]?.frames += 1
        size += points.count
        if phase == .end { finish(stream) }
    }

    /// Ends the stroke that a stream is drawing, if any.
    mutating func finish(_ stream: StreamID) {
        guard let stroke = open.removeValue(forKey: stream), !stroke.points.isEmpty else { return }
        figures.append(Self.figure(stroke, of: stream))
    }

    /// Ends the strokes that are being drawn.
    mutating func finishAll() {
        for stream in open.keys.sorted(by: { $0.name < $1.name }) { finish(stream) }
    }

    /// Takes out the first figure that is done. O(figures).
    mutating func removeFirst() {
        size -= figures.removeFirst().size
    }

    /// How many frames its figures were made of.
    var frames: Int { figures.reduce(0) { $0 + $1.frames } + open.values.reduce(0) { $0 + $1.frames } }

    /// Forgets the figures that are done, and of how many frames the others were made.
    mutating func forgetFrames() {
        size -= figures.reduce(0) { $0 + $1.size }
        figures = []
        for stream in open.keys { open[stream]?.frames = 0 }
    }

    /// All figures, those of the present and those still being drawn behind the others. O(points being drawn).
    var all: [Figure] {
        figures + present.sorted { $0.key.name < $1.key.name }.map(\.value)
            + open.sorted { $0.key.name < $1.key.name }.map { Self.figure($0.value, of: $0.key) }
    }

    private static func figure(_ open: Open, of stream: StreamID) -> Figure {
        let part: Figure.Part =
            open.isInk ? .ink(open.points) : .line(open.points.map { Picture.Place(x: $0.x, y: $0.y) })
        return Figure(parts: [part], label: stream.name, note: open.note, frames: open.frames)
    }
}
