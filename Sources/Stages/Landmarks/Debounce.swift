import Pipeline
import PipelineComponents

/// Lets a recognition pass when its category has held for a while, so that what flickers is not taken for meant. O(1) a frame.
public struct Debounce: Stage {
    private let options: Debounce.Options
    private let hold: Int64
    private let frames: Int

    /// What holds: its name, when it was seen first and how often, when what was recognized first began.
    private var name: String?
    private var first = Timestamp.zero
    private var began = Timestamp.zero
    private var count = 0
    private var isGiven = false
    private var last = Timestamp.zero
    private var lastGiven: Timestamp?

    /// Makes the stage.
    public init(_ options: Options = Options()) {
        self.options = options
        hold = Int64((options.holdMs ?? (options.frames == nil ? 100 : 0)) * 1000)
        frames = options.frames ?? 1
    }

    /// - Throws: A frame error for a score that is not finite (`recognition.not_finite`).
    public mutating func process(
        _ payload: consuming Recognition, _ header: borrowing Header, into emitter: borrowing Emitter<Recognition>
    ) throws {
        let (recognition, time) = (payload, header.timestamp)
        guard recognition.margin.isFinite, recognition.categories.allSatisfy(\.score.isFinite) else {
            throw PipelineError.frame("recognition.not_finite", "a score of the recognition is not finite")
        }
        let best = recognition.best.name
        if best != name || Double(time.microseconds(since: last)) > options.maxGapMs * 1000 {
            (name, first, began, count, isGiven) = (best, time, recognition.start, 0, false)
        }
        last = time
        count += 1
        guard count >= frames, time.microseconds(since: first) >= hold else { return }
        if best == Recognition.Category.none.name, !options.emitNone { return emitter.drop("no_match") }
        if options.once, isGiven { return emitter.drop("repeated") }
        if let lastGiven, Double(time.microseconds(since: lastGiven)) < options.cooldownMs * 1000 {
            return emitter.drop("cooldown")
        }
        isGiven = true
        lastGiven = time
        guard recognition.start != began else { return emitter.emit(payload) }
        var held = recognition
        held.start = began
        emitter.emit(held)
    }
}

extension Debounce: StageComponent {
    public struct Options: ComponentOptions {
        @Option(
            "Time for which a category must be the best of every recognition; 100 unless this or frames is given.",
            in: 0...3_600_000, example: "120")
        public var holdMs: Double?

        @Option(
            "Number of consecutive recognitions in which a category must be the best. With hold_ms, both must hold.",
            in: 1...100_000, example: "4")
        public var frames: Int?

        @Option("Whether a category is emitted once, and again only after another one.")
        public var once = false

        @Option("Time after an emitted category in which none is emitted.", in: 0...3_600_000)
        public var cooldownMs = 0.0

        @Option("Longest pause between recognitions. After a longer one a category must hold anew.", in: 0...3_600_000)
        public var maxGapMs = 500.0

        @Option("Whether None, which must hold like any other category, is emitted too.")
        public var emitNone = false

        public init() {}
    }

    public static let manifest = Manifest(
        name: "debounce",
        summary: "Lets a recognition pass when its category has held for a while",
        details: """
            A recognition passes when its best category was the best of all before it, `hold_ms` back or over `frames`; it then begins \
            when the first of them began. It comes with the frame that shows it, so it wants a recognizer that says something of \
            every frame, None as well. Those that have to wait are absorbed. What has held and is not given is dropped: as \
            `repeated` with `once`, as `cooldown`, as `no_match` when it is None; no drop is a loss.
            """,
        example: """
            version: 1
            name: debounce-example
            sources:
              - stdin: { kind: recognition }
            stages:
              - debounce: { hold_ms: 120, once: true, cooldown_ms: 500 }
            sinks:
              - stdout
            """)

    public static let makes = Production.of(Recognition.self)

    public static func accepts(_ options: Options) -> Acceptance { .one(of: [PortType(Recognition.self)]) }

    public static func make(_ options: Options, for input: PortType, _ context: BuildContext) throws -> any Stage {
        Debounce(options)
    }
}
