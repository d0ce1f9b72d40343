import Pipeline
import PipelineComponents

/// Drives a ``Spotter`` by the time of a stream, and emits the gestures that it finds.
struct SpotReporter: Sendable {
    private let library: SpotLibrary
    private let options: Spot.Options
    private var spotter: Spotter
    private var smoother: PointSmoother
    private var order: [Int] = []
    /// The time of the current frame, and the time of the latest frame that began while the spotter was idle.
    private var frame = Timestamp.zero
    private var movingSince = Timestamp.zero
    /// The longest time in this movement, up to ``longestSpan``, from the first sample of a frame to the timestamp of the frame. When
    /// the stream has reached a time, the samples of its next frame may be earlier by this much.
    private var span: Int64 = 0
    /// A frame that spans more time has wrong times, which must not delay the gestures after it.
    private static var longestSpan: Int64 { 10_000_000 }
    private var output = Recognition(categories: [.none], margin: 0, matcher: "spot")

    init(_ library: GestureLibrary, _ options: Spot.Options, step: Double, _ context: BuildContext) throws {
        let prepared = try SpotLibrary(library, options, step: step, context)
        self.library = prepared
        self.options = options
        spotter = Spotter(prepared, options.limits(step: step), minDuration: options.minDuration)
        smoother = PointSmoother(milliseconds: options.smoothingMs)
    }

    /// The time of the first frame that may be part of a gesture that was not emitted yet; `nil` if there is none.
    var heldSince: Timestamp? { spotter.isIdle ? nil : max(movingSince, spotter.firstFrame ?? movingSince) }

    /// Begins to process the frame with a timestamp and, unless it is empty, the time of its first sample.
    mutating func begin(_ time: Timestamp, from first: Timestamp?) {
        frame = time
        if spotter.isIdle { movingSince = time }
        if let first { span = max(span, min(time.rawValue.subtractingSaturated(first.rawValue), Self.longestSpan)) }
    }

    /// Adds a position. Emits the gestures that were due before it, and then those that are due at its time.
    mutating func add(_ point: SpotPoint, into emitter: borrowing Emitter<Recognition>) {
        emit(dueBy: point.time.addingSaturated(-1), into: emitter)
        spotter.add(smoother.smooth(point), of: frame)
        emit(dueBy: point.time, into: emitter)
    }

    /// Requests a wake-up for the time, after the given one, at which the next gesture is due and no earlier sample can arrive.
    func requestWake(after time: Timestamp, _ emitter: borrowing Emitter<Recognition>) {
        let after = time.rawValue.addingSaturated(1)
        emitter.wake(at: spotter.nextDue.map { Timestamp(rawValue: max($0.addingSaturated(span), after)) })
    }

    /// Emits the gestures that are due now that the stream has reached a time, and requests the next wake-up.
    mutating func wake(at time: Timestamp, into emitter: borrowing Emitter<Recognition>) {
        emit(dueBy: time.rawValue.subtractingSaturated(span), into: emitter)
        requestWake(after: time, emitter)
    }

    /// Ends the movement: emits all gestures that were found.
    mutating func end(into emitter: borrowing Emitter<Recognition>) {
        spotter.end()
        emit(dueBy: .max, into: emitter)
        reset()
    }

    /// Discards the movement and the gestures found in it.
    mutating func reset() {
        spotter.reset()
        smoother.reset()
        span = 0
    }

    private mutating func emit(dueBy time: Int64, into emitter: borrowing Emitter<Recognition>) {
        while let gesture = spotter.next(dueBy: time) {
            guard gesture.category != library.none else { continue }
            fill(gesture)
            emitter.emit(output)
            output.subject = nil
        }
    }

    private mutating func fill(_ gesture: SpottedGesture) {
        let distances = spotter.distances(of: gesture)
        order.removeAll(keepingCapacity: true)
        order.append(contentsOf: distances.indices)
        order.sort { (distances[$0], $0) < (distances[$1], $1) }
        func score(_ category: Int) -> Double { 1 / (1 + distances[category]) }
        output.categories.removeAll(keepingCapacity: true)
        for category in order where category != library.none {
            guard output.categories.count < options.categories.most else { break }
            guard distances[category] <= options.maxDistance || category == gesture.category else { break }
            var found = library.categories[category]
            found.score = score(category)
            output.categories.append(found)
        }
        output.margin = score(order[0]) - (order.count > 1 ? score(order[1]) : 0)
        output.start = Timestamp(rawValue: gesture.start)
        output.end = Timestamp(rawValue: gesture.end)
        if options.subject { output.subject = .stroke(path(of: gesture)) }
    }

    private func path(of gesture: SpottedGesture) -> Stroke {
        let samples = spotter.points(of: gesture).map {
            Sample(x: $0.x, y: $0.y, t: Double($0.time.subtractingSaturated(gesture.start)))
        }
        return Stroke(samples: samples, start: output.start, fields: .time)
    }
}
