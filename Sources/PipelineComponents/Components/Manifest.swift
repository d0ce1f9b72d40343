import Pipeline

/// What a component says about itself, beside its options.
public struct Manifest: Sendable {
    /// The name in YAML: nouns for sources and sinks, verbs for stages, `snake_case`.
    public let name: String

    /// Other names under which configurations may name it.
    public let aliases: [String]

    /// What it does, in one line without a full stop.
    public let summary: String

    /// What else a user should know, in Markdown: the algorithm and the source it follows, limits, defaults explained.
    public let details: String

    /// What it takes, in words; `nil` where its types say it.
    public let takes: String?

    /// Whether a stage makes exactly one output per input, decided by that payload alone, without side effects.
    public let isPure: Bool

    /// A whole pipeline that uses it and is valid as it stands.
    public let example: String

    /// Describes a component.
    public init(
        name: String, aliases: [String] = [], summary: String, details: String = "",
        takes: String? = nil, isPure: Bool = false, example: String
    ) {
        self.name = name
        self.aliases = aliases
        self.summary = summary
        self.details = details
        self.takes = takes
        self.isPure = isPure
        self.example = example
    }
}

/// What sources, stages and sinks have in common as parts of a configuration.
public protocol Component: NamedComponent {
    /// Its options.
    associatedtype Options: ComponentOptions

    /// What it says about itself.
    static var manifest: Manifest { get }
}

extension Component {
    /// The name in its manifest.
    public static var componentName: String { manifest.name }
}

/// A source that a configuration can name.
public protocol SourceComponent: Component {
    /// What the source makes.
    static var makes: Production { get }

    /// Makes the source. Nothing is opened or read here but what the graph needs to be checked.
    static func make(_ options: Options, _ context: BuildContext) throws -> any Source
}

extension SourceComponent where Self: Source {
    public static var makes: Production { .of(Output.self) }
}

/// A stage that a configuration can name.
public protocol StageComponent: Component {
    /// What the stage takes, given its options.
    static func accepts(_ options: Options) -> Acceptance

    /// What the stage makes, whatever its options.
    static var makes: Production { get }

    /// Makes the stage for what arrives. `input` is one of those accepted.
    static func make(_ options: Options, for input: PortType, _ context: BuildContext) throws -> any Stage
}

/// An asynchronous stage that a configuration can name.
public protocol AsyncStageComponent: Component {
    /// What the stage takes, given its options.
    static func accepts(_ options: Options) -> Acceptance

    /// What the stage makes, whatever its options.
    static var makes: Production { get }

    /// Makes the stage for what arrives. `input` is one of those accepted.
    static func make(_ options: Options, for input: PortType, _ context: BuildContext) throws -> any AsyncStage
}

/// A sink that a configuration can name.
public protocol SinkComponent: Component {
    /// What the sink takes, given its options.
    static func accepts(_ options: Options) -> Acceptance

    static func make(_ options: Options, for input: PortType, _ context: BuildContext) throws -> any Sink
}

/// A stage that can be made from its options alone, in YAML as in Swift.
public protocol ConfigurableStage: Stage, StageComponent {
    /// Makes the stage. Throws a configuration error for options that no range shows to be wrong.
    init(_ options: Options, _ context: BuildContext) throws
}

extension ConfigurableStage {
    public static var makes: Production { .of(Output.self) }

    public static func accepts(_ options: Options) -> Acceptance { .one(of: [PortType(Input.self)]) }

    public static func make(_ options: Options, for input: PortType, _ context: BuildContext) throws -> any Stage {
        try Self(options, context)
    }
}

/// What an input takes.
public enum Acceptance: Sendable {
    /// Any payload.
    case any

    /// One of these.
    case one(of: [PortType])

    /// Sets of frames from two or more edges that bring one of these: the stage is an `AlignedStage`.
    case aligned(of: [PortType])
}

/// What a component may use and must report to while it is made.
public final class BuildContext {
    /// Its `id`.
    public let id: String

    /// How the pipeline treats time and loss.
    public let mode: Mode

    /// Its options as written.
    public let node: ConfigNode?

    /// Where options are read from and findings go.
    public let decoding: DecodingContext

    /// The pure stages directly above it, for a matcher whose library must be prepared as the data is.
    public let upstream: PureRun

    /// Makes a context; by default one for use without a configuration.
    public init(
        id: String = "", mode: Mode = .batch, node: ConfigNode? = nil,
        decoding: DecodingContext = DecodingContext(findings: Findings(), path: "", baseDirectory: "."),
        upstream: PureRun = PureRun(stages: [], input: nil, above: nil)
    ) {
        self.id = id
        self.mode = mode
        self.node = node
        self.decoding = decoding
        self.upstream = upstream
    }

    /// Reports a finding at one of the component's options (a path like `decode.columns`), or at the component.
    public func report(
        _ severity: Diagnostic.Severity = .error, _ code: String, _ message: String, option: String? = nil,
        help: String? = nil
    ) {
        var place = node
        var path = decoding.path
        for step in (option ?? "").split(separator: ".") {
            guard let next = place?[String(step)] else { break }
            place = next
            path += ".\(step)"
        }
        decoding.findings.add(
            Diagnostic(severity, code, message, span: place?.span, path: path, help: help))
    }
}

extension BuildContext {
    /// What a file holds that an option names, read as the registry says.
    ///
    /// - Throws: What the reader throws; a configuration error (`registry.no_reader`) where nothing reads such files.
    public func read<Value>(_ type: Value.Type, from file: FilePath) throws -> Value {
        guard let read = decoding.registry?.reader(of: type) else {
            throw PipelineError(
                .configuration, "registry.no_reader", "nothing here reads a \(type) of \(file.path)",
                help: "register what does with Registry.add(reader:), or make the component in Swift")
        }
        return try read(file.path)
    }
}

/// The longest run of pure, synchronous, one-input stages directly above a stage.
public struct PureRun: Sendable {
    /// The stages, first to last, as they were made for this graph.
    public let stages: [any Stage]

    /// What arrives at the first of them (or at the stage itself, when there is none).
    public let input: PortType?

    /// The `id` of the component above the run, which is in the way when `input` is not what a library holds.
    public let above: String?

    /// Describes a run.
    public init(stages: [any Stage], input: PortType?, above: String?) {
        self.stages = stages
        self.input = input
        self.above = above
    }

    /// The output of fresh instances of the stages for one payload.
    ///
    /// - Throws: What a stage throws; a configuration error when the types do not fit.
    public func prepare<Input: Payload, Output: Payload>(_ payload: Input, as output: Output.Type) throws -> Output {
        var value: any Payload = payload
        for stage in stages { value = try Self.apply(stage, to: value) }
        guard let result = value as? Output else {
            throw PipelineError(
                .configuration, "graph.type_mismatch",
                "the stages above make \(type(of: value).kind), not \(Output.kind)")
        }
        return result
    }

    private static func apply<S: Stage>(_ stage: S, to payload: any Payload) throws -> any Payload {
        guard let input = payload as? S.Input else {
            throw PipelineError(
                .configuration, "graph.type_mismatch", "a \(type(of: payload).kind) cannot be prepared by \(S.self)")
        }
        return try firstOutput(of: stage, for: Frame(input, at: .zero))
    }
}
