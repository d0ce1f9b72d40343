import Pipeline

/// Follows the numbers that messages of a wire carry, stream by stream: what is missing, doubled or begins anew.
///
/// Pure state; the table is capped, and a stream that was forgotten counts as never seen.
struct WireNumbers: Sendable {
    /// What a message's number says.
    enum Verdict: Equatable {
        /// Nothing: it is the next one, or the first ever seen of its stream, or has no number.
        case next
        /// So many are missing right before it.
        case lost(Int64)
        /// The sender has started again.
        case restart
        /// The message has come before.
        case duplicate
    }

    /// The largest hole that is believed when the time between does not allow more. A stream has at most one frame a
    /// microsecond, so a larger one is no loss: the sender counts anew, from a number of its own.
    static let largestHole: Int64 = 1_000_000

    private var streams: RecentStreams<SenderNumbers>
    /// Messages that came but could not be read, so that not even their streams are known; and up to which of them all have
    /// been found in the hole of a stream.
    private var strays: Int64 = 0
    private var foundStrays: Int64 = 0
    /// Streams that more than one sender has been found to number.
    private var mixed: [StreamID] = []

    /// How often a sender has started again.
    private(set) var restarts: Int64 = 0

    /// Follows at most `capacity` streams.
    init(capacity: Int = 10_000) { streams = RecentStreams(capacity: capacity) }

    /// How many streams have been seen and have not ended.
    var open: Int { streams.count }

    /// Whether a stream has been seen and has not ended.
    mutating func isOpen(_ stream: StreamID) -> Bool { streams[stream] != nil }

    /// Takes the streams that more than one sender has been found to number since this was last asked.
    mutating func takeMixed() -> [StreamID] {
        guard !mixed.isEmpty else { return [] }
        defer { mixed = [] }
        return mixed
    }

    /// Judges a message, and takes note of it. O(1).
    ///
    /// - Parameters:
    ///   - sequence: Its number, if it has one.
    ///   - time: Its timestamp; `nil` for one that only ends its stream.
    ///   - isStamped: Whether the timestamp is that of its receipt.
    mutating func judge(
        _ stream: StreamID, _ sequence: Int64?, at time: Timestamp?, isStamped: Bool = false
    ) -> Verdict {
        let strays = strays
        let step = streams.change(stream) { $0.step(to: sequence, at: time, isStamped: isStamped, strays: strays) }
        switch step {
        case nil:
            streams.update(
                stream, SenderNumbers(from: sequence, at: time, tellsTime: time != nil && !isStamped, strays: strays))
            return .next
        case .next: return .next
        case .hole(let hole):
            let lost = fill(hole)
            return lost > 0 ? .lost(lost) : .next
        case .mixed(let hole):
            mixed.append(stream)
            let lost = fill(hole)
            return lost > 0 ? .lost(lost) : .next
        case .restart:
            restarts += 1
            return .restart
        case .duplicate: return .duplicate
        }
    }

    /// Takes in which number a quiet stream has reached.
    ///
    /// - Returns: How many are missing at its end.
    mutating func reached(_ sequence: Int64, by stream: StreamID) -> Int64 {
        let strays = strays
        guard let hole = streams.change(stream, { $0.reach(sequence, strays: strays) }) else {
            streams.update(stream, SenderNumbers(from: sequence, at: nil, tellsTime: false, strays: strays))
            return 0
        }
        return hole.map { fill($0) } ?? 0
    }

    /// What is left of a hole without what came in the meantime and could not be read.
    private mutating func fill(_ hole: SenderNumbers.Hole) -> Int64 {
        let lost = max(0, hole.count - hole.unread)
        let first = max(hole.strays, foundStrays)
        let found = min(lost, strays - first)
        if found > 0 { foundStrays = first + found }
        return lost - found
    }

    /// Judges a frame, and gives it to a batch with what its number says.
    ///
    /// - Parameter sequence: The number that the sender gave it, if it gave one.
    mutating func take<P: Payload>(
        _ frame: consuming Frame<P>, numbered sequence: Int64?, into batch: inout SourceBatch<P>
    ) {
        let isStamped = frame.origin?.isStamped ?? false
        if note(
            frame.stream, at: frame.timestamp, frame.sequence, numbered: sequence, isStamped: isStamped, in: &batch)
        {
            batch.append(frame)
        }
    }

    /// Refuses a frame that has no time where the messages of its stream have: the clock of receipt is another than theirs, and
    /// all that come after would seem to come too early or too late.
    mutating func checkClock<P: Payload>(of frame: Frame<P>) throws(PipelineError) {
        guard frame.origin?.isStamped ?? false, streams.change(frame.stream, { $0.tellsTime }) ?? false else { return }
        throw .frame(
            "zmq.time_missing", "it says no time, and others of its stream did",
            help: "a stream keeps to one clock: let every message say its time, or none")
    }

    /// Judges a message that says that there is nothing, and notes that it was let go.
    mutating func takeEmpty<P: Payload>(
        of stream: StreamID, at time: Timestamp, numbered sequence: Int64?, into batch: inout SourceBatch<P>
    ) {
        if note(stream, at: time, sequence ?? 0, numbered: sequence, isStamped: false, in: &batch) {
            batch.drop(stream: stream, at: time, sequence: sequence ?? 0, .empty)
        }
    }

    /// Tells a batch what a number says; false when the message has come before, and was dropped.
    private mutating func note<P: Payload>(
        _ stream: StreamID, at time: Timestamp, _ number: Int64, numbered sequence: Int64?, isStamped: Bool,
        in batch: inout SourceBatch<P>
    ) -> Bool {
        switch judge(stream, sequence, at: time, isStamped: isStamped) {
        case .next: break
        case .lost(let count): batch.lost(count, of: stream, from: number - count, before: time)
        case .restart: batch.newEpoch(stream)
        case .duplicate:
            batch.drop(stream: stream, at: time, sequence: number, "duplicate")
            return false
        }
        return true
    }

    /// Judges a message that only ends its stream.
    mutating func takeEnd<P: Payload>(
        of stream: StreamID, numbered sequence: Int64?, into batch: inout SourceBatch<P>
    ) {
        guard case .lost(let count) = judge(stream, sequence, at: nil), let sequence else { return }
        batch.lost(count, of: stream, from: sequence - count)
    }

    /// Judges a message that only says which number a quiet stream has reached.
    mutating func takeQuiet<P: Payload>(
        _ stream: StreamID, numbered sequence: Int64?, into batch: inout SourceBatch<P>
    ) {
        guard let sequence else { return }
        let count = reached(sequence, by: stream)
        if count > 0 { batch.lost(count, of: stream, from: sequence - count + 1) }
    }

    /// Notes a message that could not be read: it is not lost as well.
    ///
    /// - Parameters:
    ///   - stream: Its stream, as far as it could be read; `nil` when not even that.
    ///   - sequence: Its number, the same.
    mutating func takeUnread<P: Payload>(
        of stream: StreamID?, numbered sequence: Int64?, into batch: inout SourceBatch<P>
    ) {
        guard let stream else { return strays += 1 }
        let isBehind = streams.change(stream) { $0.skip(sequence) }
        // The number of one that came again, or of a sender that has started again, says nothing of what is missing.
        guard let sequence, isBehind == false, case .lost(let count) = judge(stream, sequence, at: nil) else { return }
        batch.lost(count, of: stream, from: sequence - count)
    }

    /// Forgets a stream that has ended.
    mutating func end(_ stream: StreamID) { streams.remove(stream) }
}
