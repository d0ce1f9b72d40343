/// An item on an edge: a frame, or a mark. Every item that is not a frame is a mark, such as a watermark or the end of a stream.
enum EdgeItem<Element: EdgeElement>: Sendable {
    case frame(Element)

    /// A watermark: no frame at or before the timestamp will follow in the stream (`nil`: in any stream). MediaPipe calls this a
    /// timestamp bound.
    case bound(StreamID?, Timestamp)

    /// A receipt: all output that was made from a stream's frames up to the timestamp comes before this mark. A watermark cannot
    /// express this if the output belongs to streams with other names, or if later output may have an earlier timestamp. A stage
    /// that renames streams turns each watermark into a receipt. Consumers that know the original names use the receipt.
    case receipt(StreamID, Timestamp)

    /// Everything that was produced from a frame in flight comes before this mark. `of` is the stream of the last output that was
    /// produced from the frame; `nil` if there is no output left.
    case credit(Credit, of: StreamID?)

    /// Everything that the previous stage produced from one input comes before this mark. The mark is used only on edges that
    /// limit their frames in flight.
    case inputEnd

    /// The stream has ended. A later frame with the same stream name starts a new stream.
    case end(StreamID)

    /// Everything that was produced from the sources' items up to this rank comes before this mark. The mark is used only in batch
    /// runs, on edges that lead to a merge or join.
    case progress(SourceRank)
}

extension EdgeItem {
    /// The stream that the item belongs to; `nil` if it concerns all streams. A credit belongs to no stream.
    var stream: StreamID? {
        switch self {
        case .frame(let frame): frame.stream
        case .bound(let stream, _): stream
        case .receipt(let stream, _): stream
        case .end(let stream): stream
        case .credit, .inputEnd, .progress: nil
        }
    }

    /// Whether the item belongs to one of the streams, or is a credit after their frames.
    func belongs(to streams: Set<StreamID>) -> Bool {
        if case .credit(_, let stream?) = self { return streams.contains(stream) }
        return stream.map(streams.contains) ?? false
    }
}

/// The properties of a frame that an edge uses.
protocol EdgeElement: Sendable {
    /// The time of the event that the frame describes.
    var timestamp: Timestamp { get }

    /// The stream that the frame belongs to.
    var stream: StreamID { get }

    /// The number of frames that are missing right before this one.
    var gap: Int32 { get set }
}

extension EdgeElement {
    /// The number of frames that are missing before the next frame if this one is dropped.
    var missing: Int32 { gap.addingSaturated(1) }
}

extension Frame: EdgeElement {}

extension Array {
    /// Removes superseded marks, so that the marks of dropped frames do not fill the queue. A later watermark or frame of the same
    /// stream supersedes a watermark, and a later receipt supersedes a receipt.
    ///
    /// - Complexity: O(n).
    mutating func removeSupersededMarks<E: EdgeElement>() where Element == EdgeItem<E> {
        var later: Set<StreamID> = []
        // A receipt and a watermark promise different things, even if they have the same stream name.
        var laterReceipts: Set<StreamID> = []
        var hasLaterGlobal = false
        var kept: [Element] = []
        for item in reversed() {
            switch item {
            case .bound(nil, _):
                if hasLaterGlobal { continue }
                hasLaterGlobal = true
            case .bound(let stream?, _):
                if !later.insert(stream).inserted { continue }
            case .receipt(let stream, _):
                if !laterReceipts.insert(stream).inserted { continue }
            case .frame(let frame): later.insert(frame.stream)
            // Items after an end belong to another stream of the same name.
            case .end(let stream):
                later.remove(stream)
                laterReceipts.remove(stream)
            case .credit, .inputEnd, .progress: break
            }
            kept.append(item)
        }
        self = kept.reversed()
    }
}

extension Array {
    /// Removes and returns the items of streams.
    mutating func removeAll<E: EdgeElement>(of streams: Set<StreamID>) -> [Element] where Element == EdgeItem<E> {
        let removed = filter { $0.belongs(to: streams) }
        if !removed.isEmpty { removeAll { $0.belongs(to: streams) } }
        return removed
    }

    /// Adds an item. If it and the last item are both watermarks, or both receipts, of the same stream, they become one mark with
    /// the later timestamp.
    mutating func appendMark<E: EdgeElement>(_ item: EdgeItem<E>) where Element == EdgeItem<E> {
        switch (last, item) {
        case (.bound(let last, let before)?, .bound(let stream, let time)) where last == stream:
            self[count - 1] = .bound(stream, Swift.max(before, time))
        case (.receipt(let last, let before)?, .receipt(let stream, let time)) where last == stream:
            self[count - 1] = .receipt(stream, Swift.max(before, time))
        default: append(item)
        }
    }
}
