import Pipeline

/// The numbers of one stream's messages, as its sender gives them; or as its senders do, when several use one name. Pure state.
///
/// A message whose number is not above the last has come before when its number and its time are those of one that has been
/// seen a short while ago. Otherwise its sender has started again, whatever its clock says now. Where the numbers then go on
/// from where they were before, nobody has started again: two senders use one name, and each is followed on its own.
struct SenderNumbers: Sendable {
    /// What a message's number says.
    enum Step: Sendable, Equatable {
        case next
        case hole(Hole)
        /// It goes on where another sender's numbers were; by now it is sure that there are several.
        case mixed(Hole)
        case restart
        case duplicate
    }

    /// Numbers that are missing.
    struct Hole: Sendable, Equatable {
        let count: Int64
        /// How many messages of the stream came in the meantime that could not be read.
        let unread: Int64
        /// How many of no known stream had come before it.
        let strays: Int64
    }

    /// Where one sender's numbers are.
    private struct Run: Sendable {
        var last: Int64
        var time: Timestamp
        /// How many messages of the stream have come since one of this sender.
        var rest = 0
    }

    private struct Seen: Sendable, Equatable {
        let sequence: Int64
        let time: Timestamp
    }

    /// How many messages are remembered, to be known when they come again.
    static let memory = 16
    /// For how many messages a sender that another one came after is remembered.
    private static let longestRest = 64
    private static let mostSenders = 8
    /// How often numbers must have changed to and fro before it is sure that there are several senders: what a sender that was
    /// started again had sent before may still come between.
    private static let enoughTurns = 8
    /// The largest hole that is believed of a sender that another one came after.
    private static let largestHoleBetween: Int64 = 1000

    private var current: Run?
    private var time: Timestamp
    /// Whether its first message said its time itself.
    private(set) var tellsTime: Bool
    /// How many messages without a known stream had come when it was judged last.
    private var strays: Int64
    /// Messages that came but could not be read, so that their numbers are not known.
    private var unread: Int64 = 0
    private var others: [Run] = []
    private var turns = 0
    private var seen: [Seen] = []
    private var oldestSeen = 0

    /// Begins with a stream's first message.
    init(from sequence: Int64?, at time: Timestamp?, tellsTime: Bool, strays: Int64) {
        self.time = time ?? .beforeAll
        self.tellsTime = tellsTime
        self.strays = strays
        if let sequence { take(sequence, at: time) }
    }

    /// Takes in the next message. O(1).
    mutating func step(to sequence: Int64?, at time: Timestamp?, isStamped: Bool, strays: Int64) -> Step {
        guard let sequence, let current else {
            if let sequence { take(sequence, at: time) }
            self.time = time ?? self.time
            return .next
        }
        if others.isEmpty, sequence > current.last, let hole = Self.hole(from: current, to: sequence, at: time) {
            return go(to: sequence, at: time, hole, strays)
        }
        return turn(to: sequence, at: time, isStamped, strays, current)
    }

    /// Takes in a message that does not simply go on.
    private mutating func turn(
        to sequence: Int64, at time: Timestamp?, _ isStamped: Bool, _ strays: Int64, _ current: Run
    ) -> Step {
        if let time, seen.contains(Seen(sequence: sequence, time: time)) { return .duplicate }
        for index in others.indices { others[index].rest += 1 }
        others.removeAll { $0.rest > Self.longestRest }
        if others.isEmpty { turns = 0 }
        var best = Self.hole(from: current, to: sequence, at: time).map { (hole: $0, index: -1, run: current) }
        for (index, run) in others.enumerated() {
            guard let hole = Self.hole(from: run, to: sequence, at: time), hole <= Self.largestHoleBetween,
                time.map({ $0 > run.time }) ?? true
            else { continue }
            if let best, best.hole < hole || best.hole == hole && best.run.time >= run.time { continue }
            best = (hole, index, run)
        }
        guard let best else {
            guard time != nil || sequence > current.last else { return .duplicate }
            others.append(current)
            if others.count > Self.mostSenders { others.removeFirst() }
            if time != nil { tellsTime = !isStamped }
            (unread, self.strays) = (0, strays)
            (seen, oldestSeen) = ([], 0)
            take(sequence, at: time)
            return .restart
        }
        guard best.index >= 0 else { return go(to: sequence, at: time, best.hole, strays) }
        others[best.index] = Run(last: current.last, time: current.time)
        self.current = best.run
        turns += 1
        let hole = Hole(count: best.hole, unread: unread, strays: self.strays)
        let step = go(to: sequence, at: time, best.hole, strays)
        return turns == Self.enoughTurns ? .mixed(hole) : step
    }

    private mutating func go(to sequence: Int64, at time: Timestamp?, _ hole: Int64, _ strays: Int64) -> Step {
        defer {
            (unread, self.strays) = (0, strays)
            take(sequence, at: time)
        }
        return hole > 0 ? .hole(Hole(count: hole, unread: unread, strays: self.strays)) : .next
    }

    private mutating func take(_ sequence: Int64, at time: Timestamp?) {
        self.time = time ?? self.time
        current = Run(last: sequence, time: self.time)
        guard let time else { return }
        let message = Seen(sequence: sequence, time: time)
        if seen.count < Self.memory {
            seen.append(message)
        } else {
            seen[oldestSeen] = message
            oldestSeen = (oldestSeen + 1) % Self.memory
        }
    }

    /// How many are missing before a number; `nil` when it is not above the last, or more than one believes.
    private static func hole(from run: Run, to sequence: Int64, at time: Timestamp?) -> Int64? {
        guard sequence > run.last else { return nil }
        let (distance, overflow) = sequence.subtractingReportingOverflow(run.last)
        let elapsed = time.map { $0.microseconds(since: run.time) } ?? 0
        guard !overflow, distance - 1 <= max(elapsed, WireNumbers.largestHole) else { return nil }
        return distance - 1
    }

    /// Takes in which number has been reached: nothing comes for a while.
    ///
    /// - Returns: What is missing up to it, with it; `nil` when nothing is.
    mutating func reach(_ sequence: Int64, strays: Int64) -> Hole? {
        guard let current else {
            self.current = Run(last: sequence, time: time)
            return nil
        }
        guard current.last != sequence, !others.contains(where: { $0.last == sequence }) else { return nil }
        let index = others.indices.filter { others[$0].last < sequence }.max { others[$0].last < others[$1].last }
        let isCurrent = current.last < sequence && (index.map { others[$0].last < current.last } ?? true)
        guard let run = isCurrent ? current : index.map({ others[$0] }),
            let hole = Self.hole(from: run, to: sequence, at: nil)
        else { return nil }
        if isCurrent { self.current?.last = sequence } else if let index { others[index].last = sequence }
        defer { (unread, self.strays) = (0, strays) }
        return Hole(count: hole + 1, unread: unread, strays: self.strays)
    }

    /// Takes in a message that could not be read.
    ///
    /// - Returns: Whether its number, if it could be read, tells nothing of what is missing.
    mutating func skip(_ sequence: Int64?) -> Bool {
        guard let sequence, let current else {
            unread += 1
            return true
        }
        return sequence <= current.last
    }
}
