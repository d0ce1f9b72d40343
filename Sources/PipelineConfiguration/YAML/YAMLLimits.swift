/// The limits of a configuration's size. They are checked before memory of that size is allocated.
public struct YAMLLimits: Sendable {
    /// The maximum number of bytes in the text.
    public var bytes: Int

    /// The maximum nesting depth of lists and mappings.
    public var depth: Int

    /// The maximum number of nodes. Every alias counts with all nodes of its value.
    public var nodes: Int

    /// Creates limits. The defaults are far more than a pipeline needs.
    public init(bytes: Int = 1 << 20, depth: Int = 64, nodes: Int = 100_000) {
        self.bytes = bytes
        self.depth = depth
        self.nodes = nodes
    }
}
