import Pipeline
import PipelineComponents

/// Recognizes the gesture of a hand: MediaPipe's gesture recognizer with its two classifiers, canned and custom, in one stage.
///
/// The custom classifier compares the hand with samples and is asked first, as in MediaPipe's graph. If it finds no gesture, the
/// canned classifier decides by the geometry of the hand (`CannedGesture`). Complexity: O(samples of the library).
public enum RecognizeHand: StageComponent {
    public struct Options: ComponentOptions {
        @Option("Classifier for custom gestures, by the samples of a library.", example: "{ library: gestures.json }")
        public var custom: CustomGestureOptions?

        @Option("Classifier for MediaPipe's gestures.", example: "{ score_threshold: 0.6 }")
        public var canned = CannedGestureOptions()

        @Option("Whether recognitions include the hand.")
        public var subject = false

        public init() {}
    }

    public static let manifest = Manifest(
        name: "recognize_hand",
        summary: "Recognizes the gesture of a hand: MediaPipe's gestures and custom gestures",
        details: """
            `canned` recognizes `Closed_Fist`, `Open_Palm`, `Pointing_Up`, `Thumb_Down`, `Thumb_Up`, `Victory` and `ILoveYou` \
            from the geometry: which fingers are extended or curled, where the thumb is, and the directions of thumb, index \
            finger and palm. It uses world coordinates if the hand has them, otherwise the image. A score is the certainty of the \
            least certain of these conditions, and the score of None is 1 minus the best score. `custom` compares the hand with \
            the samples of a library, as `normalize_hand`, `vectorize` and `match` with method `cosine` do. Without \
            `max_distance`, `custom` learns a limit for every gesture: the geometric mean of the distance between the gesture's \
            samples and the distance to the nearest other gestures. Its recognitions then include the probability that they are \
            right, as `confidence`. `pipectl gestures calibrate` finds limits that accept a given share of unknown hands. The \
            first classifier whose best category is not None decides, custom before canned.

            The image may be rotated by 90 degrees: a finger or thumb that points sideways in the image also counts as pointing \
            up. A thumb down must point down. With `canned: { image: upright }`, only up in the image counts as up, and a finger \
            that points sideways is None. `select: { facing: palm }` distinguishes the sides of a hand.

            y grows downward. Coordinates that were normalized over an image that is not square are stretched: put `convert: { \
            space: pixels, … }` before it, unless there are world coordinates.
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

    /// Creates the stage, with the library of `custom`.
    public static func make(_ options: Options, for input: PortType, _ context: BuildContext) throws -> any Stage {
        guard let custom = options.custom else { return RecognizeHandStage(options, nil) }
        do {
            let library = try context.read(GestureLibrary.self, from: custom.library)
            return RecognizeHandStage(options, try CustomGestures(custom, library, context))
        } catch let error as PipelineError {
            throw error.about(option: "custom.\(error.option ?? "library")")
        }
    }

    /// Creates the stage, for use without a configuration.
    ///
    /// - Parameters:
    ///   - options: The gestures to recognize, and how strictly.
    ///   - library: The library for `options.custom`. The `library` option itself is ignored.
    /// - Throws: A configuration error for a library without hands, or with a hand that cannot be compared.
    public static func stage(
        _ options: Options = Options(), library: GestureLibrary = GestureLibrary()
    ) throws -> some Stage<Landmarks, Recognition> {
        let custom = try options.custom.map { custom in
            try BuildContext.made { try CustomGestures(custom, library, $0) }
        }
        return RecognizeHandStage(options, custom)
    }
}

/// Recognizes hands one by one.
struct RecognizeHandStage: ExplainableStage {
    private let canned: CannedGestures
    private var custom: CustomGestures?
    private let keepsSubject: Bool
    private var output = Recognition(categories: [.none], margin: 0, matcher: "canned")

    var isStateless: Bool { true }

    init(_ options: RecognizeHand.Options, _ custom: CustomGestures?) {
        canned = CannedGestures(options.canned)
        keepsSubject = options.subject
        self.custom = custom
    }

    /// - Throws: A frame error for landmarks that are not a hand, for numbers that are not finite, and for a hand without extent
    ///   (`recognize_hand.no_extent`).
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

    package var hasTemplates: Bool { custom != nil }

    /// Explains the decision of the custom classifier, and names the canned gesture if that decides.
    package func answer(to payload: any Payload) throws -> MatchExplanation? {
        guard let custom, let hand = payload as? Landmarks else { return nil }
        try hand.check(.hand21)
        var answer = try custom.answer(to: hand)
        if !answer.isAccepted {
            var said = output
            try canned.recognize(hand, into: &said)
            answer.sentence += " So the canned gestures decide: \(said.best.name)."
        }
        return answer
    }

    /// Recognizes canned gestures. If it finds one, it removes the custom classifier's confidence, which applies to None.
    private mutating func recognizeCanned(_ hand: Landmarks) throws {
        try canned.recognize(hand, into: &output)
        if output.best.index >= 0 { output.confidence = nil }
    }
}

/// The geometric classifier: scores every ``CannedGesture`` and reports those that the options ask for.
struct CannedGestures: Sendable {
    private let scoreThreshold: Double
    private let mostResults: Int
    /// Whether the image may be rotated by 90°.
    private let allowsRotatedImage: Bool
    /// The gestures to report, with their display names.
    private let categories: [(gesture: CannedGesture, category: Recognition.Category)]

    init(_ options: CannedGestureOptions) {
        scoreThreshold = options.scoreThreshold
        mostResults = options.categories.most
        allowsRotatedImage = options.image == .any
        categories = CannedGesture.allCases.filter { options.categories.allows($0.name) }.map { gesture in
            let name = gesture.displayName(locale: options.displayNamesLocale)
            return (
                gesture,
                Recognition.Category(
                    name: gesture.name, displayName: name, index: gesture == .none ? -1 : gesture.rawValue, score: 0)
            )
        }
    }

    /// Recognizes a hand and stores the categories in a recognition, best first.
    func recognize(_ hand: Landmarks, into output: inout Recognition) throws {
        let inWorld = !hand.world.isEmpty
        let usesDepth = inWorld || (hand.hasDepth && hand.space == CoordinateSpace.world.rawValue)
        let points = inWorld ? hand.world : hand.points
        try points.withUnsafeBufferPointer { points in
            try hand.confidences.withUnsafeBufferPointer { confidences in
                guard let pose = HandPose(points, confidences, usesDepth: usesDepth) else {
                    throw PipelineError.frame("recognize_hand.no_extent", "the palm has no extent")
                }
                fill(&output, pose)
            }
        }
    }

    private func fill(_ output: inout Recognition, _ pose: HandPose) {
        output.matcher = "canned"
        withUnsafeTemporaryAllocation(of: Double.self, capacity: CannedGesture.allCases.count) { scores in
            // The certainty of None depends on all gestures, including those that are not reported.
            var surest = 0.0
            for gesture in CannedGesture.allCases {
                scores[gesture.rawValue] = gesture.score(pose, isTurned: allowsRotatedImage)
                surest = max(surest, scores[gesture.rawValue])
            }
            scores[CannedGesture.none.rawValue] = 1 - surest
            report(UnsafeBufferPointer(scores), into: &output)
        }
    }

    private func report(_ scores: UnsafeBufferPointer<Double>, into output: inout Recognition) {
        var count = 0
        for index in categories.indices {
            let score = scores[categories[index].gesture.rawValue]
            guard score > 0, score >= scoreThreshold else { continue }
            var place = count
            output.categories.resize(to: max(count + 1, output.categories.count), filler: .none)
            output.categories[place] = categories[index].category
            output.categories[place].score = score
            // Move it up in order of score; equal scores remain in MediaPipe's order.
            while place > 0, output.categories[place - 1].score < score {
                output.categories.swapAt(place - 1, place)
                place -= 1
            }
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
