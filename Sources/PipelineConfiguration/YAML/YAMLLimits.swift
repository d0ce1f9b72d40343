/// How large a configuration may be. Checked before anything of that size is made.
public struct YAMLLimits: Sendable {
    /// Bytes of the text.
    public var bytes: Int

    /// How deep lists and mappings may be nested.
    public var depth: Int

    /// Nodes, every use of an alias counted with all that it stands for.
    public var nodes: Int

    /// States limits; the defaults are far above what a pipeline needs.
    public init(bytes: Int = 1 << 20, depth: Int = 64, nodes: Int = 100_000) {
        self.bytes = bytes
        self.depth = depth
        self.nodes = nodes
    }
}
