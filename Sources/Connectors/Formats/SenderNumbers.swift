import Pipeline

/// Tracks the sequence numbers of one stream's messages, from one sender or from several senders that use the same stream name.
///
/// If a message's number is not above the last one, or is implausibly far above it, there are three cases:
///
/// - If its number and time equal those of a message seen shortly before, the message is a duplicate.
/// - If its number continues earlier numbers, the message is from another sender that uses the same stream name. Each sender is
///   followed separately. Until the senders have been seen to alternate, a number that the current sender can have reached counts
///   as its own unless it directly follows the other's last one, because a restarted sender also passes its numbers from before.
/// - Otherwise, the sender has restarted, even if the message's time continues. But a message that has no time, and whose number is
///   not above the last one, is a duplicate.
struct SenderNumbers: Sendable {
    /// The meaning of a message's number.
    enum Step: Sendable, Equatable {
        case next
        case gap(Gap)
        /// The number continues another sender's numbers, and it is now certain that there are several senders.
        case mixed(Gap)
        case restart
        case duplicate
    }

    /// A gap of missing numbers.
    struct Gap: Sendable, Equatable {
        let count: Int64
        /// The number of messages of the stream that arrived in the gap but could not be read.
        let unread: Int64
        /// The number of messages without a known stream that had arrived before the gap.
        let strays: Int64
    }

    /// The state of one sender's numbers.
    private struct Run: Sendable {
        var last: Int64
        var time: Timestamp
        /// The number of messages of the stream that arrived since this sender's last message.
        var rest = 0
    }

    private struct Seen: Sendable, Equatable {
        let sequence: Int64
        let time: Timestamp
    }

    /// The number of messages that are remembered to detect duplicates.
    static let memory = 16
    /// The number of messages for which an interrupted sender is remembered.
    private static let longestRest = 64
    /// The number of interrupted senders that are remembered.
    private static let maxSenders = 8
    /// The number of switches between senders after which it is certain that there are several. Fewer switches can have another
    /// cause: messages that a sender sent before a restart can still arrive afterward.
    private static let enoughTurns = 8
    /// The largest gap that is accepted when a message continues an interrupted sender's numbers.
    private static let maxResumedGap: Int64 = 1000

    private var current: Run?
    private var time: Timestamp
    /// Whether the sender's first message carried its own time.
    private(set) var tellsTime: Bool
    /// The number of messages without a known stream that had arrived when the last number was accepted.
    private var strays: Int64
    /// The number of messages of this stream that have arrived since then, but whose numbers could not be read.
    private var unread: Int64 = 0
    private var others: [Run] = []
    private var turns = 0
    private var seen: [Seen] = []
    private var oldestSeen = 0

    /// Creates the state from the first message of a stream.
    init(from sequence: Int64?, at time: Timestamp?, tellsTime: Bool, strays: Int64) {
        self.time = time ?? .beforeAll
        self.tellsTime = tellsTime
        self.strays = strays
        if let sequence { take(sequence, at: time) }
    }

    /// Processes the next message. O(1).
    mutating func step(to sequence: Int64?, at time: Timestamp?, isStamped: Bool, strays: Int64) -> Step {
        guard let sequence, let current else {
            if let sequence { take(sequence, at: time) }
            self.time = time ?? self.time
            return .next
        }
        if others.isEmpty, sequence > current.last, let gap = Self.gap(from: current, to: sequence, at: time) {
            return advance(to: sequence, at: time, gap, strays)
        }
        return turn(to: sequence, at: time, isStamped, strays, current)
    }

    /// Processes a message whose number does not simply continue the current sender's numbers.
    private mutating func turn(
        to sequence: Int64, at time: Timestamp?, _ isStamped: Bool, _ strays: Int64, _ current: Run
    ) -> Step {
        if let time, seen.contains(Seen(sequence: sequence, time: time)) { return .duplicate }
        for index in others.indices { others[index].rest += 1 }
        others.removeAll { $0.rest > Self.longestRest }
        if others.isEmpty { turns = 0 }
        var best = Self.gap(from: current, to: sequence, at: time).map { (gap: $0, index: -1, run: current) }
        let isAlone = isAlone(best?.gap)
        for (index, run) in others.enumerated() {
            guard let gap = Self.gap(from: run, to: sequence, at: time), gap <= (isAlone ? 0 : Self.maxResumedGap),
                time.map({ $0 > run.time }) ?? true
            else { continue }
            if let best, best.gap < gap || best.gap == gap && best.run.time >= run.time { continue }
            best = (gap, index, run)
        }
        guard let best else {
            guard time != nil || sequence > current.last else { return .duplicate }
            others.append(current)
            if others.count > Self.maxSenders { others.removeFirst() }
            if time != nil { tellsTime = !isStamped }
            (unread, self.strays) = (0, strays)
            (seen, oldestSeen) = ([], 0)
            take(sequence, at: time)
            return .restart
        }
        guard best.index >= 0 else { return advance(to: sequence, at: time, best.gap, strays) }
        others[best.index] = Run(last: current.last, time: current.time)
        self.current = best.run
        turns += 1
        let gap = Gap(count: best.gap, unread: unread, strays: self.strays)
        let step = advance(to: sequence, at: time, best.gap, strays)
        return turns == Self.enoughTurns ? .mixed(gap) : step
    }

    /// Returns whether a gap in the current sender's numbers is accepted even if the gap in an interrupted sender's would be smaller:
    /// if no switch between senders has been seen, and the gap is not too large. False if there is no gap to accept (`nil`).
    private func isAlone(_ gap: Int64?) -> Bool { turns == 0 && gap.map { $0 <= Self.maxResumedGap } ?? false }

    private mutating func advance(to sequence: Int64, at time: Timestamp?, _ gap: Int64, _ strays: Int64) -> Step {
        defer {
            (unread, self.strays) = (0, strays)
            take(sequence, at: time)
        }
        return gap > 0 ? .gap(Gap(count: gap, unread: unread, strays: self.strays)) : .next
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

    /// Returns the count of missing numbers before a number. Returns `nil` if the number is not above the last one, or if the gap
    /// is implausibly large.
    private static func gap(from run: Run, to sequence: Int64, at time: Timestamp?) -> Int64? {
        guard sequence > run.last else { return nil }
        let (distance, overflow) = sequence.subtractingReportingOverflow(run.last)
        let elapsed = time.map { $0.microseconds(since: run.time) } ?? 0
        guard !overflow, distance - 1 <= max(elapsed, WireNumbers.largestGap) else { return nil }
        return distance - 1
    }

    /// Processes a message with which an idle sender reports the last number that it has sent.
    ///
    /// - Returns: The missing numbers up to and including that number; `nil` if there are none.
    mutating func reach(_ sequence: Int64, strays: Int64) -> Gap? {
        guard let current else {
            self.current = Run(last: sequence, time: time)
            return nil
        }
        guard current.last != sequence, !others.contains(where: { $0.last == sequence }) else { return nil }
        let index = others.indices.filter { others[$0].last < sequence }.max { others[$0].last < others[$1].last }
        let isCurrent =
            current.last < sequence
            && (index.map { others[$0].last < current.last } ?? true
                || isAlone(Self.gap(from: current, to: sequence, at: nil)))
        guard let run = isCurrent ? current : index.map({ others[$0] }),
            let gap = Self.gap(from: run, to: sequence, at: nil)
        else { return nil }
        if isCurrent { self.current?.last = sequence } else if let index { others[index].last = sequence }
        defer { (unread, self.strays) = (0, strays) }
        return Gap(count: gap + 1, unread: unread, strays: self.strays)
    }

    /// Processes a message that could not be read.
    ///
    /// - Returns: False if its number is known and continues the last one or an interrupted sender's. The caller must then process
    ///   the number with ``step(to:at:isStamped:strays:)``, because it shows whether messages are missing. Otherwise, true.
    mutating func skip(_ sequence: Int64?) -> Bool {
        guard let sequence, let current else {
            unread += 1
            return true
        }
        guard sequence > current.last else { return true }
        return Self.gap(from: current, to: sequence, at: nil) == nil
            && !others.contains { (Self.gap(from: $0, to: sequence, at: nil) ?? .max) <= Self.maxResumedGap }
    }
}
