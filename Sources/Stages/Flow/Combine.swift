import Pipeline
import PipelineComponents

/// Combines the simultaneous recognitions of several matchers into one.
public struct Combine: AlignedStage, ConfigurableStage {
    public typealias Element = Recognition
    public typealias Output = Recognition

    /// The rule by which one of several recognitions is preferred.
    public enum Preference: String, OptionChoice {
        /// The first recognition, in the order of `from`, that is not None.
        case order
        /// The recognition with the highest score; of equal scores, the first.
        case score
    }

    public struct Options: ComponentOptions {
        @Option("order: the first edge of from whose recognition is not None; score: the highest score.")
        public var prefer = Preference.order

        @Option(
            "Which recognitions are joined. exact: those with the same timestamp. approximate: each recognition of the first edge, with the nearest one of each other edge. latest: each recognition of the first edge, with the last one of each other edge that is not later."
        )
        public var align = Alignment.Rule.exact

        @Option(
            "Maximum time between two joined recognitions; only used with align: approximate.", in: 0...1e9,
            example: "20")
        public var toleranceMs = 0.0

        @Option("stream: joins only frames of the same stream; time: joins frames of any streams.")
        public var pair = Alignment.Pairing.stream

        public init() {}
    }

    public static let manifest = Manifest(
        name: "combine",
        summary: "Combines the recognitions of several matchers into one",
        details: """
            Name two or more matchers in `from`, the preferred one first. Of the recognitions that belong together, one is passed \
            on unchanged: the first that is not None, or with `prefer: score` the one with the highest score. If no matcher \
            recognized anything, the first None is passed on.

            `align: exact` joins recognitions with the same timestamp. `approximate` joins each recognition of the first edge with \
            the nearest ones of the other edges within `tolerance_ms`, the earlier of two equally near; `latest` joins it with the \
            last ones at or before it. With these two, a recognition of another edge that is not joined is dropped as \
            `unmatched`, which does not count as a loss. The output does not depend on which matcher was faster.
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

    /// The rule that joins recognitions.
    public let alignment: Alignment
    private let prefer: Preference

    public static func accepts(_ options: Options) -> Acceptance { .aligned(of: [PortType(Recognition.self)]) }

    /// Creates the stage. Warns about a tolerance that has no effect.
    public init(_ options: Options, _ context: BuildContext = BuildContext()) {
        alignment = Alignment(options.align, toleranceMs: options.toleranceMs, pair: options.pair)
        prefer = options.prefer
        if options.toleranceMs > 0, options.align != .approximate {
            context.report(
                .warning, "config.no_effect", "tolerance_ms has no effect with align: \(options.align.rawValue)",
                option: "tolerance_ms", help: "use align: approximate")
        }
    }

    /// Emits the preferred recognition of a set.
    ///
    /// - Throws: A frame error (`combine.not_finite`) for a score or margin that is not finite.
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
        // The output keeps the origin of the chosen recognition, and nothing of the others.
        emitter.emit(
            Frame(
                chosen.payload, at: header.timestamp, stream: header.stream, sequence: header.sequence, gap: header.gap,
                origin: chosen.origin, arrival: header.arrival))
    }

    /// Returns whether a category is preferred to the category of an earlier edge.
    private func isPreferred(_ a: Recognition.Category, to b: Recognition.Category) -> Bool {
        let (isNone, wasNone) = (a.name == Recognition.Category.none.name, b.name == Recognition.Category.none.name)
        if isNone || wasNone { return wasNone && !isNone }
        return prefer == .score && a.score > b.score
    }

    private static func check(_ recognition: Recognition) throws {
        guard recognition.margin.isFinite, recognition.categories.allSatisfy(\.score.isFinite) else {
            throw PipelineError.frame("combine.not_finite", "a recognition with a score or margin that is not finite")
        }
    }
}
