/// The maximum size of a configuration. It is checked before anything of that size is allocated.
public struct YAMLLimits: Sendable {
    /// The number of bytes in the text.
    public var bytes: Int

    /// The nesting depth of lists and mappings.
    public var depth: Int

    /// The number of nodes. Every use of an alias counts with its whole value.
    public var nodes: Int

    /// Creates limits. The defaults are far above what a pipeline needs.
    public init(bytes: Int = 1 << 20, depth: Int = 64, nodes: Int = 100_000) {
        self.bytes = bytes
        self.depth = depth
        self.nodes = nodes
    }
}
