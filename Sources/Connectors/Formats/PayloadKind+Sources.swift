import Pipeline

extension PayloadKind {
    /// The source made for this payload, with code compiled for it where there is such.
    package func source(_ maker: some SourceMaker) -> any Source {
        let payload: any WirePayload.Type = type
        return Self.source(maker, payload)
    }

    private static func source<P: WirePayload>(_ maker: some SourceMaker, _ payload: P.Type) -> any Source {
        P._sources.source(maker) ?? maker.make(payload)
    }
}
