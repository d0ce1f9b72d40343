import Pipeline

/// Which messages of one partition are accounted for.
///
/// A message is *done* when nothing that the pipeline holds came from it. Messages of different streams are done in any order, so
/// one offset cannot say which are. This type tells for a message whether it must be read (``isDone(_:of:)``), remembers the messages
/// that the pipeline has taken over (``note(_:_:_:)``), and computes the offset and the text that say all of it to the next owner of
/// the partition (``commit(heldSince:metadataLimit:)``).
///
/// ## What is exact
///
/// A stream is held since the timestamp T of one of its frames. All its messages from that frame on are read again by the next
/// owner, and none before it. This is exact if the timestamps of a stream increase, also if it ends and begins anew in between
/// (``noteEnd(_:of:)``). With `on_disorder: clamp`, the timestamp of a frame depends on the frames before it. It is exact as long as
/// these are known: until the stream was forgotten once. If no message has the timestamp T, or several have, more is read again, but
/// never less: nothing is lost, and a result may be repeated. Frames that the source has refused (`on_disorder: drop`) are read and
/// refused again together with those around them.
///
/// Messages are kept only as long as their stream is held, or the last commit lies before them; a stream is forgotten at the second
/// commit without messages of it. A value of this type is for one
/// owner: whoever loses the partition, or whose commit was refused, begins again with what is committed.
struct PartitionProgress: Sendable, Equatable {
    /// What can be committed: an offset and the text to store with it.
    struct Commit: Sendable, Equatable {
        /// The first message that must be read again, or the next one.
        let offset: Int64
        /// The text to store with the offset. It is empty if all messages before the next one are done.
        let metadata: String
        /// The offset after the last message that the commit covers.
        let next: Int64
        /// For each stream that is held, the first of its messages that must be read again.
        let held: [StreamID: Int64]
    }

    /// A message of the log below.
    struct Entry: Sendable, Equatable {
        let offset: Int64
        /// The timestamp in microseconds, ``noFrame`` or ``end``.
        let time: Int64
        /// The index of the stream.
        let stream: Int32

        /// The time of a message without a frame.
        static let noFrame = Int64.min
        /// The time of a message that ends its stream.
        static let end = Int64.min + 1
    }

    /// A stream with entries in the log now, or before the last commit.
    struct Stream: Sendable, Equatable {
        let name: StreamID
        let hash: UInt64
        /// Whether another stream with the same hash was known at the same time.
        var sharesHash: Bool
        /// The number of entries in the log.
        var count = 0
        /// Whether the place is taken.
        var isKnown = true
        /// Whether the stream had no entries after the last commit.
        var wasIdle = false
        /// The timestamp before the first entry in the log, raised as by `on_disorder: clamp`; `nil` if it is not known.
        var timeBefore: Int64?
    }

    /// The offset after the last message that was noted, or the committed offset.
    private(set) var position: Int64
    /// What the previous owner had not done. It is kept until a commit lies behind it.
    private(set) var restored: HeldMessages?
    /// The messages that the next commit may concern, in the order of their offsets.
    private(set) var log: [Entry] = []
    private(set) var places: [Stream] = []
    private var freePlaces: [Int32] = []
    private var known: [StreamID: Int32] = [:]
    private var knownHashes: [UInt64: Int] = [:]
    /// The place of the last message's stream, or -1. Messages of one stream often follow each other.
    private var lastPlace: Int32 = -1
    private var hasForgotten = false
    /// Whether timestamps that do not increase are raised.
    let clamps: Bool
    private let hashMask: UInt64

    /// Begins with what is committed.
    ///
    /// - Parameters:
    ///   - offset: The committed offset. If there is none, the offset of the first message that is read.
    ///   - metadata: The text stored with it. A text that is damaged, was stored with another offset, or was not written by a commit
    ///     counts as none: all messages from the offset on are then read.
    ///   - clamps: Whether the source raises timestamps that do not increase (`on_disorder: clamp`).
    ///   - hashBits: The number of bits of a stream's hash. Tests use few, so that streams share hashes.
    init(from offset: Int64, metadata: String?, clamps: Bool = false, hashBits: Int = HeldMessages.hashBits) {
        position = offset
        self.clamps = clamps
        restored = metadata.flatMap { HeldMessages($0, at: offset) }
        hashMask = hashBits >= 64 ? .max : 1 << UInt64(hashBits) - 1
    }

    /// The offset after the last message that was ever taken over.
    var next: Int64 { max(position, restored?.next ?? position) }

    /// The streams with messages that are kept.
    var streams: [StreamID] { places.filter { $0.count > 0 }.map(\.name) }

    // MARK: Reading

    /// Whether a message was accounted for before the last commit, or taken over since, so that it must not be read again.
    ///
    /// - Parameter stream: The stream that the message was noted with, or will be.
    func isDone(_ offset: Int64, of stream: StreamID?) -> Bool {
        if offset < position { return true }
        guard let restored, offset < restored.next else { return false }
        return !restored.contains(offset, stream.map(hash))
    }

    /// Notes a message that the pipeline has taken over. Messages are noted in the order of their offsets.
    ///
    /// A message that is done need not be noted. If it is, with its stream and without a timestamp, the next commit is further ahead.
    ///
    /// - Parameters:
    ///   - stream: The stream of the message; `nil` if it has none. Give the stream also if only the key names it and the message
    ///     cannot be read, and in the same way to ``isDone(_:of:)``.
    ///   - time: The timestamp of its frame. A message without one, which cannot be read, say, is done at once.
    mutating func note(_ offset: Int64, _ stream: StreamID?, _ time: Timestamp?) {
        guard offset >= position else { return }
        position = offset + 1
        guard let stream else { return }
        guard let time else { return noteDone(Entry.noFrame, offset, stream) }
        append(Entry(offset: offset, time: max(0, time.rawValue), stream: place(of: stream) ?? newPlace(for: stream)))
    }

    /// Notes a message that ends its stream. The timestamps behind it may begin anew.
    mutating func noteEnd(_ offset: Int64, of stream: StreamID) {
        guard offset >= position else { return }
        position = offset + 1
        noteDone(Entry.end, offset, stream)
    }

    /// Notes a message that nothing can be held of. It matters only among messages that may have to be read again.
    private mutating func noteDone(_ time: Int64, _ offset: Int64, _ stream: StreamID) {
        if let place = place(of: stream) {
            append(Entry(offset: offset, time: time, stream: place))
        } else {
            noteSharedHash(hash(stream))
        }
    }

    private mutating func append(_ entry: Entry) {
        log.append(entry)
        lastPlace = entry.stream
        places[Int(entry.stream)].count += 1
    }

    // MARK: Streams

    func hash(_ stream: StreamID) -> UInt64 { HeldMessages.hash(stream) & hashMask }

    private func place(of stream: StreamID) -> Int32? {
        lastPlace >= 0 && places[Int(lastPlace)].name == stream ? lastPlace : known[stream]
    }

    private mutating func newPlace(for stream: StreamID) -> Int32 {
        let hash = hash(stream)
        let sharers = noteSharedHash(hash)
        knownHashes[hash] = sharers + 1
        let new = Stream(
            name: stream, hash: hash, sharesHash: sharers > 0,
            timeBefore: hasForgotten ? nil : Timestamp.beforeAll.rawValue)
        let place: Int32
        if let free = freePlaces.popLast() {
            place = free
            places[Int(free)] = new
        } else {
            place = Int32(places.count)
            places.append(new)
        }
        known[stream] = place
        return place
    }

    /// Notes that there is another stream with this hash. Returns the number of those that were known.
    @discardableResult private mutating func noteSharedHash(_ hash: UInt64) -> Int {
        guard let sharers = knownHashes[hash] else { return 0 }
        for index in places.indices where places[index].isKnown && places[index].hash == hash {
            places[index].sharesHash = true
        }
        return sharers
    }

    // MARK: After a commit

    /// Forgets what a commit has made permanent. Messages that were noted since the commit was computed are kept.
    mutating func noteCommitted(_ commit: Commit) {
        if let restored, commit.offset >= restored.next { self.restored = nil }
        let firsts = places.map { $0.count > 0 && !commit.held.isEmpty ? commit.held[$0.name] ?? .max : .max }
        var kept = 0
        for index in log.indices {
            let entry = log[index]
            let place = Int(entry.stream)
            if entry.offset >= commit.next || entry.offset >= firsts[place] {
                if kept < index { log[kept] = entry }
                kept += 1
            } else {
                places[place].count -= 1
                places[place].timeBefore = entry.clamped(after: places[place].timeBefore)
            }
        }
        log.removeLast(log.count - kept)
        for place in places.indices where places[place].isKnown {
            let isIdle = places[place].count == 0
            // A stream that goes on is not forgotten and met again with each commit.
            if isIdle && places[place].wasIdle { forget(Int32(place)) }
            places[place].wasIdle = isIdle
        }
    }

    private mutating func forget(_ place: Int32) {
        let stream = places[Int(place)]
        known[stream.name] = nil
        let sharers = knownHashes[stream.hash, default: 1] - 1
        knownHashes[stream.hash] = sharers > 0 ? sharers : nil
        places[Int(place)].isKnown = false
        freePlaces.append(place)
        if lastPlace == place { lastPlace = -1 }
        hasForgotten = true
    }
}

extension PartitionProgress.Entry {
    /// The timestamp that `on_disorder: clamp` gives to the frame behind one with the timestamp `last`; `nil` if it is not known.
    func clamped(after last: Int64?) -> Int64? {
        switch time {
        case Self.noFrame: last
        case Self.end: Timestamp.beforeAll.rawValue
        default: last.map { max(time, $0 + 1) }
        }
    }
}
