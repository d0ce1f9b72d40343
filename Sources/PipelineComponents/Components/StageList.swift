import Pipeline

/// A list of stages as the value of an option, in the same grammar as at the top level. The component runs the stages on parts of
/// its frames, for example on each hand.
///
/// Names and options are checked when the list is read, so that all findings are reported at once. The payload type is not known
/// until the component is created. The component then gets the chain from ``BuildContext/chain(of:taking:making:)``.
public struct StageList: Sendable {
    /// Reads a list and reports all findings about it.
    package typealias Reader = @Sendable (ConfigNode, DecodingContext) -> StageList

    /// Creates the chain for an input and the accepted outputs. Reports findings and returns `nil` if the chain is not valid.
    package typealias Maker = @Sendable (BuildContext, _ element: PortType, _ ports: [PortType]) -> NestedChain?

    /// The function that creates the chain; `nil` if the list was not read from a configuration.
    let make: Maker?

    /// Creates an empty list.
    public init() { make = nil }

    /// Creates a list from the function that creates its chain.
    package init(_ make: @escaping Maker) { self.make = make }
}

extension BuildContext {
    /// Creates the chain that a list of stages describes, for one type of input. Reports findings and returns `nil` if the chain is
    /// not valid.
    ///
    /// - Parameters:
    ///   - list: The value of one of the component's options.
    ///   - element: The input of the first stage.
    ///   - ports: The accepted outputs of the last stage.
    public func chain(of list: StageList, taking element: PortType, making ports: [PortType]) -> NestedChain? {
        list.make?(self, element, ports)
    }
}
