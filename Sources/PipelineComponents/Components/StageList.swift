import Pipeline

/// A list of stages as the value of an option, in the grammar of the top level: what a stage runs on the parts of its frames.
///
/// Names and options are checked where it is read, so that all findings come at once; what flows through it is not known before
/// the component is made, which asks ``BuildContext/chain(of:taking:making:)`` for it.
public struct StageList: Sendable {
    /// Reads a list, and reports all that is wrong with it.
    package typealias Reader = @Sendable (ConfigNode, DecodingContext) -> StageList

    /// Makes the chain for what arrives and what has to come of it; `nil` when something is wrong with it, which is reported.
    package typealias Maker = @Sendable (BuildContext, _ element: PortType, _ ports: [PortType]) -> NestedChain?

    /// `nil` where nobody read it.
    let make: Maker?

    /// No stages.
    public init() { make = nil }

    /// Wraps what makes the chain.
    package init(_ make: @escaping Maker) { self.make = make }
}

extension BuildContext {
    /// The chain that a list of stages describes, made for what each of its runs takes; `nil` when something is wrong with it,
    /// which is reported.
    ///
    /// - Parameters:
    ///   - list: The value of one of the component's options.
    ///   - element: What arrives at the first stage.
    ///   - ports: What the last stage must make one of.
    public func chain(of list: StageList, taking element: PortType, making ports: [PortType]) -> NestedChain? {
        list.make?(self, element, ports)
    }
}
