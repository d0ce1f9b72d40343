import Pipeline
import PipelineComponents

/// Resamples landmarks and pen samples to an even rate, by linear interpolation. Complexity: O(numbers) per emitted frame or
/// sample.
public struct ResampleTime: Stage {
    private var grid: TimeGrid
    private var before = Landmarks.empty
    private var output = Landmarks.empty

    /// Creates a stage that resamples landmarks.
    public init(_ options: Options) { grid = TimeGrid(options) }

    public var stampsEarlierByUs: Int64 { grid.stampsEarlierByUs }

    /// - Throws: A frame error for numbers that are not finite.
    public mutating func process(
        _ landmarks: Landmarks, _ header: borrowing Header, into emitter: borrowing Emitter<Landmarks>
    ) throws {
        try landmarks.check()
        // A double represents all integers up to 2^53 exactly, so timestamps in microseconds lose nothing.
        let time = Double(header.timestamp.rawValue)
        if grid.repeats(time), landmarks.continues(before) { return emitter.drop("repeated_time") }
        defer { before.copy(landmarks) }
        guard header.gap == 0, grid.continues(time), landmarks.continues(before) else {
            grid.begin(time)
            return emitter.emit(landmarks)
        }
        while let (moment, share) = grid.next(to: time) {
            output.interpolate(from: before, to: landmarks, share)
            emitter.emit(output, at: Timestamp(rawValue: Int64(moment)))
        }
    }
}

extension ResampleTime: StageComponent {
    public struct Options: ComponentOptions {
        @Option(
            "Number of frames, or of samples of a stroke, per second.", in: 0.001...1000, isRequired: true,
            example: "60")
        public var hz = 30.0

        @Option(
            "Longest pause to bridge. After a longer one, or after missing frames, the rate starts over.",
            in: 1...60_000)
        public var maxGapMs = 200.0

        public init() {}
    }

    public static let manifest = Manifest(
        name: "resample_time",
        summary: "Resamples landmarks or points to an even rate in time",
        details: """
            The first frame is emitted unchanged. From then on one frame is emitted every 1/`hz` seconds of stream time, \
            interpolated between the frames before and after that time; everything that is not a coordinate or a confidence is \
            taken from the later frame. The rate starts over with the next frame after a pause of more than `max_gap_ms`, after \
            missing frames, and when the topology or the track changes. For `points`, the samples of every stroke are resampled: \
            the first sample of the stroke is kept, and the rate starts there. The pieces begin and end as in the input. Samples \
            of a frame without times, or with equal times, are spread evenly over the time since the sample before, if that is \
            not more than `max_gap_ms`.
            """,
        drops: ["repeated_time"],
        example: """
            version: 1
            name: resample-time-example
            sources:
              - stdin: { kind: landmarks }
            stages:
              - resample_time: { hz: 60 }
            sinks:
              - stdout
            """)

    public static let makes = Production.same

    public static func accepts(_ options: Options) -> Acceptance {
        .one(of: [PortType(Landmarks.self), PortType(Points.self)])
    }

    public static func make(_ options: Options, for input: PortType, _ context: BuildContext) throws -> any Stage {
        input.payload is Points.Type ? ResampleTimeOfPoints(options) : ResampleTime(options)
    }
}

extension Landmarks {
    /// Returns whether these landmarks can belong to the same object as earlier ones.
    fileprivate func continues(_ other: Landmarks) -> Bool {
        topology == other.topology && points.count == other.points.count && space == other.space && track == other.track
            && hasDepth == other.hasDepth
    }

    /// Sets this value to the interpolation between two others.
    fileprivate mutating func interpolate(from a: Landmarks, to b: Landmarks, _ share: Double) {
        copy(b)
        points.mix(with: a.points, 1 - share)
        if a.world.count == world.count { world.mix(with: a.world, 1 - share) }
        guard a.confidences.count == confidences.count else { return }
        for index in confidences.indices {
            confidences[index] += (1 - share) * (a.confidences[index] - confidences[index])
        }
    }
}

extension [Landmarks.Point] {
    /// Moves every point toward the corresponding point of another list by a fraction. The lists must be equally long.
    fileprivate mutating func mix(with other: [Landmarks.Point], _ share: Double) {
        guard share > 0 else { return }
        for index in indices {
            let (a, b) = (self[index], other[index])
            self[index] = Landmarks.Point(
                x: a.x + share * (b.x - a.x), y: a.y + share * (b.y - a.y), z: a.z + share * (b.z - a.z))
        }
    }
}
