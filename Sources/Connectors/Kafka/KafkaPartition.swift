import Pipeline

/// A partition of a topic.
struct KafkaPartitionID: Hashable, Comparable, Sendable, CustomStringConvertible {
    let topic: String
    let number: Int32

    var description: String { "\(topic)/\(number)" }

    static func < (a: KafkaPartitionID, b: KafkaPartitionID) -> Bool { (a.topic, a.number) < (b.topic, b.number) }
}

/// A partition that is assigned to this member of the group.
// `@unchecked Sendable`: only the source's thread accesses `isAtEnd`, `next`, `resumed`, `pending` and `stamped`. The consumer's lock
// protects the other variables.
final class KafkaPartition: @unchecked Sendable {
    let id: KafkaPartitionID

    /// The messages that the pipeline has taken over; `nil` before the first one if the group has committed nothing.
    var progress: PartitionProgress?

    /// Whether another member may have taken over the partition, so that nothing of it can be committed any more.
    var isLost = false

    /// The progress at the time of the assignment, which says which messages another run has already processed.
    private(set) var resumed: PartitionProgress?

    /// Whether all messages have been read.
    var isAtEnd = false

    /// The smallest offset that the next message can have.
    var next: Int64

    /// The messages that were read, but not yet taken over by the pipeline.
    var pending: [KafkaReading] = []

    /// The streams of this partition that the pipeline may still have state of.
    private(set) var streams: Set<StreamID> = []

    /// The last commit that was accepted.
    private var committed: PartitionProgress.Commit?

    private let clamps: Bool

    /// The last message without a timestamp: when it was written, and the time that it got (``stamp(_:at:)``).
    private var stamped: (written: Int64, time: Int64)?

    init(_ id: KafkaPartitionID, resumed: PartitionProgress?, clamps: Bool) {
        (self.id, self.resumed, progress) = (id, resumed, resumed)
        self.clamps = clamps
        next = resumed?.position ?? 0
    }

    /// Forgets all progress, because the offsets start over.
    func beginAnew() {
        (progress, resumed, committed, pending, stamped) = (nil, nil, nil, [], nil)
    }

    /// Returns the time of a message without a timestamp, in microseconds.
    ///
    /// Kafka knows only the millisecond in which a message was written. The offset gives the microseconds, so that messages of one
    /// millisecond get different times, and a message that is read again usually gets the same time. Messages of a millisecond whose
    /// offsets pass a multiple of 1,000, or of which there are more, get later times. The next owner of the partition does not know
    /// this if it begins in their midst: then it gives them times that are up to a millisecond earlier.
    func stamp(_ written: Int64, at offset: Int64) -> Int64 {
        var time = written + offset % 1000
        if let stamped, written >= stamped.written { time = max(time, stamped.time + 1) }
        stamped = (written, time)
        return time
    }

    /// Whether another run has processed a message already, although it lies after the committed offset.
    func isDone(_ message: KafkaReading) -> Bool { resumed?.isDone(message.offset, of: message.stream) ?? false }

    /// Records that the pipeline has taken over the messages that were read.
    func takeOver() {
        guard let first = pending.first else { return }
        if progress == nil { progress = PartitionProgress(from: first.offset, metadata: nil, clamps: clamps) }
        var last: StreamID?
        for message in pending {
            guard message.isEnd, let stream = message.stream else {
                progress?.note(message.offset, message.stream, message.time)
                if let stream = message.stream, stream != last { streams.insert(stream) }
                last = message.stream
                continue
            }
            progress?.noteEnd(message.offset, of: stream)
            streams.remove(stream)
            last = nil
        }
        pending.removeAll(keepingCapacity: true)
        // Streams that never end accumulate. Above the limit, only those with messages in the progress are kept here. The pipeline
        // then does not release its state of the other streams when the partition moves.
        if streams.count > Self.mostStreams { streams = Set(progress?.streams ?? []) }
    }

    private static var mostStreams: Int { 100_000 }

    /// Whether there may be something new to commit.
    var hasUncommitted: Bool {
        progress.map { $0.next != committed?.next || !(committed?.held.isEmpty ?? true) } ?? false
    }

    /// Returns what can be committed, or `nil` if it was committed already.
    ///
    /// - Returns: The commit, and whether it is exact. After an inexact commit, messages that are done are read again.
    func commit(_ held: HeldStreams, metadataBytes: Int) -> (commit: PartitionProgress.Commit, isExact: Bool)? {
        guard hasUncommitted, let progress else { return nil }
        let exact = progress.commit(held, metadataLimit: metadataBytes)
        guard let commit = exact ?? progress.commitWithRepetitions(held), commit != committed else {
            return nil
        }
        return (commit, exact != nil)
    }

    /// Records that a commit was accepted.
    func noteCommitted(_ commit: PartitionProgress.Commit) {
        progress?.noteCommitted(commit)
        committed = commit
    }
}

/// A message that was read.
struct KafkaReading {
    let offset: Int64
    /// The stream of the message, if it is known.
    var stream: StreamID?
    /// The timestamp of the message's frame, if it has one.
    var time: Timestamp?
    /// Whether the message ends its stream.
    var isEnd = false
}
