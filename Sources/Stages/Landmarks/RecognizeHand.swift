import Pipeline
import PipelineComponents

/// Recognizes what a hand shows: MediaPipe's gesture recognizer with its two classifiers, canned and custom, in one stage.
///
/// The canned one goes by geometry (`CannedGesture`), the custom one by examples. The first that finds something counts, custom before
/// canned, as in MediaPipe's graph. O(samples of the library).
public enum RecognizeHand: StageComponent {
    public struct Options: ComponentOptions {
        @Option("Classifier that knows gestures by example, from a library.", example: "{ library: gestures.json }")
        public var custom: CustomGestureOptions?

        @Option("Classifier that knows MediaPipe's gestures.", example: "{ score_threshold: 0.6 }")
        public var canned = CannedGestureOptions()

        @Option("Whether recognitions carry the hand.")
        public var subject = false

        public init() {}
    }

    public static let manifest = Manifest(
        name: "recognize_hand",
        summary: "Recognizes the gesture of a hand, MediaPipe's own and those taught by example",
        details: """
            `canned` knows `Closed_Fist`, `Open_Palm`, `Pointing_Up`, `Thumb_Down`, `Thumb_Up`, `Victory` and `ILoveYou` by which \
            fingers are extended or curled, where the thumb is and which way thumb, index finger and palm point: in space where the \
            hand has places in the world, in the image otherwise. A score is how sure the least sure of these conditions is, \
            and None is as sure as the best gesture is unsure. `custom` compares with the samples of a library, as `normalize_hand`, \
            `vectorize` and `match` with method `cosine` do. Without `max_distance` it learns a limit for every gesture: the geometric mean of how far \
            its samples are from each other and how near other gestures come; then its recognitions say how likely they are right, as \
            `confidence`. `pipectl gestures calibrate` finds limits for a share of unknown hands. The first whose best category is not \
            None counts, custom before canned.

            The image may be turned by a quarter: a finger or a thumb that points up points aside in it, and counts. A thumb down points down. \
            With `canned: { image: upright }` up is up, and a finger that points aside is None. Which side of a hand one sees \
            `select: { facing: palm }` tells.

            y grows downwards. Coordinates that were normalized over an image that is not square are stretched: put `convert: { space: \
            pixels, … }` before, unless there are places in the world.
            """,
        isPure: true,
        example: """
            version: 1
            name: recognize-hand-example
            sources:
              - stdin: { kind: landmarks }
            stages:
              - recognize_hand: { canned: { score_threshold: 0.6 } }
            sinks:
              - stdout
            """)

    public static let makes = Production.of(Recognition.self)

    public static func accepts(_ options: Options) -> Acceptance { .one(of: [handPort]) }

    /// Makes the stage, with the library of `custom`.
    public static func make(_ options: Options, for input: PortType, _ context: BuildContext) throws -> any Stage {
        guard let custom = options.custom else { return RecognizeHandStage(options, nil) }
        do {
            let library = try context.read(GestureLibrary.self, from: custom.library)
            return RecognizeHandStage(options, try CustomGestures(custom, library, context))
        } catch let error as PipelineError {
            throw error.about(option: "custom.\(error.option ?? "library")")
        }
    }

    /// The stage, for use without a configuration.
    ///
    /// - Parameters:
    ///   - options: What is recognized, and how strictly.
    ///   - library: What `options.custom` compares with; its own `library` is not looked at.
    /// - Throws: A configuration error for a library without hands, or with one that cannot be compared.
    public static func stage(
        _ options: Options = Options(), library: GestureLibrary = GestureLibrary()
    ) throws -> some Stage<Landmarks, Recognition> {
        let custom = try options.custom.map { custom in
            try BuildContext.made { try CustomGestures(custom, library, $0) }
        }
        return RecognizeHandStage(options, custom)
    }
}

/// Recognizes one hand after the other.
struct RecognizeHandStage: Stage {
    private let canned: CannedGestures
    private var custom: CustomGestures?
    private let keepsSubject: Bool
    private var output = Recognition(categories: [.none], margin: 0, matcher: "canned")

    init(_ options: RecognizeHand.Options, _ custom: CustomGestures?) {
        canned = CannedGestures(options.canned)
        keepsSubject = options.subject
        self.custom = custom
    }

    /// - Throws: A frame error for other landmarks than a hand's, for numbers that are not finite, and for a hand without
    ///   extent (`recognize_hand.no_extent`).
    mutating func process(
        _ hand: Landmarks, _ header: borrowing Header, into emitter: borrowing Emitter<Recognition>
    ) throws {
        try hand.check(.hand21)
        let isKnown = try custom?.recognize(hand, into: &output) ?? false
        if !isKnown { try recognizeCanned(hand) }
        output.start = header.timestamp
        output.end = header.timestamp
        output.label = hand.label
        if keepsSubject { output.subject = .landmarks(hand) }
        emitter.emit(output)
        if keepsSubject { output.subject = nil }
    }

    /// How sure the custom classifier is of None says nothing of a gesture that the other one finds.
    private mutating func recognizeCanned(_ hand: Landmarks) throws {
        try canned.recognize(hand, into: &output)
        if output.best.index >= 0 { output.confidence = nil }
    }
}

/// The classifier by geometry: what is reported of ``CannedGesture``.
struct CannedGestures: Sendable {
    private let scoreThreshold: Double
    private let mostResults: Int
    /// Whether the image may be turned.
    private let turns: Bool
    /// The gestures that count, with the names to show.
    private let categories: [(gesture: CannedGesture, category: Recognition.Category)]

    init(_ options: CannedGestureOptions) {
        scoreThreshold = options.scoreThreshold
        mostResults = options.categories.most
        turns = options.image == .any
        categories = CannedGesture.allCases.filter { options.categories.counts($0.name) }.map { gesture in
            let name = gesture.displayName(locale: options.displayNamesLocale)
            return (
                gesture,
                Recognition.Category(
                    name: gesture.name, displayName: name, index: gesture == .none ? -1 : gesture.rawValue, score: 0)
            )
        }
    }

    /// Puts what a hand shows into a recognition, best first.
    func recognize(_ hand: Landmarks, into output: inout Recognition) throws {
        let inWorld = !hand.world.isEmpty
        let isSolid = inWorld || (hand.hasDepth && hand.space == CoordinateSpace.world.rawValue)
        let points = inWorld ? hand.world : hand.points
        try points.withUnsafeBufferPointer { points in
            try hand.confidences.withUnsafeBufferPointer { confidences in
                guard let pose = HandPose(points, confidences, isSolid: isSolid) else {
                    throw PipelineError.frame("recognize_hand.no_extent", "the palm has no extent")
                }
                fill(&output, pose)
            }
        }
    }

    private func fill(_ output: inout Recognition, _ pose: HandPose) {
        output.matcher = "canned"
        withUnsafeTemporaryAllocation(of: Double.self, capacity: CannedGesture.allCases.count) { scores in
            // How sure None is goes by every gesture, whether it counts or not.
            var surest = 0.0
            for gesture in CannedGesture.allCases {
                scores[gesture.rawValue] = turns ? gesture.score(turning: pose) : gesture.score(pose)
                surest = max(surest, scores[gesture.rawValue])
            }
            scores[CannedGesture.none.rawValue] = 1 - surest
            report(UnsafeBufferPointer(scores), into: &output)
        }
    }

    private func report(_ scores: UnsafeBufferPointer<Double>, into output: inout Recognition) {
        var count = 0
        for (gesture, category) in categories {
            let score = scores[gesture.rawValue]
            guard score > 0, score >= scoreThreshold else { continue }
            // A place among those that are there, best first; equals in MediaPipe's order.
            var place = count
            while place > 0, output.categories[place - 1].score < score { place -= 1 }
            if count < output.categories.count { output.categories.remove(at: count) }
            output.categories.insert(category, at: place)
            output.categories[place].score = score
            count += 1
        }
        if count == 0 {
            output.categories.removeAll(keepingCapacity: true)
            output.categories.append(.none)
            count = 1
        }
        output.margin = output.categories[0].score - (count > 1 ? output.categories[1].score : 0)
        let kept = min(count, mostResults)
        output.categories.removeLast(output.categories.count - kept)
    }
}
