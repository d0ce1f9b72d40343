/// What travels on an edge: frames, and what is known of the time of streams that bring none.
@usableFromInline
enum EdgeItem<Payload: Pipeline.Payload>: Sendable {
    case frame(Frame<Payload>)

    /// No frame at or before the timestamp will come any more, for one stream or (`nil`) for all.
    case bound(StreamID?, Timestamp)

    /// The stream has ended; a later frame of the same name opens it anew.
    case end(StreamID)
}
