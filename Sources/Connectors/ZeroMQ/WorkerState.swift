/// The state of a worker that gets requests: how many it has, and whether it answers. Performs no I/O; times are in milliseconds.
struct WorkerState: Sendable {
    /// A pause after the worker was found to be silent. Until it ends, new requests go to it only if no other worker takes them.
    private struct Rest: Sendable {
        var until: Int64
        var length: Int64
    }

    /// The length of the longest rest, as a multiple of the first.
    static let longestRest: Int64 = 64

    /// Whether this represents all workers that connect to a bound address. Those workers open their connections themselves.
    let isBound: Bool

    /// The number of requests that were sent to the worker and whose answers are still awaited.
    private(set) var underWay = 0

    /// The number of the request that the worker got last, counted over all workers; 0 for none.
    private(set) var turn: UInt64 = 0

    /// The time since which the worker has answered none of its requests, or `nil` when it has no requests.
    private var silence: Int64?
    private var rest: Rest?

    init(isBound: Bool = false) { self.isBound = isBound }

    /// Whether the worker has not answered since it was found to be silent.
    var isSilent: Bool { rest != nil }

    /// Returns whether it is too early to test a silent worker with a request.
    func isResting(at now: Int64) -> Bool { rest.map { now < $0.until } ?? false }

    /// Returns whether the worker has had requests for at least the given time and has answered none of them.
    func hasNotAnswered(for time: Int64, at now: Int64) -> Bool { silence.map { now - $0 >= time } ?? false }

    /// Records a request that was sent to the worker. A silent worker gets no other new request until this one has timed out.
    mutating func deal(turn: UInt64, within timeout: Int64, at now: Int64) {
        self.turn = turn
        underWay += 1
        silence = silence ?? now
        rest?.until = now + timeout
    }

    /// Records that the answer to one of the worker's requests is no longer awaited.
    mutating func release() {
        underWay = max(0, underWay - 1)
        if underWay == 0 { silence = nil }
    }

    /// Records that the worker has sent something, or that its connection broke and a different worker may follow.
    mutating func revive(at now: Int64) {
        rest = nil
        silence = underWay > 0 ? now : nil
    }

    /// Starts a rest. The first rest lasts for `timeout`, and each further one twice as long as the one before, up to a limit.
    mutating func pause(for timeout: Int64, at now: Int64) {
        let length = min(rest.map { $0.length * 2 } ?? timeout, timeout * Self.longestRest)
        rest = Rest(until: now + length, length: length)
        silence = underWay > 0 ? now : nil
    }
}
