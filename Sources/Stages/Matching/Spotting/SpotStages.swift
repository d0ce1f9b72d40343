import Pipeline
import PipelineComponents

/// Finds gestures in the points of one stream.
struct SpotPointsStage: Stage {
    private var reporter: SpotReporter
    private var times: SampleTimes

    /// The default step of a pointer's movement, in the unit of its coordinates.
    private static let defaultStep = 10.0

    init(_ library: GestureLibrary, _ options: Spot.Options, _ context: BuildContext = BuildContext()) throws {
        reporter = try SpotReporter(library, options, step: options.step ?? Self.defaultStep, context)
        times = SampleTimes(maxGapMs: options.maxGapMs)
    }

    /// - Throws: A frame error if a sample is not finite or too large. The movement then starts over.
    mutating func process(
        _ points: Points, _ header: borrowing Header, into emitter: borrowing Emitter<Recognition>
    ) throws {
        guard points.samples.areUsable else {
            reset(emitter)
            throw PipelineError.frame("points.not_finite", "a sample of the points is not finite or too large")
        }
        if points.phase == .cancel {
            reset(emitter)
            return emitter.drop("stroke_cancelled")
        }
        if header.gap > 0 || points.phase == .begin {
            reporter.end(into: emitter)
            times.reset()
        }
        let sampleTimes = times.of(points, at: header.timestamp)
        reporter.begin(header.timestamp, from: sampleTimes.first)
        for (sample, time) in zip(points.samples, sampleTimes) {
            reporter.add(SpotPoint(x: sample.x, y: sample.y, time: time.rawValue), into: emitter)
        }
        if points.phase == .end {
            reporter.end(into: emitter)
            times.reset()
        }
        reporter.requestWake(after: header.timestamp, emitter)
    }

    private mutating func reset(_ emitter: borrowing Emitter<Recognition>) {
        reporter.reset()
        times.reset()
        emitter.wake(at: nil)
    }

    var heldSince: Timestamp? { reporter.heldSince }

    mutating func wake(at time: Timestamp, into emitter: borrowing Emitter<Recognition>) throws {
        reporter.wake(at: time, into: emitter)
    }

    mutating func finish(into emitter: borrowing Emitter<Recognition>) throws { reporter.end(into: emitter) }
}

/// Finds gestures in the movement of one landmark of one stream.
struct SpotLandmarksStage: Stage {
    private var reporter: SpotReporter
    private let place: Int
    private let topology: Topology
    private let maxGapMs: Double
    private var last: Timestamp?

    init(
        _ library: GestureLibrary, _ options: Spot.Options, _ topology: Topology, _ space: CoordinateSpace?,
        _ context: BuildContext
    ) throws {
        let step = options.step ?? Self.defaultStep(space)
        reporter = try SpotReporter(library, options, step: step, context)
        let name = options.landmark ?? LandmarkName(topology.points.count == 1 ? "0" : "indexTip")
        place = name.place(in: topology, context) ?? 0
        self.topology = topology
        maxGapMs = options.maxGapMs
    }

    /// The default step of a landmark's movement: about a hundredth of the camera's field of view.
    private static func defaultStep(_ space: CoordinateSpace?) -> Double {
        switch space {
        case .pixels: 10
        case .world: 0.005
        default: 0.01
        }
    }

    /// - Throws: A frame error if the landmarks have another topology or are not finite.
    mutating func process(
        _ landmarks: Landmarks, _ header: borrowing Header, into emitter: borrowing Emitter<Recognition>
    ) throws {
        try landmarks.check(topology)
        guard landmarks.confidences.isEmpty || landmarks.confidences[place] > 0 else {
            return emitter.drop("landmark_missing")
        }
        let time = header.timestamp
        if let last, Double(time.microseconds(since: last)) > maxGapMs * 1000 { reporter.end(into: emitter) }
        last = time
        reporter.begin(time, from: time)
        let point = landmarks.points[place]
        reporter.add(SpotPoint(x: point.x, y: point.y, time: time.rawValue), into: emitter)
        reporter.requestWake(after: time, emitter)
    }

    var heldSince: Timestamp? { reporter.heldSince }

    mutating func wake(at time: Timestamp, into emitter: borrowing Emitter<Recognition>) throws {
        reporter.wake(at: time, into: emitter)
    }

    mutating func finish(into emitter: borrowing Emitter<Recognition>) throws { reporter.end(into: emitter) }
}
