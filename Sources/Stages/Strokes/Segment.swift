import Pipeline
import PipelineComponents

/// Segments a stream of points into gestures: one stroke from pen down to pen up, or several if they follow each other quickly.
///
/// Time is event time: the pause after a stroke is measured in the timestamps of the stream. If no more events arrive, the engine's
/// clock detects the end of the pause. Complexity: O(1) per sample.
public struct Segment: ConfigurableStage {
    public struct Options: ComponentOptions {
        @Option(
            "Time that the pen must be up before a gesture is over. A stroke that begins before or at its end belongs to the same gesture.",
            in: 0...3_600_000)
        public var multiStrokeTimeoutMs = 300.0

        @Option("Smallest number of samples of a gesture. Smaller gestures are dropped.", in: 1...1_000_000)
        public var minPoints = 2

        @Option(
            "Smallest total length of a gesture's strokes, in the unit of the coordinates. Shorter gestures are dropped.",
            in: 0...1e12)
        public var minLength = 0.0

        @Option(
            "Longest duration of a gesture. A longer gesture is dropped, with everything up to the next stroke; this bounds the memory.",
            in: 1...86_400_000)
        public var maxDurationMs = 60_000.0

        public init() {}
    }

    public static let manifest = Manifest(
        name: "segment",
        summary: "Segments points into gestures: from pen down to pen up, joining strokes that follow quickly",
        details: """
            A gesture is emitted when the pen has been up for `multi_stroke_timeout_ms`, with the end of that time as its \
            timestamp (0: at once, every stroke is a gesture). A stroke begins and ends with the timestamps of its first and last \
            frame. If its `end` is missing, it ends with the last frame before the next `begin`. A `cancel` discards the gesture \
            in progress. Movement between strokes, for example of a mouse without a pressed button, is dropped as `hover`, and \
            changes nothing. If points are missing, the gesture they belonged to is discarded, and the frames up to the next \
            `end` or `begin` are dropped as `interrupted_stroke`, as are those at the start of a stream. Gestures below \
            `min_points` or `min_length` are dropped as `too_short`, or not counted if their last `end` is missing. Gestures \
            longer than `max_duration_ms` are dropped as `too_long`, and so is a gesture without a last `end` when nothing has \
            followed it until then. A gesture whose stroke is still being drawn when the stream ends is not emitted, and neither \
            are its earlier strokes. Samples without times get the time of their frame.
            """,
        drops: ["hover", "stroke_cancelled", "too_long", "too_short"],
        example: """
            version: 1
            name: segment-example
            sources:
              - stdin: { kind: points }
            stages:
              - segment: { multi_stroke_timeout_ms: 400, min_length: 10 }
            sinks:
              - stdout
            """)

    private enum State {
        /// The pen is up: there is no gesture, or the pen is between strokes of a gesture.
        case up
        /// A stroke is being drawn.
        case down
        /// The pen may be down. Everything up to the next `end` or `begin` is dropped, because it is the rest of a stroke whose
        /// beginning was discarded or is unknown.
        case skipping(DropReason)
    }

    private let options: Options
    private let maxDuration: Int64
    private var state = State.skipping("interrupted_stroke")
    private var gesture = Stroke(samples: [])
    /// The index of the first sample of the stroke in progress.
    private var strokeBegin = 0
    /// The time of the frame with which the gesture began, and that of its last frame so far.
    private var begun = Timestamp.zero
    private var last = Timestamp.zero
    private var length = 0.0

    public init(_ options: Options, _ context: BuildContext) throws { self.init(options) }

    /// Creates a stage from its options.
    public init(_ options: Options = Options()) {
        self.options = options
        maxDuration = Int64(options.maxDurationMs * 1000)
    }

    /// The time of the frame with which the current gesture began; `nil` if there is none. A gesture is current until the pause
    /// after it is over.
    public var heldSince: Timestamp? {
        if case .down = state { return begun }
        return gesture.samples.isEmpty ? nil : begun
    }

    /// - Throws: A frame error for samples that are not finite or too large. The gesture in progress is then discarded.
    public mutating func process(
        _ points: Points, _ header: borrowing Header, into emitter: borrowing Emitter<Stroke>
    ) throws {
        do {
            try points.check()
        } catch {
            discard(emitter)
            state = .skipping("interrupted_stroke")
            throw error
        }
        if header.gap > 0 {
            discard(emitter)
            state = .skipping("interrupted_stroke")
        }
        switch points.phase {
        case .begin:
            begin(points, header, emitter)
        case .cancel:
            discard(emitter)
            state = .up
            emitter.drop("stroke_cancelled")
            return
        case .move, .end:
            switch state {
            case .down: break
            case .up: return emitter.drop("hover")
            case .skipping(let reason):
                if points.phase == .end { state = .up }
                return emitter.drop(reason)
            }
        }
        append(points, header)
        last = header.timestamp
        if header.timestamp.microseconds(since: begun) > maxDuration {
            discard(emitter)
            state = .skipping("too_long")
            return emitter.drop("too_long")
        }
        if points.phase == .end { endStroke(at: header.timestamp, emitter) }
    }

    /// Emits the gesture, because the pen has been up long enough, or discards it, because it has lasted too long.
    public mutating func wake(at time: Timestamp, into emitter: borrowing Emitter<Stroke>) throws {
        switch state {
        case .up: emit(emitter)
        case .down:
            discard(emitter)
            state = .skipping("too_long")
            emitter.drop("too_long")
        case .skipping: break
        }
    }

    /// Emits the gesture if its pen is up.
    public mutating func finish(into emitter: borrowing Emitter<Stroke>) throws {
        if case .up = state { emit(emitter) }
    }

    private mutating func begin(
        _ points: Points, _ header: borrowing Header, _ emitter: borrowing Emitter<Stroke>
    ) {
        if case .down = state {
            // The sender never sent `end`, so the stroke ended with its last frame.
            closeStroke()
            let pause = options.multiStrokeTimeoutMs
            if pause == 0 || header.timestamp > last.advanced(byMilliseconds: pause) {
                // A drop would count for this frame, which belongs to the next gesture.
                if isLongEnough { emit(emitter) } else { clear() }
            }
        }
        if gesture.samples.isEmpty {
            begun = header.timestamp
            gesture.fields = points.fields.union(.time)
        }
        emitter.wake(at: begun.advanced(byMicroseconds: maxDuration))
        state = .down
    }

    private mutating func append(_ points: Points, _ header: borrowing Header) {
        let isTimed = points.fields.contains(.time)
        if gesture.samples.isEmpty, let first = points.samples.first {
            let offset = Int64(max(min(first.t, 9e15), 0))
            gesture.start = isTimed ? points.start.advanced(byMicroseconds: offset) : header.timestamp
        }
        let offset = Double((isTimed ? points.start : header.timestamp).microseconds(since: gesture.start))
        if !points.fields.contains(.pressure) { gesture.fields.remove(.pressure) }
        for sample in points.samples {
            var sample = sample
            sample.t = isTimed ? offset + sample.t : offset
            if gesture.samples.count > strokeBegin, let last = gesture.samples.last {
                let (dx, dy) = (sample.x - last.x, sample.y - last.y)
                length += (dx * dx + dy * dy).squareRoot()
            }
            gesture.samples.append(sample)
        }
    }

    private mutating func endStroke(at time: Timestamp, _ emitter: borrowing Emitter<Stroke>) {
        closeStroke()
        state = .up
        if options.multiStrokeTimeoutMs > 0 {
            emitter.wake(at: time.advanced(byMilliseconds: options.multiStrokeTimeoutMs))
        } else {
            emitter.wake(at: nil)
            emit(emitter)
        }
    }

    private mutating func closeStroke() {
        if gesture.samples.count > strokeBegin { gesture.counts.append(gesture.samples.count - strokeBegin) }
        strokeBegin = gesture.samples.count
    }

    private var isLongEnough: Bool { gesture.samples.count >= options.minPoints && length >= options.minLength }

    private mutating func emit(_ emitter: borrowing Emitter<Stroke>) {
        defer { clear() }
        guard !gesture.samples.isEmpty else { return }
        guard isLongEnough else { return emitter.drop("too_short") }
        if gesture.counts.count == 1 { gesture.counts.removeAll(keepingCapacity: true) }
        emitter.emit(gesture)
    }

    private mutating func discard(_ emitter: borrowing Emitter<Stroke>) {
        clear()
        emitter.wake(at: nil)
    }

    private mutating func clear() {
        gesture.samples.removeAll(keepingCapacity: gesture.samples.count < 65_536)
        gesture.counts.removeAll(keepingCapacity: true)
        strokeBegin = 0
        length = 0
    }
}
