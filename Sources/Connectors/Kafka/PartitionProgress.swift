import Pipeline

/// Tracks which messages of one partition are accounted for.
///
/// A message is *done* when the pipeline holds nothing that came from it. Messages of different streams can become done in any
/// order, so a single offset cannot describe which ones are. This type says whether a message must be read (``isDone(_:of:)``),
/// records the messages that the pipeline has taken over (``note(_:_:_:)``), and computes the offset and the text with which the
/// next owner of the partition continues (``commit(_:metadataLimit:)``).
///
/// ## What is exact
///
/// The pipeline holds a stream since the timestamp T of one of its frames. The next owner reads all messages of the stream from
/// that frame on again, and none before it.
///
/// - This is exact if the timestamps of the stream increase, even if the stream ends and begins again (``noteEnd(_:of:)``).
/// - With `on_disorder: clamp`, the timestamp of a frame depends on the frames before it. The result is exact as long as these are
///   known, that is, until a stream was forgotten.
/// - If no message has the timestamp T, or if several have it, too many messages are read again, but never too few. So nothing is
///   lost, but a result may be repeated.
/// - Frames that the source has refused (`on_disorder: drop`) are read and refused again together with the frames around them.
///
/// ## Memory and use
///
/// A message is kept only while its stream is held, or until a commit covers it. A stream is forgotten at the second commit in a
/// row without messages of it.
///
/// A value belongs to one owner of the partition. An owner that loses the partition, or whose commit was refused, must begin
/// again at the committed position.
struct PartitionProgress: Sendable, Equatable {
    /// What can be committed: an offset and the text to store with it.
    struct Commit: Sendable, Equatable {
        /// The offset of the first message that must be read again. If there is none, the offset of the next message.
        let offset: Int64
        /// The text to store with the offset. It is empty if all messages before the next one are done.
        let metadata: String
        /// The offset after the last message that the commit covers.
        let next: Int64
        /// For each stream that is held, the first of its messages that must be read again.
        let held: [StreamID: Int64]
    }

    /// A message in ``log``.
    struct Entry: Sendable, Equatable {
        let offset: Int64
        /// The timestamp in microseconds, ``noFrame`` or ``end``.
        let time: Int64
        /// The index of the stream in ``places``.
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
        /// Whether this is a known stream, and not a free element of ``places``.
        var isKnown = true
        /// Whether the stream had no entries after the last commit.
        var wasIdle = false
        /// The timestamp of the frame before the stream's first entry in the log, raised as by `on_disorder: clamp`; `nil` if it
        /// is not known.
        var timeBefore: Int64?
    }

    /// The offset after the last message that was noted, or the committed offset.
    private(set) var position: Int64
    /// The messages that the previous owner had not done. They are kept until a commit covers them.
    private(set) var restored: HeldMessages?
    /// The messages that the next commit may concern, in the order of their offsets.
    private(set) var log: [Entry] = []
    private(set) var places: [Stream] = []
    private var freePlaces: [Int32] = []
    private var known: [StreamID: Int32] = [:]
    private var knownHashes: [UInt64: Int] = [:]
    /// The place of the last message's stream, or -1. Messages of one stream often follow each other.
    private var lastPlace: Int32 = -1
    /// Whether any stream was forgotten, so that the last timestamp of a stream without a place is not known.
    private var hasForgotten = false
    /// Whether timestamps that do not increase are raised.
    let clamps: Bool
    private let hashMask: UInt64

    /// Begins at a committed position.
    ///
    /// - Parameters:
    ///   - offset: The committed offset. If there is none, the offset of the first message that is read.
    ///   - metadata: The text stored with the offset. A text that is damaged, was stored with another offset, or was not written
    ///     by a commit is ignored, so that all messages from the offset on are read.
    ///   - clamps: Whether the source raises timestamps that do not increase (`on_disorder: clamp`).
    ///   - hashBits: The number of bits of a stream's hash. Tests use few, so that streams share hashes.
    init(from offset: Int64, metadata: String?, clamps: Bool = false, hashBits: Int = HeldMessages.hashBits) {
        position = offset
        self.clamps = clamps
        restored = metadata.flatMap { HeldMessages($0, at: offset) }
        hashMask = hashBits >= 64 ? .max : 1 << UInt64(hashBits) - 1
    }

    /// The offset after the last message that this owner or the previous one has taken over.
    var next: Int64 { max(position, restored?.next ?? position) }

    /// The streams with messages that are kept.
    var streams: [StreamID] { places.filter { $0.count > 0 }.map(\.name) }

    /// What sinks have already written for messages that must be read again: the number of the last frame of each output.
    var written: [OutputKey: OutputNumber] {
        restored?.written.values.reduce(into: [:]) { $0.merge($1, uniquingKeysWith: max) } ?? [:]
    }

    // MARK: Reading

    /// Returns whether a message must not be read, because it was done at the committed position, or because this owner has taken
    /// it over since.
    ///
    /// - Parameter stream: The stream with which the message was noted, or will be noted.
    func isDone(_ offset: Int64, of stream: StreamID?) -> Bool {
        if offset < position { return true }
        guard let restored, offset < restored.next else { return false }
        return !restored.contains(offset, stream.map(hash))
    }

    /// Notes a message that the pipeline has taken over. Messages are noted in the order of their offsets.
    ///
    /// A message that is done need not be noted. Noting it, with its stream and without a timestamp, lets the next commit move
    /// past it.
    ///
    /// - Parameters:
    ///   - stream: The stream of the message; `nil` if it has none. Pass the same stream to ``isDone(_:of:)``, even if only the key
    ///     names it and the message cannot be read.
    ///   - time: The timestamp of the message's frame. A message without a frame, for example an unreadable one, is done at once.
    mutating func note(_ offset: Int64, _ stream: StreamID?, _ time: Timestamp?) {
        guard offset >= position else { return }
        position = offset + 1
        guard let stream else { return }
        guard let time else { return noteDone(Entry.noFrame, offset, stream) }
        append(Entry(offset: offset, time: max(0, time.rawValue), stream: place(of: stream) ?? newPlace(for: stream)))
    }

    /// Notes a message that ends its stream. Later timestamps of the stream may start over.
    mutating func noteEnd(_ offset: Int64, of stream: StreamID) {
        guard offset >= position else { return }
        position = offset + 1
        noteDone(Entry.end, offset, stream)
    }

    /// Notes a message of which the pipeline holds nothing. It is kept only if its stream is known, because it matters only among
    /// messages that may have to be read again.
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

    /// Marks the known streams with this hash, because another stream has the same hash. Returns the number of known streams.
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
            // Waits for a second idle commit, so that an active stream is not forgotten and added again with each commit.
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
    /// Returns the timestamp that `on_disorder: clamp` gives to the frame of this entry, which follows a frame with the timestamp
    /// `last`; `nil` if that is not known.
    func clamped(after last: Int64?) -> Int64? {
        switch time {
        case Self.noFrame: last
        case Self.end: Timestamp.beforeAll.rawValue
        default: last.map { max(time, $0 + 1) }
        }
    }
}
