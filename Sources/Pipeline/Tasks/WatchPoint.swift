import Synchronization

/// The place behind one node.
package final class WatchPoint: Sendable {
    private let wanted = Atomic<Int>(0)
    private let frames = Lock<[WatchedFrame]>([])
    private let isKeeping = Atomic<Bool>(false)
    private let kept = Lock<[WatchedFrame]>([])
    private static var mostKept: Int { 20_000 }
    private let onNews: @Sendable () -> Void

    private let turns = Lock(StreamTurns())
    private let timestamp = Atomic<Int64>(0)
    private let sequence = Atomic<Int64>(0)

    init(onNews: @escaping @Sendable () -> Void) { self.onNews = onNews }

    /// Lets so many frames be noted, in place of what was let before.
    package func want(_ count: Int) { wanted.store(count, ordering: .relaxed) }

    /// How many more frames will be noted.
    package var stillWanted: Int { wanted.load(ordering: .relaxed) }

    /// Takes the frames that were noted, the oldest first.
    package func take() -> [WatchedFrame] {
        frames.withLock { frames in
            defer { frames = [] }
            return frames
        }
    }

    @inline(__always)
    func look<P: Payload>(at payload: P, _ header: UnsafePointer<FrameHeader>) {
        if wanted.load(ordering: .relaxed) > 0 { note(payload, header.pointee) }
    }

    @inline(never)
    private func note<P: Payload>(_ payload: P, _ header: FrameHeader) {
        // One task writes here; who wants more may put a number in between, which costs or gives a frame.
        wanted.subtract(1, ordering: .relaxed)
        let frame = WatchedFrame(payload, header)
        let isFirst = frames.withLock { frames in
            frames.append(frame)
            return frames.count == 1
        }
        if isFirst { onNews() }
    }

    /// Whether every frame is kept, for those who run them again.
    package func keep(_ isKeeping: Bool) { self.isKeeping.store(isKeeping, ordering: .relaxed) }

    /// Takes what was kept, the oldest first. Nobody is told that there is any: whoever keeps looks often enough.
    package func takeKept() -> [WatchedFrame] {
        kept.withLock { kept in
            defer { kept = [] }
            return kept
        }
    }

    @inline(__always)
    func keep<P: Payload>(_ payload: P, _ header: UnsafePointer<FrameHeader>) {
        guard isKeeping.load(ordering: .relaxed) else { return }
        let frame = WatchedFrame(payload, header.pointee)
        kept.withLock { kept in
            // Nobody looks any more, or much too late.
            if kept.count >= Self.mostKept { kept.removeAll() }
            kept.append(frame)
        }
    }

    // MARK: Streams

    @inline(__always)
    func reach(_ header: UnsafePointer<FrameHeader>) {
        timestamp.store(header.pointee.timestamp.rawValue, ordering: .relaxed)
        sequence.store(header.pointee.sequence, ordering: .relaxed)
    }

    /// Notes that frames of another stream come now. One task calls this.
    func turn(to stream: StreamID) {
        let (time, number) = (timestamp.load(ordering: .relaxed), sequence.load(ordering: .relaxed))
        turns.withLock { turns in
            turns.leave(at: Timestamp(rawValue: time), number)
            turns.begin(stream)
        }
    }

    /// The streams that came last, the last one first, each once.
    package func recentStreams(_ most: Int) -> [SeenStream] {
        let (time, number) = (timestamp.load(ordering: .relaxed), sequence.load(ordering: .relaxed))
        return turns.withLock { turns in
            var turns = turns
            turns.leave(at: Timestamp(rawValue: time), number)
            return turns.recent(most)
        }
    }
}
