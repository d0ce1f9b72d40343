import Pipeline

/// A source, stage or sink that a configuration can name.
public protocol Component: NamedComponent {
    /// The options of the component.
    associatedtype Options: ComponentOptions

    /// The description of the component.
    static var manifest: Manifest { get }
}

extension Component {
    /// The name in the component's manifest.
    public static var componentName: String { manifest.name }
}

/// A source that a configuration can name.
public protocol SourceComponent: Component {
    /// The payloads that the source produces.
    static var makes: Production { get }

    /// Creates the source. This function opens and reads only what is needed to check the graph.
    static func make(_ options: Options, _ context: BuildContext) throws -> any Source
}

extension SourceComponent where Self: Source {
    public static var makes: Production { .of(Output.self) }
}

/// A stage that a configuration can name.
public protocol StageComponent: Component {
    /// Returns the payloads that the stage accepts with the given options.
    static func accepts(_ options: Options) -> Acceptance

    /// The payloads that the stage produces, independent of its options.
    static var makes: Production { get }

    /// Creates the stage for its input. `input` is one of the accepted port types.
    static func make(_ options: Options, for input: PortType, _ context: BuildContext) throws -> any Stage
}

/// An asynchronous stage that a configuration can name.
public protocol AsyncStageComponent: Component {
    /// Returns the payloads that the stage accepts with the given options.
    static func accepts(_ options: Options) -> Acceptance

    /// The payloads that the stage produces, independent of its options.
    static var makes: Production { get }

    /// Creates the stage for its input. `input` is one of the accepted port types.
    static func make(_ options: Options, for input: PortType, _ context: BuildContext) throws -> any AsyncStage
}

/// A sink that a configuration can name.
public protocol SinkComponent: Component {
    /// Returns the payloads that the sink accepts with the given options.
    static func accepts(_ options: Options) -> Acceptance

    /// Creates the sink for its input. `input` is one of the accepted port types.
    static func make(_ options: Options, for input: PortType, _ context: BuildContext) throws -> any Sink
}

/// A stage that can be created from its options alone, in YAML and in Swift.
public protocol ConfigurableStage: Stage, StageComponent {
    /// Creates the stage.
    ///
    /// - Throws: A configuration error for invalid options that the range checks cannot detect.
    init(_ options: Options, _ context: BuildContext) throws
}

extension ConfigurableStage {
    public var isStateless: Bool { Self.manifest.isPure }

    public static var makes: Production { .of(Output.self) }

    public static func accepts(_ options: Options) -> Acceptance { .one(of: [PortType(Input.self)]) }

    public static func make(_ options: Options, for input: PortType, _ context: BuildContext) throws -> any Stage {
        try Self(options, context)
    }
}
