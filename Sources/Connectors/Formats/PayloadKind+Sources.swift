import Pipeline

extension PayloadKind {
    /// Returns the source created for this payload. Uses specialized code for the payload type if there is any.
    package func source(_ maker: some SourceMaker) -> any Source {
        let payload: any WirePayload.Type = type
        return Self.source(maker, payload)
    }

    private static func source<P: WirePayload>(_ maker: some SourceMaker, _ payload: P.Type) -> any Source {
        P._sources.source(maker) ?? maker.make(payload)
    }
}
