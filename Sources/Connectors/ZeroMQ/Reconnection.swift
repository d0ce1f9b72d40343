/// When to try again at servers that do not let us in, where libzmq would try ten times a second, and at peers that have
/// broken the rules, where it would not try at all. Pure state.
struct Reconnection: Sendable {
    private struct Pause: Sendable {
        var length: Int64
        var until: Int64?
    }

    private let first: Int64
    private let longest: Int64
    private var pauses: [String: Pause] = [:]
    /// Until when libzmq must have tried again where a connection was lost.
    private var lost: [String: Int64] = [:]

    /// - Parameters:
    ///   - firstMs: The first pause, in milliseconds; each is twice as long as the one before.
    ///   - longestMs: The longest.
    init(firstMs: Int, longestMs: Int) {
        first = Int64(max(1, firstMs))
        longest = Int64(max(firstMs, longestMs, 1))
    }

    /// Notes that an endpoint did not let us in.
    ///
    /// - Returns: How long to leave it alone, in milliseconds; `nil` when it is left alone already.
    mutating func refused(_ endpoint: String, at now: Int64) -> Int64? {
        var pause = pauses[endpoint] ?? Pause(length: first)
        guard pause.until == nil else { return nil }
        defer { pauses[endpoint] = pause }
        let length = pause.length
        pause.until = now + length
        pause.length = min(length * 2, longest)
        return length
    }

    /// Notes that somebody let us in.
    mutating func letIn() { pauses = pauses.filter { $0.value.until != nil } }

    /// Notes that a connection was lost, not by us.
    mutating func lost(_ endpoint: String, at now: Int64) { lost[endpoint] = now + Self.graceMs }

    /// Notes that libzmq tries again.
    mutating func tried(_ endpoint: String) { lost[endpoint] = nil }

    /// The endpoints that were lost and that libzmq will not try again: it says so at once when it does.
    mutating func abandoned(at now: Int64) -> [String] {
        let due = lost.filter { $0.value <= now }.keys.sorted()
        for endpoint in due { lost[endpoint] = nil }
        return due
    }

    private static var graceMs: Int64 { 500 }

    /// The endpoints to try again now.
    mutating func due(at now: Int64) -> [String] {
        let due = pauses.filter { $0.value.until.map { $0 <= now } ?? false }.keys.sorted()
        for endpoint in due { pauses[endpoint]?.until = nil }
        return due
    }

    /// How many milliseconds until the next is due; `nil` when nothing is.
    func wait(at now: Int64) -> Int64? {
        let pause = pauses.values.compactMap(\.until).min()
        let loss = lost.values.min()
        return [pause, loss].compactMap { $0 }.min().map { max(0, $0 - now) }
    }
}
