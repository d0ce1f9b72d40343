/// What is known of a worker to whom requests are dealt: how many it has, and whether it answers. Pure state; times are in
/// milliseconds.
struct RequestPeer: Sendable {
    /// A pause in which it is asked nothing while others answer.
    private struct Rest: Sendable {
        var until: Int64
        var length: Int64
    }

    /// How many times as long as the first the longest rest is.
    static let longestRest: Int64 = 64

    /// Whether it stands for all that come to an address that is bound: their connections are theirs to make.
    let isBound: Bool

    /// How many requests it was sent and is still awaited with.
    private(set) var underWay = 0

    /// When it was dealt a request last: the number of that turn, 0 for never.
    private(set) var turn: UInt64 = 0

    /// Since when it has answered nothing of what it was sent; `nil` when it has nothing.
    private var silence: Int64?
    private var rest: Rest?

    init(isBound: Bool = false) { self.isBound = isBound }

    /// Whether it has not answered since it was found silent.
    var isSilent: Bool { rest != nil }

    /// Whether it is not yet time to see if it answers again.
    func isResting(at now: Int64) -> Bool { rest.map { now < $0.until } ?? false }

    /// Whether it has answered nothing for so long, with something asked of it.
    func isSilent(for time: Int64, at now: Int64) -> Bool { silence.map { now - $0 >= time } ?? false }

    /// Notes a request that it was sent. To one that was silent no other follows before this one's time is over.
    mutating func deal(turn: UInt64, within timeout: Int64, at now: Int64) {
        self.turn = turn
        underWay += 1
        silence = silence ?? now
        rest?.until = now + timeout
    }

    /// Notes that a request is awaited of it no longer.
    mutating func release() {
        underWay = max(0, underWay - 1)
        if underWay == 0 { silence = nil }
    }

    /// Notes that it has said something, or is another one since its connection broke.
    mutating func revive(at now: Int64) {
        rest = nil
        silence = underWay > 0 ? now : nil
    }

    /// Lets it rest, the first time for `timeout`, then twice as long each time.
    mutating func pause(for timeout: Int64, at now: Int64) {
        let length = min(rest.map { $0.length * 2 } ?? timeout, timeout * Self.longestRest)
        rest = Rest(until: now + length, length: length)
        silence = underWay > 0 ? now : nil
    }
}
