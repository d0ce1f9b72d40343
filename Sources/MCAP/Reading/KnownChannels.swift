/// The schemas and channels that a reader has found so far. A number that is reused for a different definition is an error.
struct KnownChannels {
    private(set) var schemas: [UInt16: Schema] = [:]
    private(set) var channels: [UInt16: Channel] = [:]
    private var isKnown = ChannelMap<Bool>()

    mutating func add(_ schema: Schema) throws(MCAPError) {
        guard schemas.updateValue(schema, forKey: schema.id).map({ $0 == schema }) ?? true else {
            throw MCAPError(.malformed, "the schema \(schema.id) is defined twice, with different contents")
        }
    }

    mutating func add(_ channel: Channel) throws(MCAPError) {
        guard channels.updateValue(channel, forKey: channel.id).map({ $0 == channel }) ?? true else {
            throw MCAPError(.malformed, "the channel \(channel.id) is defined twice, with different contents")
        }
        isKnown[channel.id] = true
        guard channel.schemaID == 0 || schemas[channel.schemaID] != nil else {
            throw MCAPError(
                .malformed, "the schema \(channel.schemaID) of the channel \(channel.topic.debugDescription) is missing"
            )
        }
    }

    /// Adds a channel whose schema may follow later or be stored elsewhere.
    mutating func addUnchecked(_ channel: Channel) {
        channels[channel.id] = channel
        isKnown[channel.id] = true
    }

    @inline(__always)
    func knows(_ channel: UInt16) -> Bool { isKnown[channel] ?? false }
}
