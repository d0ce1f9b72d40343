/// Connections that are to be ended once all that came by them has been read. Pure state.
struct Departures: Sendable {
    /// A connection to end.
    struct Departure: Sendable, Equatable {
        let endpoint: String
        /// Whether to connect again.
        var returns: Bool
    }

    private var waiting: [Departure] = []

    /// Adds a connection.
    mutating func add(_ endpoint: String, andReturn returns: Bool) {
        guard !self.returns(to: endpoint, if: returns) else { return }
        waiting.append(Departure(endpoint: endpoint, returns: returns))
    }

    /// Asks that one that still waits be made again as soon as it has been ended; false when it does not wait.
    mutating func returns(to endpoint: String) -> Bool { returns(to: endpoint, if: true) }

    private mutating func returns(to endpoint: String, if returns: Bool) -> Bool {
        guard let index = waiting.firstIndex(where: { $0.endpoint == endpoint }) else { return false }
        if returns { waiting[index].returns = true }
        return true
    }

    /// Notes that nothing is left to be read.
    ///
    /// - Returns: What to end now.
    mutating func allRead() -> [Departure] {
        guard !waiting.isEmpty else { return [] }
        defer { waiting = [] }
        return waiting
    }
}
