/// An address that a component listens at or goes to, and how many peers are connected there.
package struct SocketPeers: Sendable, Hashable {
    /// The address, as `tcp://127.0.0.1:5556`.
    package var endpoint: String
    /// Whether the component listens there; others come to it then.
    package var isBound: Bool
    /// How many are connected.
    package var peers: Int

    package init(endpoint: String, isBound: Bool, peers: Int) {
        (self.endpoint, self.isBound, self.peers) = (endpoint, isBound, peers)
    }
}
