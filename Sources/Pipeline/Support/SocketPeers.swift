/// An address that a component listens on or connects to, with the number of connected peers.
package struct SocketPeers: Sendable, Hashable {
    /// The address, for example `tcp://127.0.0.1:5556`.
    package var endpoint: String
    /// Whether the component listens on the address, so that peers connect to it.
    package var isBound: Bool
    /// The number of connected peers.
    package var peers: Int

    package init(endpoint: String, isBound: Bool, peers: Int) {
        (self.endpoint, self.isBound, self.peers) = (endpoint, isBound, peers)
    }
}
