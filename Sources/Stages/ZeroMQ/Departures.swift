/// Connections that are to be ended once all that came by them has been read. Pure state.
struct Departures: Sendable {
    /// A connection to end.
    struct Departure: Sendable, Equatable {
        let endpoint: String
        /// Whether to connect anew.
        var returns: Bool
    }

    private struct Waiting: Sendable {
        var departure: Departure
        /// How many messages may have to be read before all of this connection's have been.
        var messages: Int
    }

    private var waiting: [Waiting] = []

    /// How many messages wait in the socket for each connection at most.
    var room = 1000

    /// Whether nothing waits.
    var isEmpty: Bool { waiting.isEmpty }

    /// Adds a connection. libzmq reads from all connections in turn, so that it has been read to its end after as many messages
    /// as can wait by all of them, however fast others send.
    mutating func add(_ endpoint: String, andReturn returns: Bool, connections: Int) {
        guard !self.returns(to: endpoint, if: returns) else { return }
        let messages = (room + 1).multipliedReportingOverflow(by: max(1, connections) + 1)
        waiting.append(
            Waiting(
                departure: Departure(endpoint: endpoint, returns: returns),
                messages: messages.overflow ? .max : messages.partialValue))
    }

    /// Asks that one that still waits be made anew as soon as it has been ended; false when it does not wait.
    mutating func returns(to endpoint: String) -> Bool { returns(to: endpoint, if: true) }

    private mutating func returns(to endpoint: String, if returns: Bool) -> Bool {
        guard let index = waiting.firstIndex(where: { $0.departure.endpoint == endpoint }) else { return false }
        if returns { waiting[index].departure.returns = true }
        return true
    }

    /// Notes that nothing is left to be read.
    ///
    /// - Returns: What to end now.
    mutating func allRead() -> [Departure] {
        guard !waiting.isEmpty else { return [] }
        defer { waiting = [] }
        return waiting.map(\.departure)
    }

    /// Notes that a message has been read.
    ///
    /// - Returns: What to end now.
    mutating func read() -> [Departure] {
        for index in waiting.indices { waiting[index].messages -= 1 }
        let due = waiting.filter { $0.messages <= 0 }
        if !due.isEmpty { waiting.removeAll { $0.messages <= 0 } }
        return due.map(\.departure)
    }
}
