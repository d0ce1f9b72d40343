import Pipeline
import PipelineComponents

/// Passes a recognition once its category has been stable for a while, to suppress flicker. Complexity: O(1) per frame.
public struct Debounce: Stage {
    private let options: Debounce.Options
    private let hold: Int64
    private let maxGap: Int64
    private let frames: Int

    /// The current category: its name (`nil` if there is none), the time and the start of its first recognition, the number of its
    /// recognitions in a row, and whether it was emitted.
    private var name: String?
    private var first = Timestamp.zero
    private var began = Timestamp.zero
    private var count = 0
    private var isGiven = false
    private var last = Timestamp.zero
    private var lastGiven: Timestamp?

    /// Creates a stage from its options.
    public init(_ options: Options = Options()) {
        self.options = options
        hold = Int64(options.hold * 1000)
        maxGap = Int64(options.maxGapMs * 1000)
        frames = options.frames ?? 1
    }

    /// The time of the first recognition of the current category, until the category is emitted or a pause ends its hold; `nil` if
    /// the category is None and not to be emitted.
    public var heldSince: Timestamp? { name != nil && !isGiven && mayEmit ? first : nil }

    private var mayEmit: Bool { options.emitNone || name != Recognition.Category.none.name }

    /// - Throws: A frame error for a score that is not finite (`recognition.not_finite`).
    public mutating func process(
        _ payload: Recognition, _ header: borrowing Header, into emitter: borrowing Emitter<Recognition>
    ) throws {
        let time = header.timestamp
        guard payload.margin.isFinite, payload.categories.allSatisfy(\.score.isFinite) else {
            throw PipelineError.frame("recognition.not_finite", "a score of the recognition is not finite")
        }
        let best = payload.best.name
        if best != name || time.microseconds(since: last) > maxGap {
            (name, first, began, count, isGiven) = (best, time, payload.start, 0, false)
        }
        last = time
        count += 1
        defer { emitter.wake(at: heldSince == nil ? nil : time.advanced(byMicroseconds: maxGap)) }
        guard count >= frames, time.microseconds(since: first) >= hold else { return }
        if !mayEmit { return emitter.drop("no_match") }
        if options.once, isGiven { return emitter.drop("repeated") }
        if let lastGiven, Double(time.microseconds(since: lastGiven)) < options.cooldownMs * 1000 {
            return emitter.drop("cooldown")
        }
        isGiven = true
        lastGiven = time
        var given = payload
        given.start = began
        emitter.emit(given)
    }

    /// Ends the hold, because no recognition has come for `max_gap_ms`.
    public mutating func wake(at time: Timestamp, into emitter: borrowing Emitter<Recognition>) throws { name = nil }
}

extension Debounce: StageComponent {
    public struct Options: ComponentOptions {
        @Option(
            "Time for which a category must be the best of every recognition; 100 unless this or frames is given.",
            in: 0...3_600_000, example: "120")
        public var holdMs: Double?

        @Option(
            "Number of consecutive recognitions in which a category must be the best. If hold_ms is given too, both conditions must be met.",
            in: 1...100_000, example: "4")
        public var frames: Int?

        @Option(
            "Whether a category is emitted only once, until another category has been the best or a pause was longer than max_gap_ms."
        )
        public var once = false

        @Option("Time after an emitted recognition during which no other is emitted.", in: 0...3_600_000)
        public var cooldownMs = 0.0

        @Option("Longest pause between recognitions. After a longer one, the hold time starts over.", in: 0...3_600_000)
        public var maxGapMs = 500.0

        @Option("Whether None is emitted too. It must hold like any other category.")
        public var emitNone = false

        /// The time for which a category must be the best, in milliseconds.
        fileprivate var hold: Double { holdMs ?? (frames == nil ? 100 : 0) }

        public init() {}

        public func check(_ node: ConfigNode, _ context: DecodingContext) {
            guard maxGapMs == 0, hold > 0 else { return }
            context.findings.error(
                "option.conflict", "no category can hold for \(shortDecimal(hold)) ms, because max_gap_ms is 0",
                at: node["max_gap_ms"]?.span, path: context.path + ".max_gap_ms",
                help: "write a time longer than the pauses between recognitions")
        }
    }

    public static let manifest = Manifest(
        name: "debounce",
        summary: "Passes a recognition once its category has held for a while",
        details: """
            A recognition passes if its best category was also the best of all recognitions of the last `hold_ms`, or of the last \
            `frames`. The emitted recognition starts where the first of these recognitions started. The output accompanies the \
            frame that completes the hold, so a recognizer that reports something for every frame, None included, must come \
            before `debounce`. Recognitions before the hold is complete are absorbed. A recognition that has held but is not \
            emitted is dropped: as `repeated` with `once`, as `cooldown`, or as `no_match` if it is None. No drop is a loss.
            """,
        drops: ["no_match", "repeated", "cooldown"],
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
