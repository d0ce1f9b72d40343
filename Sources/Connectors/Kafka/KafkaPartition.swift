import Pipeline

/// A partition of a topic.
struct KafkaPartitionID: Hashable, Comparable, Sendable, CustomStringConvertible {
    let topic: String
    let number: Int32

    var description: String { "\(topic)/\(number)" }

    static func < (a: KafkaPartitionID, b: KafkaPartitionID) -> Bool { (a.topic, a.number) < (b.topic, b.number) }
}

/// A partition that is assigned to this member of the group.
// The source's thread alone accesses `isAtEnd`, `next`, `resumed` and `pending`. The lock of the consumer guards `progress` and `isLost`.
final class KafkaPartition: @unchecked Sendable {
    let id: KafkaPartitionID

    /// Which messages the pipeline has taken over; `nil` until the first one if the group has committed nothing.
    var progress: PartitionProgress?

    /// Whether another member may have taken over the partition: nothing of it can be committed any more.
    var isLost = false

    /// The progress at the assignment: which messages another run has processed already.
    private(set) var resumed: PartitionProgress?

    /// Whether all messages were read.
    var isAtEnd = false

    /// The least offset that the next message can have.
    var next: Int64

    /// The messages that were read, but not yet taken over by the pipeline.
    var pending: [KafkaReading] = []

    /// The streams that the pipeline may know from this partition.
    private(set) var streams: Set<StreamID> = []

    /// What was last committed.
    private var committed: PartitionProgress.Commit?

    private let clamps: Bool

    init(_ id: KafkaPartitionID, resumed: PartitionProgress?, clamps: Bool) {
        (self.id, self.resumed, progress) = (id, resumed, resumed)
        self.clamps = clamps
        next = resumed?.position ?? 0
    }

    /// Forgets everything about messages, because the offsets begin anew.
    func beginAnew() {
        (progress, resumed, committed, pending) = (nil, nil, nil, [])
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
        // Streams that do not end pile up. Those without messages that matter here may stay in the pipeline.
        if streams.count > Self.mostStreams { streams = Set(progress?.streams ?? []) }
    }

    private static var mostStreams: Int { 100_000 }

    /// Whether there may be something new to commit.
    var hasUncommitted: Bool {
        progress.map { $0.next != committed?.next || !(committed?.held.isEmpty ?? true) } ?? false
    }

    /// Returns what can be committed; `nil` if it was committed already.
    ///
    /// - Returns: The commit, and whether it says of every message whether it is done. If it does not, messages are repeated.
    func commit(_ held: HeldStreams, metadataBytes: Int) -> (commit: PartitionProgress.Commit, isExact: Bool)? {
        guard hasUncommitted, let progress else { return nil }
        let exact = progress.commit(heldSince: held.since, metadataLimit: metadataBytes)
        guard let commit = exact ?? progress.commitWithRepetitions(heldSince: held.since), commit != committed else {
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
