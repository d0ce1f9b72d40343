/// Stages one behind the other that a stage runs on parts of its frames, one copy of the chain for each part it tells apart.
public struct NestedChain: Sendable {
    /// One stage of the chain.
    public struct Node: Sendable {
        /// Its `id`, unique in the chain.
        public let id: String

        /// The component's name in the registry.
        public let component: String

        /// The stage, to be copied.
        public let stage: any Stage

        /// What it takes.
        public let input: PortType

        /// What it makes.
        public let output: PortType

        /// What becomes of a part that it cannot process; unless said, the whole frame cannot be processed.
        let onError: ErrorPolicy?

        /// Where it stands in the configuration.
        package let span: SourceSpan?
        package let path: String

        /// Puts a stage into a chain.
        package init(
            id: String, component: String, stage: any Stage, input: PortType, output: PortType, onError: ErrorPolicy?,
            span: SourceSpan?, path: String
        ) {
            self.id = id
            self.component = component
            self.stage = stage
            self.input = input
            self.output = output
            self.onError = onError
            self.span = span
            self.path = path
        }
    }

    /// What arrives at the first stage.
    public let input: PortType

    /// The stages, first to last.
    public package(set) var nodes: [Node] = []

    /// A chain without a stage, which nothing can run.
    public init(taking input: PortType) { self.input = input }

    /// What the last stage makes.
    public var output: PortType { nodes.last?.output ?? input }

    /// How many stages at the head of the chain make what it takes.
    ///
    /// - Parameter keepsAttributes: Whether they must leave its attributes as they are, too.
    public func countKeeping(attributes keepsAttributes: Bool) -> Int {
        nodes.prefix {
            $0.output.isSamePayload(as: input) && (!keepsAttributes || $0.output.attributes == input.attributes)
        }.count
    }
}

/// A stage that runs a chain of stages of its own on parts of its frames.
///
/// Before it is copied for a stream, the engine connects it; it then asks the ``ChainHost`` for chains to run.
public protocol NestingStage: Stage {
    /// The chain, for drawings and the ledger.
    var chain: NestedChain { get }

    /// Receives what runs the chain.
    mutating func connect(_ host: ChainHost)
}
