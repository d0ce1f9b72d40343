/// A chain of stages that a stage runs on parts of its frames, such as single hands. Each part has an identity, and each identity
/// gets its own instance of the chain.
public struct NestedChain: Sendable {
    /// One stage of the chain.
    public struct Node: Sendable {
        /// The stage's `id`, unique in the chain.
        public let id: String

        /// The component's name in the registry.
        public let component: String

        /// The prototype of the stage, which is copied.
        public let stage: any Stage

        /// The port type of the input.
        public let input: PortType

        /// The port type of the output.
        public let output: PortType

        /// What happens to a part that the stage cannot process. If `nil`, the whole frame fails.
        let onError: ErrorPolicy?

        /// The position in the configuration.
        package var span: SourceSpan?
        package var path = ""

        /// Creates a node of a chain.
        package init(
            id: String, component: String, stage: any Stage, input: PortType, output: PortType, onError: ErrorPolicy?
        ) {
            self.id = id
            self.component = component
            self.stage = stage
            self.input = input
            self.output = output
            self.onError = onError
        }
    }

    /// The port type of the first stage's input.
    public let input: PortType

    /// The stages, first to last.
    public package(set) var nodes: [Node] = []

    /// Creates a chain without stages, which cannot run.
    public init(taking input: PortType) { self.input = input }

    /// The port type of the last stage's output.
    public var output: PortType { nodes.last?.output ?? input }

    /// Returns how many stages at the start of the chain emit the same payload type as the chain's input.
    ///
    /// - Parameter keepsAttributes: Whether the stages must also leave the attributes unchanged.
    public func countKeeping(attributes keepsAttributes: Bool) -> Int {
        nodes.prefix {
            $0.output.isSamePayload(as: input) && (!keepsAttributes || $0.output.attributes == input.attributes)
        }.count
    }
}

/// A stage that runs its own chain of stages on parts of its frames.
///
/// The engine connects the stage before copying it for a stream. The stage then requests chains from the ``ChainHost``.
public protocol NestingStage: Stage {
    /// The chain, as drawings of the graph and the ledger show it.
    var chain: NestedChain { get }

    /// Sets the host that runs the chain.
    mutating func connect(_ host: ChainHost)
}
