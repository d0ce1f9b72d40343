/// A cursor over the messages of an indexed file, in the order of their log times. Messages with equal log times keep the order of
/// the file.
public struct MessageCursor {
    private let input: any ByteInput
    private let waiting: [ChunkIndex]
    private var nextWaiting = 0
    private var loaded: [LoadedChunk] = []
    private var known: KnownChannels
    private let times: Range<UInt64>?
    private let isWanted: (Channel) -> Bool
    private let limits: ReadingLimits
    private let checks: Bool
    private let unpacker = Unpacker()

    init(
        _ input: any ByteInput, _ chunks: [ChunkIndex], _ known: KnownChannels, _ times: Range<UInt64>?,
        _ isWanted: @escaping (Channel) -> Bool, limits: ReadingLimits, checks: Bool
    ) {
        (self.input, self.known, self.times, self.isWanted) = (input, known, times, isWanted)
        (self.limits, self.checks) = (limits, checks)
        let unwanted = Set(known.channels.values.filter { !isWanted($0) }.map(\.id))
        waiting = chunks.filter { chunk in
            let isInTime = times.map { chunk.startTime < $0.upperBound && chunk.endTime >= $0.lowerBound } ?? true
            let told = chunk.messageIndexOffsets
            return isInTime && (told.isEmpty || !told.allSatisfy { unwanted.contains($0.channelID) })
        }.sorted { ($0.startTime, $0.chunkStart) < ($1.startTime, $1.chunkStart) }
    }

    /// The channels found so far, by number.
    public var channels: [UInt16: Channel] { known.channels }

    /// The schemas found so far, by number.
    public var schemas: [UInt16: Schema] { known.schemas }

    /// Returns the next message, or `nil` at the end. If a chunk cannot be read, the call throws, and the next call continues after
    /// that chunk.
    public mutating func next() throws(MCAPError) -> Message? {
        while true {
            while nextWaiting < waiting.count,
                loaded.isEmpty || waiting[nextWaiting].startTime <= loaded[0].key.logTime
            {
                // Move on even if loading throws, so that an unreadable chunk is reported once.
                defer { nextWaiting += 1 }
                let chunk = try load(waiting[nextWaiting])
                guard !chunk.isOver else { continue }
                loaded.append(chunk)
                siftUp(loaded.count - 1)
            }
            guard !loaded.isEmpty else { return nil }
            let message = try loaded[0].take()
            if loaded[0].isOver {
                loaded.swapAt(0, loaded.count - 1)
                loaded.removeLast()
            }
            siftDown()
            return message
        }
    }

    private mutating func load(_ index: ChunkIndex) throws(MCAPError) -> LoadedChunk {
        guard let (place, bytes) = try input.record(at: index.chunkStart, limits), place.opcode == .chunk,
            place.end - place.offset == index.chunkLength
        else {
            throw MCAPError(.malformed, "there is no chunk of this length where the index says", at: index.chunkStart)
        }
        var reader = try ChunkReader(
            unpacking: bytes, place.content, at: place.offset, unpacker, limits: limits, checks: checks)
        var entries: [LoadedChunk.Entry] = []
        var isSorted = true
        var answers = ChannelMap<Bool>()
        while let (opcode, content) = try reader.next() {
            guard opcode == .message else {
                switch try reader.record(opcode, content) {
                case .schema(let schema): try known.add(schema)
                case .channel(let channel): try known.addWithoutSchema(channel)
                default: break
                }
                continue
            }
            let (id, time) = try reader.key(content)
            if answers[id] == nil {
                guard let channel = known.channels[id] else {
                    throw MCAPError(
                        .malformed, "a message belongs to the channel \(id), which is not defined", at: place.offset)
                }
                answers[id] = isWanted(channel)
            }
            guard answers[id] == true, times?.contains(time) ?? true else { continue }
            isSorted = isSorted && (entries.last.map { $0.logTime <= time } ?? true)
            entries.append(.init(logTime: time, content: content))
        }
        if !isSorted { entries.sort { ($0.logTime, $0.content.lowerBound) < ($1.logTime, $1.content.lowerBound) } }
        return LoadedChunk(reader: reader, entries: entries, offset: index.chunkStart)
    }

    private mutating func siftUp(_ start: Int) {
        var child = start
        while child > 0, loaded[child].key < loaded[(child - 1) / 2].key {
            loaded.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    private mutating func siftDown() {
        var parent = 0
        while true {
            var least = 2 * parent + 1
            guard least < loaded.count else { return }
            if least + 1 < loaded.count, loaded[least + 1].key < loaded[least].key { least += 1 }
            guard loaded[least].key < loaded[parent].key else { return }
            loaded.swapAt(parent, least)
            parent = least
        }
    }
}

/// A loaded chunk and the position of its next message.
private struct LoadedChunk {
    struct Entry {
        let logTime: UInt64
        let content: Range<Int>
    }

    let reader: ChunkReader
    let entries: [Entry]
    let offset: UInt64
    private var place = 0

    init(reader: ChunkReader, entries: [Entry], offset: UInt64) {
        (self.reader, self.entries, self.offset) = (reader, entries, offset)
    }

    var isOver: Bool { place == entries.count }

    /// The sort key. The chunk with the smallest key contains the next message.
    var key: (logTime: UInt64, offset: UInt64) { (entries[place].logTime, offset) }

    mutating func take() throws(MCAPError) -> Message {
        defer { place += 1 }
        return try reader.message(entries[place].content)
    }
}
