/// The schemas and channels that a reader has found so far. A different definition with a known number is an error. The known
/// definition stays, unless the caller asks to replace it.
struct KnownChannels {
    private(set) var schemas: [UInt16: Schema] = [:]
    private(set) var channels: [UInt16: Channel] = [:]
    private var isKnown = ChannelMap<Bool>()

    /// Adds a schema. Throws if another definition is known, even if the new one replaces it.
    mutating func add(_ schema: Schema, replacing: Bool = false) throws(MCAPError) {
        let isSame = schemas[schema.id, default: schema] == schema
        if isSame || replacing { schemas[schema.id] = schema }
        guard isSame else {
            throw MCAPError(.malformed, "the schema \(schema.id) is defined twice, with different contents")
        }
    }

    /// Adds a channel.
    ///
    /// - Throws: An error if its schema is missing; the channel is known nevertheless. Also throws like ``addWithoutSchema``.
    mutating func add(_ channel: Channel, replacing: Bool = false) throws(MCAPError) {
        try addWithoutSchema(channel, replacing: replacing)
        guard channel.schemaID == 0 || schemas[channel.schemaID] != nil else {
            throw MCAPError(
                .malformed, "the schema \(channel.schemaID) of the channel \(channel.topic.debugDescription) is missing"
            )
        }
    }

    /// Adds a channel whose schema may follow later or be stored elsewhere.
    ///
    /// - Throws: An error if another definition is known. If the new one does not replace it, ``knows(_:)`` returns false until the
    ///   earlier definition is added again, because nothing tells which of the two applies to the messages that follow.
    mutating func addWithoutSchema(_ channel: Channel, replacing: Bool = false) throws(MCAPError) {
        let isSame = channels[channel.id, default: channel] == channel
        if isSame || replacing { channels[channel.id] = channel }
        isKnown[channel.id] = isSame || replacing
        guard isSame else {
            throw MCAPError(.malformed, "the channel \(channel.id) is defined twice, with different contents")
        }
    }

    /// Returns whether the definition of a channel is known and not contradicted.
    @inline(__always)
    func knows(_ channel: UInt16) -> Bool { isKnown[channel] ?? false }
}
