/// An item on an edge: a frame, or a mark between frames.
enum EdgeItem<Element: EdgeElement>: Sendable {
    case frame(Element)
    case mark(Mark)
}

extension EdgeItem {
    /// The stream that the item belongs to; `nil` if it concerns all streams. A credit belongs to no stream.
    var stream: StreamID? {
        switch self {
        case .frame(let frame): frame.stream
        case .mark(let mark): mark.stream
        }
    }

    /// Whether the item belongs to one of the streams, or is a credit after their frames.
    func belongs(to streams: Set<StreamID>) -> Bool {
        if case .mark(.credit(_, let stream?)) = self { return streams.contains(stream) }
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

    /// The time at which the source read the frame; 0 if unknown.
    var arrival: Int64 { get }
}

extension EdgeElement {
    /// The number of frames that are missing before the next frame if this one is dropped.
    var missing: Int32 { gap.addingSaturated(1) }
}

extension Frame: EdgeElement {}

extension RangeReplaceableCollection where Self: MutableCollection & RandomAccessCollection, Index == Int {
    /// Removes superseded marks, so that the marks of dropped frames do not fill the queue. A later watermark or frame of the same
    /// stream supersedes a watermark, and a later receipt supersedes a receipt.
    ///
    /// - Complexity: O(n).
    mutating func removeSupersededMarks<E: EdgeElement>() where Element == EdgeItem<E> {
        var later: Set<StreamID> = []
        // A receipt and a watermark promise different things, even if they have the same stream name.
        var laterReceipts: Set<StreamID> = []
        var hasLaterGlobal = false
        var kept = Self()
        for item in reversed() {
            switch item {
            case .mark(.bound(nil, _)):
                if hasLaterGlobal { continue }
                hasLaterGlobal = true
            case .mark(.bound(let stream?, _)):
                if !later.insert(stream).inserted { continue }
            case .mark(.receipt(let stream, _)):
                if !laterReceipts.insert(stream).inserted { continue }
            case .frame(let frame): later.insert(frame.stream)
            // Items after an end belong to another stream of the same name.
            case .mark(.end(let stream, _)):
                later.remove(stream)
                laterReceipts.remove(stream)
            case .mark(.credit), .mark(.inputEnd), .mark(.progress): break
            }
            kept.append(item)
        }
        kept.reverse()
        self = kept
    }

    /// Removes and returns the items of streams.
    mutating func removeAll<E: EdgeElement>(of streams: Set<StreamID>) -> [EdgeItem<E>] where Element == EdgeItem<E> {
        let removed = Array(lazy.filter { $0.belongs(to: streams) })
        if !removed.isEmpty { removeAll { $0.belongs(to: streams) } }
        return removed
    }

    /// Removes the credits, and adds them to `ended`.
    mutating func endCredits<E: EdgeElement>(_ ended: inout EndedCredits) where Element == EdgeItem<E> {
        for item in self { ended.add(item) }
        removeAll { if case .mark(.credit) = $0 { true } else { false } }
    }

    /// Adds an item. If it and the last item are both watermarks, or both receipts, of the same stream, they become one mark with
    /// the later timestamp.
    mutating func appendMark<E: EdgeElement>(_ item: EdgeItem<E>) where Element == EdgeItem<E> {
        switch (last, item) {
        case (.mark(.bound(let last, let before))?, .mark(.bound(let stream, let time))) where last == stream:
            self[endIndex - 1] = .mark(.bound(stream, Swift.max(before, time)))
        case (.mark(.receipt(let last, let before))?, .mark(.receipt(let stream, let time))) where last == stream:
            self[endIndex - 1] = .mark(.receipt(stream, Swift.max(before, time)))
        default: append(item)
        }
    }

    /// Adds the gap of a frame that was removed to the next frame of its stream, at or after `index`. If the stream ends before the
    /// next frame, nothing is missing before that frame.
    ///
    /// - Returns: False if neither a frame nor the end of the stream follows, so that the next frame is still to come.
    mutating func addGap<E: EdgeElement>(of old: E, from index: Int) -> Bool where Element == EdgeItem<E> {
        for place in index..<endIndex {
            switch self[place] {
            case .mark(.end(old.stream, _)): return true
            case .frame(var next) where next.stream == old.stream:
                next.gap.addSaturated(old.missing)
                self[place] = .frame(next)
                return true
            default: break
            }
        }
        return false
    }
}
