/// Determines when to reconnect to a server that rejects this client, and to a peer that violated the protocol. libzmq would retry
/// the server ten times per second, and the peer never. Performs no I/O; times are in milliseconds.
struct Reconnection: Sendable {
    private struct Pause: Sendable {
        var length: Int64
        var until: Int64?
    }

    private let first: Int64
    private let longest: Int64
    private var pauses: [String: Pause] = [:]
    /// The time by which libzmq must have started to reconnect to each endpoint whose connection was lost.
    private var lost: [String: Int64] = [:]

    /// Creates the state without any pauses.
    ///
    /// - Parameters:
    ///   - firstMs: The first pause, in milliseconds. Each further pause is twice as long as the one before.
    ///   - longestMs: The longest pause, in milliseconds.
    init(firstMs: Int, longestMs: Int) {
        first = Int64(max(1, firstMs))
        longest = Int64(max(firstMs, longestMs, 1))
    }

    /// Records that an endpoint rejected this client.
    ///
    /// - Returns: How long to wait before the next attempt, in milliseconds, or `nil` when a pause is already running.
    mutating func refused(_ endpoint: String, at now: Int64) -> Int64? {
        var pause = pauses[endpoint] ?? Pause(length: first)
        guard pause.until == nil else { return nil }
        defer { pauses[endpoint] = pause }
        let length = pause.length
        pause.until = now + length
        pause.length = min(length * 2, longest)
        return length
    }

    /// Records that an endpoint accepted this client. Resets all pauses to their first length, except for those that are running.
    mutating func accepted() { pauses = pauses.filter { $0.value.until != nil } }

    /// Records that a connection was lost without being closed by this side.
    mutating func lost(_ endpoint: String, at now: Int64) { lost[endpoint] = now + Self.graceMs }

    /// Records that libzmq is reconnecting.
    mutating func tried(_ endpoint: String) { lost[endpoint] = nil }

    /// Returns the endpoints whose connection was lost and to which libzmq does not reconnect. When libzmq does reconnect, it
    /// reports this immediately; record the report with ``tried(_:)``.
    mutating func abandoned(at now: Int64) -> [String] {
        let due = lost.filter { $0.value <= now }.keys.sorted()
        for endpoint in due { lost[endpoint] = nil }
        return due
    }

    /// The time that libzmq has to start reconnecting, in milliseconds.
    private static var graceMs: Int64 { 500 }

    /// Returns the endpoints to reconnect to now.
    mutating func due(at now: Int64) -> [String] {
        let due = pauses.filter { $0.value.until.map { $0 <= now } ?? false }.keys.sorted()
        for endpoint in due { pauses[endpoint]?.until = nil }
        return due
    }

    /// Returns the number of milliseconds until the next endpoint is due, or `nil` when none is waiting.
    func wait(at now: Int64) -> Int64? {
        let pause = pauses.values.compactMap(\.until).min()
        let loss = lost.values.min()
        return [pause, loss].compactMap { $0 }.min().map { max(0, $0 - now) }
    }
}
