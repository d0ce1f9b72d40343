import Pipeline

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
