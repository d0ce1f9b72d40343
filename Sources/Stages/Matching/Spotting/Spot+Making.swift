import Pipeline
import PipelineComponents

extension Spot: StageComponent {
    public static let manifest = Manifest(
        name: "spot",
        summary: "Finds gestures in a continuous movement, without pen-up",
        details: """
            The movement is smoothed and divided into steps. Every sample of the library, simplified to its corners, is matched \
            by continuous dynamic programming (Taranta et al., "Machete", TOCHI 2021): at each step, it computes how well the \
            movement up to this step matches the sample, wherever the match began. Where the match is best, the matching part of \
            the movement is a candidate. The candidate is compared with all samples by its point cloud and its path, as in \
            `match`. It is a gesture if the nearest sample is of the same gesture as the matched sample, and its distance, plus \
            the deviation of the movement, is at most `max_distance`. Of gestures that overlap by more than half, the best is \
            kept. In mouse recordings of four people, with one sample of each of ten gestures, the F1 score was 96 %, and half of \
            the gestures were found before the movement had ended.

            A recognition lists the gestures within `max_distance`, best first, with score 1/(1 + distance); `start` and `end` \
            are the times at which the gesture began and ended. It is emitted at most `max_delay_ms` after the last movement of \
            the gesture, in stream time; if frames have several samples, plus the time that they span. In live runs, the clock \
            detects that a pointer sends nothing more. Movement that belongs to no gesture, or to `none_class`, is absorbed.

            For `points`, a `begin` and missing points start a new movement; `end` ends it. Samples without times are spread \
            evenly over the time since the frame before, if that is at most `max_gap_ms`. For `landmarks`, one landmark is \
            followed; a new movement starts after `max_gap_ms`. For `hands`, put `spot` inside `each`. Only samples of one stroke \
            are matched, at any size; if size distinguishes a gesture from incidental movement, set `min_length`. A straight line \
            is found in every straight movement.
            """,
        drops: ["stroke_cancelled", "landmark_missing"],
        example: """
            version: 1
            name: spot-example
            sources:
              - stdin: { kind: points }
            stages:
              - spot: { library: gestures.json }
            sinks:
              - stdout
            """)

    public static let makes = Production.of(Recognition.self)

    public static func accepts(_ options: Options) -> Acceptance {
        .one(of: [PortType(Points.self), PortType(Landmarks.self, attributes: ["y": "down"])])
    }

    /// Creates the stage for an input type, with its library.
    public static func make(_ options: Options, for input: PortType, _ context: BuildContext) throws -> any Stage {
        do {
            return try make(
                options, library: try context.read(GestureLibrary.self, from: options.library), for: input, context)
        } catch let error as PipelineError {
            throw error.option == nil ? error.about(option: "library") : error
        }
    }

    private static func make(
        _ options: Options, library: GestureLibrary, for input: PortType, _ context: BuildContext
    ) throws -> any Stage {
        if input.payload is Landmarks.Type {
            return try SpotLandmarksStage(library, options, input.topology, input.space, context)
        }
        if options.landmark != nil {
            context.report(
                .warning, "option.unused", "\"landmark\" has no effect for points", option: "landmark")
        }
        return try SpotPointsStage(library, options, context)
    }

    /// Creates a stage that finds gestures in points, for use without a configuration.
    ///
    /// - Parameters:
    ///   - library: The gestures to find.
    ///   - options: All other options; `library` and `landmark` are ignored.
    /// - Throws: A configuration error for a library without strokes, or with a stroke that cannot be used.
    public static func points(
        _ library: GestureLibrary, _ options: Options = Options()
    ) throws -> some Stage<Points, Recognition> {
        try BuildContext.made { try SpotPointsStage(library, options, $0) }
    }

    /// Creates a stage that finds gestures in the movement of a landmark, for use without a configuration.
    ///
    /// - Parameters:
    ///   - library: The gestures to find.
    ///   - options: All other options; `library` is ignored.
    ///   - topology: The topology of the landmarks.
    ///   - space: The space of their coordinates, which determines the default size of a step.
    /// - Throws: A configuration error for a library without strokes, and for a landmark that the topology does not have.
    public static func landmarks(
        _ library: GestureLibrary, _ options: Options = Options(), of topology: Topology = .hand21,
        space: CoordinateSpace? = nil
    ) throws -> some Stage<Landmarks, Recognition> {
        try BuildContext.made { try SpotLandmarksStage(library, options, topology, space, $0) }
    }
}

extension Spot.Options {
    /// Returns the limits of spotting for a step of a given length.
    func limits(step: Double) -> Spotter.Limits {
        Spotter.Limits(
            step: step, minLength: minLength, maxDistance: maxDistance,
            maxDelayUs: Int64((maxDelayMs * 1000).rounded()))
    }
}
