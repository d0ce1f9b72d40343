import Pipeline
import Stages

/// The figures drawn from frames so far, and the strokes in progress.
struct FigureCollection: Sendable {
    /// The maximum number of points, so that an endless stroke does not use up all memory.
    static let mostPoints = 4_194_304

    /// A stroke in progress, of which some pieces have arrived.
    private struct Open {
        var points: [Ink.Point]
        let isInk: Bool
        let note: String
        /// The number of frames that the stroke consists of.
        var frames = 0
    }

    /// The finished figures, in order.
    private(set) var figures: [Figure] = []

    /// The newest figure of each stream that shows something that moves. Only this figure of the stream is kept.
    private var present: [StreamID: Figure] = [:]

    private let keepsPresent: Bool
    private var open: [StreamID: Open] = [:]
    /// The number of points in all figures and strokes in progress.
    private var size = 0

    /// Creates an empty collection.
    ///
    /// - Parameter keepsPresent: Whether to keep only the newest figure of a stream if the stream shows something that moves, such
    ///   as a hand. Otherwise, all figures are kept.
    init(keepsPresent: Bool = false) { self.keepsPresent = keepsPresent }

    /// Whether the collection has reached ``mostPoints``, so that no further figures may be added.
    var isFull: Bool { size >= Self.mostPoints }

    /// The number of figures, without those in progress.
    var count: Int { figures.count + present.count }

    /// Whether a new figure of a stream would replace its previous one.
    func shows(_ stream: StreamID) -> Bool { present[stream] != nil }

    /// Adds a finished figure.
    mutating func add(_ figure: Figure) {
        figures.append(figure)
        size += figure.size
    }

    /// Adds a figure that shows something that moves, such as a hand. It replaces the previous figure of the stream if only the
    /// newest figures are kept.
    mutating func show(_ figure: Figure, of stream: StreamID) {
        guard keepsPresent else { return add(figure) }
        size += figure.size - (present.updateValue(figure, forKey: stream)?.size ?? 0)
    }

    /// Adds a piece to the stroke in progress of a stream. Without a stroke in progress, the piece starts one.
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

    /// Finishes the stroke in progress of a stream, if there is one.
    mutating func finish(_ stream: StreamID) {
        guard let stroke = open.removeValue(forKey: stream), !stroke.points.isEmpty else { return }
        figures.append(Self.figure(stroke, of: stream))
    }

    /// Finishes all strokes in progress.
    mutating func finishAll() {
        for stream in open.keys.sorted() { finish(stream) }
    }

    /// Removes the first finished figure. O(figures).
    mutating func removeFirst() {
        size -= figures.removeFirst().size
    }

    /// The number of frames in the finished figures and in the strokes in progress.
    var frames: Int { figures.reduce(0) { $0 + $1.frames } + open.values.reduce(0) { $0 + $1.frames } }

    /// Removes the finished figures, and sets the frame counts of the strokes in progress to 0.
    mutating func discardFinished() {
        size -= figures.reduce(0) { $0 + $1.size }
        figures = []
        for stream in open.keys { open[stream]?.frames = 0 }
    }

    /// All figures: the finished ones, then the newest ones of each stream, then the strokes in progress. O(points in progress).
    var all: [Figure] {
        figures + present.sorted { $0.key < $1.key }.map(\.value)
            + open.sorted { $0.key < $1.key }.map { Self.figure($0.value, of: $0.key) }
    }

    private static func figure(_ open: Open, of stream: StreamID) -> Figure {
        let part: Figure.Part =
            open.isInk ? .ink(open.points) : .line(open.points.map { Picture.Place(x: $0.x, y: $0.y) })
        return Figure(parts: [part], label: stream.name, note: open.note, frames: open.frames)
    }
}
