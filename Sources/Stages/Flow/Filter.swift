import Pipeline
import PipelineComponents

/// Passes only some frames: by stream, kind, recognized category, and score.
public struct Filter<Passing: Payload>: Stage {
    private let streams: [Glob]
    private let passesKind: Bool
    private let accepts: @Sendable (Passing) -> Bool
    /// Whether the stream passes, computed once: every stream has its own instance.
    private var passesStream: Bool?

    /// Creates a filter that passes the frames that match the options `stream` and `kind`, and for which `accepts` returns `true`.
    /// The options `category` and `minScore` are ignored.
    public init(_ options: FilterComponent.Options, _ accepts: @escaping @Sendable (Passing) -> Bool) {
        streams = options.stream.map(Glob.init)
        passesKind = options.kind.isEmpty || options.kind.contains(Passing.kind.rawValue)
        self.accepts = accepts
    }

    public mutating func process(
        _ payload: borrowing Passing, _ header: borrowing Header, into emitter: borrowing Emitter<Passing>
    ) {
        let passesStream = passesStream ?? (streams.isEmpty || streams.contains { $0.matches(header.stream.name) })
        self.passesStream = passesStream
        if passesKind, passesStream, accepts(payload) {
            emitter.emit(payload)
        } else {
            emitter.drop("filtered")
        }
    }
}

extension Filter<Recognition> {
    /// Creates a filter that passes the recognitions that match the options.
    public init(_ options: FilterComponent.Options) {
        let categories = Set(options.category)
        let minScore = options.minScore ?? 0
        self.init(options) { recognition in
            let best = recognition.best
            return best.score >= minScore && (categories.isEmpty || categories.contains(best.name))
        }
    }
}

/// The `filter` component of configurations: options, manifest and factory.
public enum FilterComponent: StageComponent {
    /// The conditions. A frame passes if it meets all of them. An empty or absent condition is always met.
    public struct Options: ComponentOptions {
        @Option("Streams that pass; * stands for any text, ? for any one character.", example: "[\"pen/*\"]")
        public var stream: [String] = []

        @Option("Kinds that pass.", example: "[stroke]")
        public var kind: [String] = []

        @Option("Categories that pass when they are the best of a recognition.", example: "[circle, star]")
        public var category: [String] = []

        @Option("Lowest score of the best category with which a recognition passes.", in: 0...1, example: "0.8")
        public var minScore: Double?

        public init() {}

        public func check(_ node: ConfigNode, _ context: DecodingContext) {
            guard let given = node["kind"], !given.isNull, let payloads = context.payloads else { return }
            let (names, inner) = ((payloads + [FailedFrame.self]).map { $0.kind.rawValue }, context.descending("kind"))
            guard let list = given.sequence else {
                _ = inner.choice(given, of: names)
                return
            }
            for (place, kind) in list.enumerated() { _ = inner.descending("[\(place)]").choice(kind, of: names) }
        }
    }

    public static let manifest = Manifest(
        name: "filter",
        summary: "Passes only some frames, by stream, kind, category and score",
        details: """
            All conditions that are given must match. `category` and `min_score` apply to the best category of a recognition. \
            Frames that do not match are dropped as `filtered`, which does not count as a loss.
            """,
        drops: ["filtered"],
        example: """
            version: 1
            name: filter-example
            sources:
              - stdin: { kind: stroke }
            stages:
              - filter: { stream: ["pen/*"] }
            sinks:
              - stdout
            """)

    public static let makes = Production.same

    public static func accepts(_ options: Options) -> Acceptance { .any }

    public static func make(_ options: Options, for input: PortType, _ context: BuildContext) throws -> any Stage {
        if !(input.payload is Recognition.Type) {
            for (name, isGiven) in [("category", !options.category.isEmpty), ("min_score", options.minScore != nil)]
            where isGiven {
                context.report(
                    .error, "filter.not_recognition", "\(name) looks at recognitions, but \(input.kind) arrives",
                    option: name,
                    help: input.payload is HandResults.Type
                        ? "put filter into the stages of each, after the stage that recognizes"
                        : "put filter after match, or leave \(name) out")
            }
        }
        if !options.kind.isEmpty, !options.kind.contains(input.kind.rawValue) {
            context.report(
                .warning, "filter.nothing_passes", "only \(input.kind) arrives, so nothing passes", option: "kind")
        }
        return open(input.payload, options)
    }

    private static func open<P: Payload>(_ payload: P.Type, _ options: Options) -> any Stage {
        P.self == Recognition.self ? Filter<Recognition>(options) : Filter<P>(options) { _ in true }
    }
}
