import Synchronization

/// A point right after one node at which an observer can see the node's output.
package final class WatchPoint: Sendable {
    private let wanted = Atomic<Int>(0)
    private let frames = Lock<[WatchedFrame]>([])
    private let isKeeping = Atomic<Bool>(false)
    private let kept = Lock<[WatchedFrame]>([])
    private static var mostKept: Int { 20_000 }
    private let onNews: @Sendable () -> Void

    private let streams = Lock(RecentStreams<SeenStream>(capacity: 1024))
    private let timestamp = Atomic<Int64>(0)
    private let sequence = Atomic<Int64>(0)

    init(onNews: @escaping @Sendable () -> Void) { self.onNews = onNews }

    /// Requests the next `count` frames. This replaces the previous request.
    package func want(_ count: Int) { wanted.store(count, ordering: .relaxed) }

    /// Returns the recorded frames, the oldest first, and removes them.
    package func take() -> [WatchedFrame] {
        frames.withLock { frames in
            defer { frames = [] }
            return frames
        }
    }

    /// Records a frame if it was requested with ``want(_:)``.
    @inline(__always)
    func look<P: Payload>(at payload: P, _ header: UnsafePointer<FrameHeader>) {
        if wanted.load(ordering: .relaxed) > 0 { note(payload, header.pointee) }
    }

    @inline(never)
    private func note<P: Payload>(_ payload: P, _ header: FrameHeader) {
        // Only one task decrements this number. An observer may store a new number in between, which causes one frame more or less
        // to be recorded.
        wanted.subtract(1, ordering: .relaxed)
        let frame = WatchedFrame(payload, header)
        let isFirst = frames.withLock { frames in
            frames.append(frame)
            return frames.count == 1
        }
        if isFirst { onNews() }
    }

    /// Sets whether every frame is kept, so that the frames can be replayed.
    package func keep(_ isKeeping: Bool) { self.isKeeping.store(isKeeping, ordering: .relaxed) }

    /// Returns the frames that were kept, the oldest first, and removes them. Call this often: `onNews` is not called for kept
    /// frames, and when 20,000 of them wait, the next frame discards them all.
    package func takeKept() -> [WatchedFrame] {
        kept.withLock { kept in
            defer { kept = [] }
            return kept
        }
    }

    /// Keeps a frame if every frame is kept.
    @inline(__always)
    func keep<P: Payload>(_ payload: P, _ header: UnsafePointer<FrameHeader>) {
        guard isKeeping.load(ordering: .relaxed) else { return }
        let frame = WatchedFrame(payload, header.pointee)
        kept.withLock { kept in
            // If there are too many frames, the reader is gone or far too slow.
            if kept.count >= Self.mostKept { kept.removeAll() }
            kept.append(frame)
        }
    }

    // MARK: Streams

    /// Records the timestamp and the number of the current stream's last frame.
    @inline(__always)
    func reach(_ header: UnsafePointer<FrameHeader>) {
        timestamp.store(header.pointee.timestamp.rawValue, ordering: .relaxed)
        sequence.store(header.pointee.sequence, ordering: .relaxed)
    }

    /// Records that frames of another stream follow. Only one task calls this.
    func turn(to stream: StreamID) {
        streams.withLock { streams in
            leave(&streams)
            streams.update(stream, SeenStream(stream: stream, timestamp: .zero, sequence: 0))
        }
    }

    /// Returns at most `most` of the most recent streams, the last one first.
    package func recentStreams(_ most: Int) -> [SeenStream] {
        streams.withLock { streams in
            leave(&streams)
            return streams.all.suffix(most).reversed().map(\.value)
        }
    }

    /// Notes the last frame of the current stream.
    private func leave(_ streams: inout RecentStreams<SeenStream>) {
        guard let current = streams.last?.key else { return }
        let time = Timestamp(rawValue: timestamp.load(ordering: .relaxed))
        streams.update(
            current, SeenStream(stream: current, timestamp: time, sequence: sequence.load(ordering: .relaxed)))
    }
}
