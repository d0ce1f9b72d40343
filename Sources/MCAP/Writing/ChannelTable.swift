/// The schemas and channels of a file being written, with the index of the messages in the current chunk.
struct ChannelTable {
    private struct Entry {
        let channel: Channel
        /// Whether the channel's record is in the file already.
        var isWritten = false
        var isInChunk = false
        var messages: [MessageIndex.Entry] = []
        var count: UInt64 = 0
    }

    private var entries: [Entry] = []
    private var places = ChannelMap<Int>()
    /// The position in `entries` of the channel that was declared last.
    private var last: Int?
    private(set) var schemas: [Schema] = []
    private var writtenSchemas: Set<UInt16> = []
    private var schemasInChunk: Set<UInt16> = []

    /// The channels, in the order in which they were added.
    var channels: [Channel] { entries.map(\.channel) }

    /// The number of messages of each channel in the file, sorted by channel number.
    var counts: [Statistics.ChannelCount] {
        entries.filter { $0.count > 0 }.map { .init(channelID: $0.channel.id, messages: $0.count) }
            .sorted { $0.channelID < $1.channelID }
    }

    /// The positions of the messages in the current chunk.
    var messageIndexes: [MessageIndex] {
        entries.filter { !$0.messages.isEmpty }.map { MessageIndex(channelID: $0.channel.id, entries: $0.messages) }
    }

    mutating func add(_ schema: Schema) throws(MCAPError) {
        guard schema.id != 0 else { throw MCAPError(.misuse, "a schema has the number 0") }
        if let known = schemas.first(where: { $0.id == schema.id }) {
            guard known == schema else {
                throw MCAPError(.misuse, "the schema \(schema.id) is defined twice, with different contents")
            }
            return
        }
        schemas.append(schema)
    }

    mutating func add(_ channel: Channel) throws(MCAPError) {
        if let place = places[channel.id] {
            guard entries[place].channel == channel else {
                throw MCAPError(.misuse, "the channel \(channel.id) is defined twice, with different contents")
            }
            return
        }
        guard channel.schemaID == 0 || schemas.contains(where: { $0.id == channel.schemaID }) else {
            throw MCAPError(
                .misuse, "the schema \(channel.schemaID) of the channel \(channel.topic.debugDescription) is missing")
        }
        places[channel.id] = entries.count
        entries.append(Entry(channel: channel))
    }

    /// Writes the records of a channel and its schema into the chunk, unless the file or the chunk already has them. A
    /// self-contained chunk gets them even if the file has them.
    @inline(__always)
    mutating func declare(_ id: UInt16, in chunk: inout ByteBuffer, isSelfContained: Bool) throws(MCAPError) {
        guard let place = places[id] else { throw MCAPError(.misuse, "the channel \(id) was not added") }
        last = place
        if entries[place].isInChunk { return }
        if entries[place].isWritten, !isSelfContained { return }
        declare(place, in: &chunk, isSelfContained: isSelfContained)
    }

    /// Writes all channels and schemas that are not in the file yet.
    mutating func declareAll(in chunk: inout ByteBuffer) throws(MCAPError) {
        for schema in schemas where !writtenSchemas.contains(schema.id) && schemasInChunk.insert(schema.id).inserted {
            schema.write(into: &chunk)
        }
        for place in entries.indices where !entries[place].isWritten && !entries[place].isInChunk {
            declare(place, in: &chunk, isSelfContained: false)
        }
    }

    private mutating func declare(_ place: Int, in chunk: inout ByteBuffer, isSelfContained: Bool) {
        let channel = entries[place].channel
        if let schema = schemas.first(where: { $0.id == channel.schemaID }),
            isSelfContained || !writtenSchemas.contains(schema.id), schemasInChunk.insert(schema.id).inserted
        {
            schema.write(into: &chunk)
        }
        channel.write(into: &chunk)
        entries[place].isInChunk = true
    }

    /// Records the position of a message of the channel that was declared last.
    @inline(__always)
    mutating func note(_ message: MessageIndex.Entry) {
        guard let last else { return }
        entries[last].messages.append(message)
    }

    /// Marks the content of the current chunk as written.
    mutating func commit() {
        for place in entries.indices {
            entries[place].count += UInt64(entries[place].messages.count)
            entries[place].messages.removeAll(keepingCapacity: true)
            if entries[place].isInChunk { (entries[place].isWritten, entries[place].isInChunk) = (true, false) }
        }
        writtenSchemas.formUnion(schemasInChunk)
        schemasInChunk = []
    }

    /// Drops the content of the current chunk, which was not written.
    mutating func forget() {
        for place in entries.indices {
            entries[place].messages.removeAll(keepingCapacity: true)
            entries[place].isInChunk = false
        }
        schemasInChunk = []
    }
}
