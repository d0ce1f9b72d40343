import MCAP

/// Maps the channels of several input files to channels of one output file. Channels that are equal apart from their numbers
/// become one channel, even if they are in different files.
struct ChannelMapping {
    private struct SchemaKey: Hashable {
        let name: String
        let encoding: String
        let data: [UInt8]
    }

    private let writer: Writer
    private var schemas: [SchemaKey: UInt16] = [:]
    private var channels: [Channel: UInt16] = [:]
    /// The output number of each input channel, by file and then by input number.
    private var known: [Int: [UInt16: UInt16]] = [:]

    init(_ writer: Writer) { self.writer = writer }

    /// Returns the output number of an input channel. Adds the channel and its schema to the output if they are new.
    mutating func number(
        of id: UInt16, in file: Int, _ channel: Channel?, _ schema: Schema?
    ) throws(MCAPError) -> UInt16 {
        if let number = known[file]?[id] { return number }
        guard var channel else { throw MCAPError(.malformed, "the channel \(id) is missing") }
        channel.id = 0
        channel.schemaID = 0
        if let schema {
            let key = SchemaKey(name: schema.name, encoding: schema.encoding, data: schema.data)
            if schemas[key] == nil {
                var new = schema
                new.id = try Self.number(after: schemas.count, "schemas")
                schemas[key] = new.id
                try writer.add(new)
            }
            channel.schemaID = schemas[key] ?? 0
        }
        let number: UInt16
        if let same = channels[channel] {
            number = same
        } else {
            number = try Self.number(after: channels.count, "channels")
            channels[channel] = number
            channel.id = number
            try writer.add(channel)
        }
        known[file, default: [:]][id] = number
        return number
    }

    /// Returns the number that follows `count` numbers. Numbers have 16 bits.
    private static func number(after count: Int, _ what: String) throws(MCAPError) -> UInt16 {
        guard let number = UInt16(exactly: count + 1) else {
            throw MCAPError(.misuse, "one file cannot have more than \(UInt16.max) \(what)")
        }
        return number
    }
}
