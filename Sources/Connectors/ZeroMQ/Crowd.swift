import CZMQ

/// Those who have come to an address, for the time when the process can have no more connections. Pure state; times are in
/// milliseconds.
///
/// A connection that the system cannot give stays in line, and libzmq asks for it again and again, without a pause and without
/// a word. So somebody is turned away: who came last, that those who were there first stay. With nobody to turn away the
/// address is closed for a while.
struct Crowd: Sendable {
    /// What to do when there is no room.
    enum Action: Sendable, Equatable {
        /// Hang up on this one.
        case turnAway(Int32)
        /// Close the address, and open it again later.
        case close
    }

    /// What libzmq has to tell.
    static let events = Int32(ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_ACCEPT_FAILED | ZMQ_EVENT_DISCONNECTED)

    /// How long an address stays closed.
    static let pauseMs: Int64 = 1000

    /// Who has come, in turn, and has not gone.
    private var there: [Int32] = []
    /// Who was hung up on and has not gone yet.
    private var leaving: Int32?
    /// When to open addresses again.
    private var pauses: [String: Int64] = [:]

    /// Somebody has come.
    mutating func came(_ connection: Int32) {
        there.append(connection)
        leaving = nil
    }

    /// Somebody has gone.
    mutating func went(_ connection: Int32) {
        if leaving == connection { leaving = nil }
        if let index = there.lastIndex(of: connection) { there.remove(at: index) }
    }

    /// Somebody could not be let in for want of room.
    ///
    /// - Returns: What to do; nothing while somebody is on the way out, or the address is closed.
    mutating func isFull() -> Action? {
        guard leaving == nil, pauses.isEmpty else { return nil }
        guard let last = there.popLast() else { return .close }
        leaving = last
        return .turnAway(last)
    }

    /// An address was closed, or could not be opened again.
    mutating func closed(_ endpoint: String, at now: Int64) { pauses[endpoint] = now + Self.pauseMs }

    /// The addresses to open now.
    mutating func due(at now: Int64) -> [String] {
        guard !pauses.isEmpty else { return [] }
        let due = pauses.filter { $0.value <= now }.keys.sorted()
        for endpoint in due { pauses[endpoint] = nil }
        return due
    }

    /// How many milliseconds until the next address is to be opened; `nil` when none is closed.
    func wait(at now: Int64) -> Int64? { pauses.values.min().map { max(0, $0 - now) } }
}
