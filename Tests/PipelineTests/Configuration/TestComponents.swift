@testable import Pipeline
@testable import PipelineComponents
@testable import PipelineConfiguration

/// A number. Frames are independent.
struct Number: Payload, Equatable {
    static let kind: Kind = "number"
    var value: Double
}

/// A word that stands for a number.
struct Word: Payload, Equatable {
    static let kind: Kind = "word"
    var text: String
}

/// A piece of something larger. Frames continue one another.
struct Piece: Payload {
    static let kind: Kind = "piece"
    static let continuity = Continuity.continues
}

/// The source of a test's numbers. It declares their coordinate space.
struct CountSource: Source, SourceComponent {
    struct Options: ComponentOptions {
        @Option("Number of numbers.", in: 1...1000)
        var limit = 10

        @Option("Coordinate space of the numbers.")
        var space: Space = .pixels
    }

    enum Space: String, OptionChoice {
        case pixels, normalized
    }

    static let manifest = Manifest(name: "count", summary: "Counts", example: "")
    static func make(_ options: Options, _ context: BuildContext) throws -> any Source {
        CountSource(output: PortType(Number.self, attributes: ["space": options.space.rawValue]))
    }

    let output: PortType
    mutating func read(into batch: inout SourceBatch<Number>) async throws -> Bool { false }
}

/// A live source of numbers.
struct CameraSource: Source, SourceComponent {
    typealias Options = NoOptions

    static let manifest = Manifest(name: "camera", summary: "Sees numbers", example: "")
    static func make(_ options: NoOptions, _ context: BuildContext) throws -> any Source { CameraSource() }

    let timing = SourceTiming.live
    mutating func read(into batch: inout SourceBatch<Number>) async throws -> Bool { false }
}

/// A source of pieces, which continue one another.
struct PieceSource: Source, SourceComponent {
    typealias Options = NoOptions

    static let manifest = Manifest(name: "pieces", summary: "Brings pieces", example: "")
    static func make(_ options: NoOptions, _ context: BuildContext) throws -> any Source { PieceSource() }

    mutating func read(into batch: inout SourceBatch<Piece>) async throws -> Bool { false }
}

/// A source whose file never exists.
struct MissingSource: Source, SourceComponent {
    struct Options: ComponentOptions {
        @Option("The file.", isRequired: true, example: "numbers.txt")
        var path = FilePath("")
    }

    static let manifest = Manifest(name: "missing", summary: "Is never there", example: "")
    static func make(_ options: Options, _ context: BuildContext) throws -> any Source {
        throw PipelineError.environment(
            "file.not_found", "there is no file \(options.path)", help: "paths start from the configuration's folder")
    }

    mutating func read(into batch: inout SourceBatch<Number>) async throws -> Bool { false }
}

/// A pure stage from numbers to numbers.
struct Scale: ConfigurableStage {
    struct Options: ComponentOptions {
        @Option("What to multiply by.", in: 0...100)
        var factor = 2.0

        @Option("Numbers to add, one after another.")
        var offsets: [Double] = []

        @Option("Range of the result.")
        var limits = Limits()

        func check(_ node: ConfigNode, _ context: DecodingContext) {
            guard limits.low > limits.high, let place = node["limits"] else { return }
            context.findings.error(
                "scale.limits", "low lies above high", at: place.span, path: context.path + ".limits")
        }
    }

    struct Limits: OptionGroup {
        @Option("The lowest.", in: -1000...1000)
        var low = 0.0

        @Option("The highest.", in: -1000...1000)
        var high = 1.0
    }

    static let manifest = Manifest(
        name: "scale", summary: "Multiplies", isPure: true, example: "")
    let factor: Double

    init(_ options: Options, _ context: BuildContext) throws { factor = options.factor }

    mutating func process(_ number: Number, _ header: borrowing Header, into emitter: borrowing Emitter<Number>) {
        emitter.emit(Number(value: number.value * factor))
    }
}

/// A stage that changes the coordinate space of numbers.
struct Convert: ConfigurableStage {
    struct Options: ComponentOptions {
        @Option("The space to convert to.", isRequired: true, example: "pixels")
        var space: CountSource.Space = .pixels
    }

    static let manifest = Manifest(
        name: "convert", summary: "Converts", isPure: true, example: "")
    let space: CountSource.Space

    init(_ options: Options, _ context: BuildContext) throws { space = options.space }

    mutating func process(
        _ number: Number, _ header: borrowing Header, into emitter: borrowing Emitter<Number>
    ) { emitter.emit(number) }
    func output(for input: PortType) -> PortType { PortType(Number.self, attributes: ["space": space.rawValue]) }
}

/// A stage from numbers to words. The numbers must be normalized.
struct Spell: StageComponent, Stage {
    typealias Options = NoOptions

    static let manifest = Manifest(
        name: "spell", summary: "Spells numbers", example: "")
    static let makes = Production.of(Word.self)
    static func accepts(_ options: NoOptions) -> Acceptance {
        .one(of: [PortType(Number.self, attributes: ["space": "normalized"])])
    }
    static func make(_ options: NoOptions, for input: PortType, _ context: BuildContext) throws -> any Stage { Spell() }

    mutating func process(_ number: Number, _ header: borrowing Header, into emitter: borrowing Emitter<Word>) {}
}

/// A stage from words to numbers.
struct Measure: ConfigurableStage {
    typealias Options = NoOptions

    static let manifest = Manifest(
        name: "measure", summary: "Counts letters", example: "")
    init(_ options: NoOptions, _ context: BuildContext) throws {}

    mutating func process(_ word: Word, _ header: borrowing Header, into emitter: borrowing Emitter<Number>) {}
}

/// A stage from numbers to numbers that keeps what its build context says about the pure stages upstream. Refuses a library with
/// the name `bad.txt`.
struct Lookup: StageComponent {
    struct Options: ComponentOptions {
        @Option("The file to look in.", isRequired: true, example: "words.txt")
        var library = FilePath("")
    }

    static let manifest = Manifest(name: "lookup", summary: "Looks up", example: "")
    static let makes = Production.of(Number.self)
    static func accepts(_ options: Options) -> Acceptance { .one(of: [PortType(Number.self)]) }
    static func make(_ options: Options, for input: PortType, _ context: BuildContext) throws -> any Stage {
        if options.library.path.hasSuffix("bad.txt") {
            context.report(.error, "lookup.sample", "sample 3 of the library is refused", option: "library")
        }
        return Prepared(
            upstream: context.upstream.stages.map { "\(type(of: $0))" }, input: context.upstream.input,
            above: context.upstream.above)
    }

    struct Prepared: Stage {
        let upstream: [String]
        let input: PortType?
        let above: String?
        mutating func process(_ number: Number, _ header: borrowing Header, into emitter: borrowing Emitter<Number>) {}
    }
}

/// A stage that passes on any payload.
struct Tap: StageComponent {
    typealias Options = NoOptions

    static let manifest = Manifest(name: "tap", summary: "Looks at frames", example: "")
    static let makes = Production.same
    static func accepts(_ options: NoOptions) -> Acceptance { .any }
    static func make(_ options: NoOptions, for input: PortType, _ context: BuildContext) throws -> any Stage {
        make(input.payload)
    }

    private static func make<P: Payload>(_ type: P.Type) -> any Stage { Of<P>() }

    struct Of<P: Payload>: Stage {
        mutating func process(_ payload: P, _ header: borrowing Header, into emitter: borrowing Emitter<P>) {
            emitter.emit(payload)
        }
    }
}

/// A sink for any payload.
struct Print: SinkComponent {
    struct Options: ComponentOptions {
        @Option("How frames are shown.")
        var format = Format.pretty

        @Option("Text above the frames.")
        var title: String?

        @Option("Whether to use color.")
        var color = false

        @Option("The file to print to.", example: "out.txt")
        var path: OutputPath?
    }

    enum Format: String, OptionChoice {
        case pretty, jsonl, csv
    }

    static let manifest = Manifest(name: "print", summary: "Prints", example: "")
    static func accepts(_ options: Options) -> Acceptance { .any }
    static func make(_ options: Options, for input: PortType, _ context: BuildContext) throws -> any Sink {
        make(input.payload, title: options.title)
    }

    private static func make<P: Payload>(_ type: P.Type, title: String?) -> any Sink { Of<P>(title: title) }

    struct Of<P: Payload>: Sink {
        let title: String?
        mutating func write(_ frame: Frame<P>) throws {}
    }
}

/// A sink for words only.
struct Speak: SinkComponent {
    typealias Options = NoOptions

    static let manifest = Manifest(name: "speak", summary: "Says words", example: "")
    static func accepts(_ options: NoOptions) -> Acceptance { .one(of: [PortType(Word.self)]) }
    static func make(_ options: NoOptions, for input: PortType, _ context: BuildContext) throws -> any Sink {
        Print.Of<Word>(title: nil)
    }
}

extension FrameNotation where P == Number {
    /// `{ "value": 1 }`
    static let value = FrameNotation<Number>(
        makeReader: {
            { json, arrival in
                let node = ConfigNode.parse(yaml: json)
                guard let value = node?["value"]?.scalar.flatMap({ Double($0.text) }) else {
                    throw PipelineError.frame("number.value", "a number needs a value that is a number")
                }
                return Item(frame: Frame(Number(value: value), at: arrival))
            }
        }, write: { "{\"value\":\($0.payload.value)}" })
}

extension Registry {
    /// The components that the configuration tests use.
    static let small: Registry = {
        var registry = Registry()
        registry.add(CountSource.self)
        registry.add(CameraSource.self)
        registry.add(PieceSource.self)
        registry.add(MissingSource.self)
        registry.add(Scale.self)
        registry.add(Convert.self)
        registry.add(Spell.self)
        registry.add(Measure.self)
        registry.add(Lookup.self)
        registry.add(Tap.self)
        registry.add(NumbersSource.self)
        registry.add(Every.self)
        registry.add(Print.self)
        registry.add(Speak.self)
        registry.add(FrameNotation<Number>.value)
        registry.add(FrameNotation<FailedFrame>(makeReader: nil) { "{\"code\":\"\($0.payload.error.code)\"}" })
        return registry
    }()
}
