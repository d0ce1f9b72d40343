import Pipeline
import PipelineComponents

/// Makes one recognition of those that several matchers found at one time.
public struct Combine: AlignedStage, ConfigurableStage {
    public typealias Element = Recognition
    public typealias Output = Recognition

    /// Which of several recognitions is preferred.
    public enum Preference: String, OptionChoice {
        /// The first in the order of `from` that recognized something.
        case order
        /// The one with the highest score; the first of those equally high.
        case score
    }

    public struct Options: ComponentOptions {
        @Option("order: the first edge of from that recognized something; score: the highest score.")
        public var prefer = Preference.order

        @Option(
            "Which recognitions belong together: those of the same time, the nearest to each of the first edge, or the last before it."
        )
        public var align = Alignment.Rule.exact

        @Option("Largest time between two that belong together; for approximate.", in: 0...1e9, example: "20")
        public var toleranceMs = 0.0

        @Option("Whether only frames of the same stream belong together, or frames of any stream, by their time.")
        public var pair = Alignment.Pairing.stream

        public init() {}
    }

    public static let manifest = Manifest(
        name: "combine",
        summary: "Makes one recognition of those of several matchers",
        details: """
            Name two or more matchers in `from`, the preferred first. Of what they found at one time, one goes on as it is: the first that \
            is not None, or with `prefer: score` the one with the highest score. When none recognized anything, the first None goes on.

            `align: exact` puts together what has the same timestamp. `approximate` takes for each recognition of the first edge the nearest \
            of the others within `tolerance_ms`, the earlier of two equally near; `latest` takes the last at or before it. What stays \
            alone on another edge than the first is dropped as `unmatched` then, which is no loss. What comes out does not depend \
            on which matcher was faster.
            """,
        example: """
            version: 1
            name: combine-example
            sources:
              - stdin: { kind: stroke }
            stages:
              - resample: { points: 16 }
              - normalize: { scale: none }
              - vectorize
              - match: { id: strict, library: gestures.json, threshold_rad: 0.2 }
              - match: { id: turned, from: vectorize, library: gestures.json, rotation_tolerance_deg: 180 }
              - combine: { from: [strict, turned] }
            sinks:
              - stdout
            """)

    /// How recognitions are joined.
    public let alignment: Alignment
    private let prefer: Preference

    public static func accepts(_ options: Options) -> Acceptance { .aligned(of: [PortType(Recognition.self)]) }

    /// Makes the stage. Warns of a tolerance without effect.
    public init(_ options: Options, _ context: BuildContext = BuildContext()) {
        alignment = Alignment(options.align, toleranceMs: options.toleranceMs, pair: options.pair)
        prefer = options.prefer
        if options.toleranceMs > 0, options.align != .approximate {
            context.report(
                .warning, "config.no_effect", "tolerance_ms has no effect with align: \(options.align.rawValue)",
                option: "tolerance_ms", help: "use align: approximate")
        }
    }

    /// Passes on the preferred recognition of a set. Throws when one has a score that is not a finite number.
    public mutating func process(
        _ set: Aligned<Recognition>, _ header: borrowing Header, into emitter: borrowing Emitter<Recognition>
    ) throws {
        var chosen: Frame<Recognition>?
        for case let found? in set.frames {
            try Self.check(found.payload)
            guard let other = chosen else {
                chosen = found
                continue
            }
            if isPreferred(found.payload.best, to: other.payload.best) { chosen = found }
        }
        guard let chosen else { return }
        // What is known of where it came from goes with it, and nothing of the others.
        emitter.emit(
            Frame(
                chosen.payload, at: header.timestamp, stream: header.stream, sequence: header.sequence, gap: header.gap,
                origin: chosen.origin, arrival: header.arrival))
    }

    /// Whether a category is preferred to one that stands before it.
    private func isPreferred(_ a: Recognition.Category, to b: Recognition.Category) -> Bool {
        let (isNone, wasNone) = (a.name == Recognition.Category.none.name, b.name == Recognition.Category.none.name)
        if isNone || wasNone { return wasNone && !isNone }
        return prefer == .score && a.score > b.score
    }

    private static func check(_ recognition: Recognition) throws {
        guard recognition.margin.isFinite, recognition.categories.allSatisfy(\.score.isFinite) else {
            throw PipelineError.frame("combine.not_finite", "a recognition with a score or margin that is no number")
        }
    }
}
