import Pipeline

/// Tracks the sequence numbers of messages by stream, and detects lost messages, duplicates and restarts of senders.
///
/// The number of tracked streams is limited. A stream that was evicted counts as never seen.
struct WireNumbers: Sendable {
    /// The conclusion from a message's sequence number.
    enum Verdict: Equatable {
        /// Nothing is missing: the number is the next one or the first of its stream, or the message has no number.
        case next
        /// This many messages are missing directly before it.
        case lost(Int64)
        /// The sender has restarted.
        case restart
        /// The message was received before.
        case duplicate
    }

    /// The largest gap that counts as a loss, unless more microseconds have passed since the last message. A stream has at most one
    /// frame per microsecond, so a larger gap means that the sender has restarted with a new first number.
    static let largestGap: Int64 = 1_000_000

    private var streams: RecentStreams<SenderNumbers>
    /// The streams whose sender has ended them and goes on with them, and that have not begun again.
    private var restarting: RecentStreams<Void>
    /// The number of messages that arrived but could not be read, with an unknown stream. Such a message can explain a missing
    /// number of any stream, but only one. The first `foundStrays` of them can no longer explain a gap.
    private var strays: Int64 = 0
    private var foundStrays: Int64 = 0
    /// The streams that were found to have several senders, since the last call of ``takeMixed()``.
    private var mixed: [StreamID] = []

    /// The number of restarts of senders.
    private(set) var restarts: Int64 = 0

    /// Creates a tracker of at most `capacity` streams.
    init(capacity: Int = 10_000) {
        streams = RecentStreams(capacity: capacity)
        restarting = RecentStreams(capacity: capacity)
    }

    /// The number of streams that were seen and are not over.
    var open: Int { streams.count + restarting.count }

    /// Returns whether a stream was seen and has not ended like this.
    mutating func isOpen(_ stream: StreamID, for end: StreamEnd) -> Bool {
        streams[stream] != nil || end == .over && restarting[stream] != nil
    }

    /// Returns the streams that were found to have several senders since the last call.
    mutating func takeMixed() -> [StreamID] {
        guard !mixed.isEmpty else { return [] }
        defer { mixed = [] }
        return mixed
    }

    /// Draws the conclusion from a message's number, and records the message. O(1).
    ///
    /// - Parameters:
    ///   - stream: The stream of the message.
    ///   - sequence: The number of the message, if it has one.
    ///   - time: The timestamp; `nil` for a message that only ends its stream.
    ///   - isStamped: Whether the timestamp is the time of receipt.
    mutating func judge(
        _ stream: StreamID, _ sequence: Int64?, at time: Timestamp?, isStamped: Bool = false
    ) -> Verdict {
        let strays = strays
        let step = streams.change(stream) { $0.step(to: sequence, at: time, isStamped: isStamped, strays: strays) }
        switch step {
        case nil:
            restarting.remove(stream)
            streams.update(
                stream, SenderNumbers(from: sequence, at: time, tellsTime: time != nil && !isStamped, strays: strays))
            return .next
        case .next: return .next
        case .gap(let gap):
            let lost = fill(gap)
            return lost > 0 ? .lost(lost) : .next
        case .mixed(let gap):
            mixed.append(stream)
            let lost = fill(gap)
            return lost > 0 ? .lost(lost) : .next
        case .restart:
            restarts += 1
            return .restart
        case .duplicate: return .duplicate
        }
    }

    /// Records the last number of an idle stream, which its sender reported.
    ///
    /// - Returns: The number of messages that are missing up to and including that number.
    mutating func reached(_ sequence: Int64, by stream: StreamID) -> Int64 {
        let strays = strays
        guard let gap = streams.change(stream, { $0.reach(sequence, strays: strays) }) else {
            restarting.remove(stream)
            streams.update(stream, SenderNumbers(from: sequence, at: nil, tellsTime: false, strays: strays))
            return 0
        }
        return gap.map { fill($0) } ?? 0
    }

    /// Returns the number of lost messages in a gap: its missing numbers without the messages that arrived but could not be read.
    private mutating func fill(_ gap: SenderNumbers.Gap) -> Int64 {
        let lost = max(0, gap.count - gap.unread)
        let first = max(gap.strays, foundStrays)
        let found = min(lost, strays - first)
        if found > 0 { foundStrays = first + found }
        return lost - found
    }

    /// Adds a frame to a batch, after the losses or the new epoch that its number indicates. A duplicate is dropped.
    ///
    /// - Parameters:
    ///   - frame: The frame.
    ///   - sequence: The number in the message, if it has one.
    ///   - batch: The batch to add to.
    mutating func take<P: Payload>(
        _ frame: consuming Frame<P>, numbered sequence: Int64?, into batch: inout SourceBatch<P>
    ) {
        let isStamped = frame.origin?.isStamped ?? false
        if note(
            frame.stream, at: frame.timestamp, frame.sequence, numbered: sequence, isStamped: isStamped, in: &batch)
        {
            batch.append(consume frame)
        }
    }

    /// Throws a frame error if the timestamp of a frame is its time of receipt although earlier messages of its stream had their
    /// own times. The clocks of receiver and sender differ, so all following frames would seem to be too early or too late.
    mutating func checkClock<P: Payload>(of frame: Frame<P>) throws(PipelineError) {
        guard frame.origin?.isStamped ?? false, streams.change(frame.stream, { $0.tellsTime }) ?? false else { return }
        throw .frame(
            "source.time_missing", "the message has no time, but earlier messages of its stream had one",
            help: "a stream has one clock: either every message has a time, or none")
    }

    /// Adds a drop to a batch, for a message that reports that nothing was detected.
    mutating func takeEmpty<P: Payload>(
        of stream: StreamID, at time: Timestamp, numbered sequence: Int64?, into batch: inout SourceBatch<P>
    ) {
        if note(stream, at: time, sequence ?? 0, numbered: sequence, isStamped: false, in: &batch) {
            batch.drop(stream: stream, at: time, sequence: sequence ?? 0, .empty)
        }
    }

    /// Adds to a batch what a message's number indicates: losses, a new epoch or, for a duplicate, a drop. Returns false for a
    /// duplicate.
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

    /// Adds losses to a batch if messages are missing before a message that only ends its stream.
    mutating func takeEnd<P: Payload>(
        of stream: StreamID, numbered sequence: Int64?, into batch: inout SourceBatch<P>
    ) {
        guard case .lost(let count) = judge(stream, sequence, at: nil), let sequence else { return }
        batch.lost(count, of: stream, from: sequence - count)
    }

    /// Adds losses to a batch if the last number of an idle stream, which its sender reported, indicates missing messages.
    mutating func takeQuiet<P: Payload>(
        _ stream: StreamID, numbered sequence: Int64?, into batch: inout SourceBatch<P>
    ) {
        guard let sequence else { return }
        let count = reached(sequence, by: stream)
        if count > 0 { batch.lost(count, of: stream, from: sequence - count + 1) }
    }

    /// Records a message that arrived but could not be read, so that it does not count as lost too.
    ///
    /// - Parameters:
    ///   - stream: The stream of the message; `nil` if unknown.
    ///   - sequence: The number of the message; `nil` if unknown.
    ///   - batch: The batch that receives the losses before the message.
    mutating func takeUnread<P: Payload>(
        of stream: StreamID?, numbered sequence: Int64?, into batch: inout SourceBatch<P>
    ) {
        guard let stream else { return strays += 1 }
        let isSkipped = streams.change(stream) { $0.skip(sequence) }
        // A number that does not continue the last one belongs to a duplicate or a restarted sender, or is damaged. It gives no
        // information about losses. The next message that can be read shows whether the sender has restarted.
        guard let sequence, isSkipped == false, case .lost(let count) = judge(stream, sequence, at: nil) else { return }
        batch.lost(count, of: stream, from: sequence - count)
    }

    /// Removes a stream that has ended. One that goes on stays open until it ends again.
    mutating func end(_ stream: StreamID, _ end: StreamEnd = .over) {
        streams.remove(stream)
        restarting.remove(stream)
        if end == .restarts { restarting.update(stream, ()) }
    }
}
