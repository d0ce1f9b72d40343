/// For each stream, the number of frames that are missing before its next frame.
struct StreamGaps {
    private var gaps: RecentStreams<Int32>

    /// - Parameter maxStreams: If there are more streams, the gap of the least recently used one is forgotten.
    init(maxStreams: Int) { gaps = RecentStreams(capacity: maxStreams) }

    var isEmpty: Bool { gaps.count == 0 }

    /// Adds missing frames to the gap of a stream.
    mutating func add(_ missing: Int32, of stream: StreamID) {
        gaps.update(stream, (gaps[stream] ?? 0).addingSaturated(missing))
    }

    /// Removes and returns the gap of a stream. Also called when the stream ends, because a gap does not outlive its stream.
    @discardableResult
    mutating func take(_ stream: StreamID) -> Int32 { isEmpty ? 0 : gaps.remove(stream) ?? 0 }

    /// Moves the gaps to the first frames of their streams at or after `first`. A gap does not outlive its stream.
    mutating func move<Element>(to items: inout [EdgeItem<Element>], from first: Int) {
        guard !isEmpty else { return }
        for index in first..<items.count {
            switch items[index] {
            case .frame(var frame):
                frame.gap.addSaturated(take(frame.stream))
                items[index] = .frame(frame)
            case .mark(.end(let stream, _)): take(stream)
            case .mark: break
            }
        }
    }
}
