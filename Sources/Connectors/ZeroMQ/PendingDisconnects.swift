/// Connections to close once all messages that arrived on them have been read. Performs no I/O.
struct PendingDisconnects: Sendable {
    /// A connection to close.
    struct Peer: Sendable, Equatable {
        let endpoint: String
        /// Whether to connect again afterwards.
        var returns: Bool
    }

    private var waiting: [Peer] = []

    var isEmpty: Bool { waiting.isEmpty }

    /// Adds a connection.
    mutating func add(_ endpoint: String, andReturn returns: Bool) {
        guard !self.returns(to: endpoint, if: returns) else { return }
        waiting.append(Peer(endpoint: endpoint, returns: returns))
    }

    /// Marks a waiting connection to be reopened as soon as it has been closed. Returns `false` when it is not waiting.
    mutating func returns(to endpoint: String) -> Bool { returns(to: endpoint, if: true) }

    private mutating func returns(to endpoint: String, if returns: Bool) -> Bool {
        guard let index = waiting.firstIndex(where: { $0.endpoint == endpoint }) else { return false }
        if returns { waiting[index].returns = true }
        return true
    }

    /// Records that all messages have been read.
    ///
    /// - Returns: The connections to close now.
    mutating func allRead() -> [Peer] {
        guard !waiting.isEmpty else { return [] }
        defer { waiting = [] }
        return waiting
    }
}
