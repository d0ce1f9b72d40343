import Pipeline
import PipelineComponents

extension Spot: StageComponent {
    public static let manifest = Manifest(
        name: "spot",
        summary: "Finds gestures in a continuous movement, without pen-up",
        details: """
            The movement is smoothed and taken in steps. Every sample of the library, simplified to its corners, is followed through it by continuous \
            dynamic programming (Taranta et al., "Machete", TOCHI 2021): each step tells how well the movement up to there ends the sample, \
            wherever it began. Where that is best, the part of the movement is a candidate, and is compared with all samples by its \
            cloud of points and the way it is drawn, as `match` does. It is a gesture when the one followed is the nearest and its distance, \
            plus what the movement deviated, is at most `max_distance`. Of gestures that overlap by more than half the best is kept. \
            On mouse recordings of four people and one sample of each of ten gestures, 96 % were found (F1), half of \
            them before the movement had wholly ended.

            A recognition lists the gestures within `max_distance`, best first, with score 1/(1 + distance); `start` and `end` say when the \
            gesture began and ended. It is emitted at most `max_delay_ms` after its last movement, in the time of the stream; live, a pointer \
            that sends nothing more is noticed by the clock. What belongs to no gesture is absorbed.

            Of `points`, a `begin`, and points that went missing, begin a movement anew; `end` ends it. Of `landmarks`, one is followed; they begin anew \
            after `max_gap_ms`. Of `hands`, put `spot` inside `each`. Only samples of one stroke are looked for, of any size; where size tells a \
            gesture from what a hand does by the way, give `min_length`. A straight line is found in every straight movement.
            """,
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

    /// Makes the stage for what arrives, with its library.
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
                .warning, "option.unused", "\"landmark\" means nothing for points", option: "landmark")
        }
        return try SpotPointsStage(library, options, context)
    }

    /// A stage that finds gestures in points, for use without a configuration.
    ///
    /// - Parameters:
    ///   - library: The gestures to find.
    ///   - options: Everything else; `library` and `landmark` are not looked at.
    /// - Throws: A configuration error for a library without strokes, or with one that cannot be used.
    public static func points(
        _ library: GestureLibrary, _ options: Options = Options()
    ) throws -> some Stage<Points, Recognition> {
        try BuildContext.made { try SpotPointsStage(library, options, $0) }
    }

    /// A stage that finds gestures in the movement of a landmark, for use without a configuration.
    ///
    /// - Parameters:
    ///   - library: The gestures to find.
    ///   - options: Everything else; `library` is not looked at.
    ///   - topology: That of the landmarks.
    ///   - space: That of their coordinates, for the size of a step.
    /// - Throws: A configuration error for a library without strokes, and for a landmark that the topology does not have.
    public static func landmarks(
        _ library: GestureLibrary, _ options: Options = Options(), of topology: Topology = .hand21,
        space: CoordinateSpace? = nil
    ) throws -> some Stage<Landmarks, Recognition> {
        try BuildContext.made { try SpotLandmarksStage(library, options, topology, space, $0) }
    }
}

extension Spot.Options {
    /// What counts of a movement whose coordinates are in a space.
    func limits(step: Double) -> Spotter.Limits {
        Spotter.Limits(
            step: step, minLength: minLength, maxDistance: maxDistance,
            maxDelayUs: Int64((maxDelayMs * 1000).rounded()))
    }
}
