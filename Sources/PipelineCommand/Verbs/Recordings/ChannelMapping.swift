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
                new.id = UInt16(clamping: schemas.count + 1)
                schemas[key] = new.id
                try writer.add(new)
            }
            channel.schemaID = schemas[key] ?? 0
        }
        let number = channels[channel] ?? UInt16(clamping: channels.count + 1)
        if channels.updateValue(number, forKey: channel) == nil {
            channel.id = number
            try writer.add(channel)
        }
        known[file, default: [:]][id] = number
        return number
    }
}
