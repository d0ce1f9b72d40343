/// An item on an edge that is not a frame.
enum Mark: Sendable {
    /// A watermark: no frame at or before the timestamp will follow in the stream (`nil`: in any stream). MediaPipe calls this a
    /// timestamp bound.
    case bound(StreamID?, Timestamp)

    /// A receipt: all output that was made from a stream's frames up to the timestamp comes before this mark, although later output
    /// may have an earlier timestamp, so that the watermark is lower. A live recognizer then need not wait for the next frame
    /// before it delivers a result. Merges and joins drop receipts, because they wait for watermarks.
    case receipt(StreamID, Timestamp)

    /// Everything that was produced from a frame in flight comes before this mark. `of` is the stream of the last output that was
    /// produced from the frame; `nil` if there is no output left.
    case credit(Credit, of: StreamID?)

    /// Everything that the previous stage produced from one input comes before this mark. The mark is used only on edges that
    /// limit their frames in flight.
    case inputEnd

    /// The stream has ended. A later frame with the same stream name starts a new stream.
    case end(StreamID, StreamEnd = .over)

    /// Everything that was produced from the sources' items up to this rank comes before this mark. The mark is used only in batch
    /// runs, on edges that lead to a merge or join.
    case progress(SourceRank)

    /// The stream that the mark belongs to; `nil` if it concerns all streams. A credit belongs to no stream.
    var stream: StreamID? {
        switch self {
        case .bound(let stream, _): stream
        case .receipt(let stream, _), .end(let stream, _): stream
        case .credit, .inputEnd, .progress: nil
        }
    }

    var isCredit: Bool { if case .credit = self { true } else { false } }
}
