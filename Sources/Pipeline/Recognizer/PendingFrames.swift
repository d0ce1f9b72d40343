/// The frames that a live recognizer has accepted and that have not ended, as a pure state machine without locks or tasks.
///
/// A frame ends when the stream's watermark after the last stage reaches the frame's timestamp, or when every edge after the input
/// has dropped the frame. The number of pending frames is bounded by the capacity of those edges.
struct PendingFrames {
    /// The outcome of an accepted frame, or an error that occurred without a frame, as at a wake-up.
    struct Ending {
        let timestamp: Timestamp
        var gap: Int32 = 0
        var error: PipelineError?
        /// Whether the frame was dropped downstream of the edges after the input. Such a frame leads to a result only if it
        /// produced output before.
        var wasDropped = false

        /// The gap that this frame leaves if it has no result: the frame itself and those missing before it.
        var missing: Int32 { gap.addingSaturated(1) }
    }

    private struct Entry {
        var ending: Ending
        /// The number of edges after the input that have not dropped the frame.
        var branches: Int
    }

    /// The pending frames of one stream.
    private struct Queue {
        /// The timestamp of the last frame that was accepted.
        var last: Timestamp
        var nextSequence: Int64 = 0
        /// The number of frames that all streams had accepted when this stream last did; it selects the streams to forget.
        var lastUse = 0
        var gapToCome: Int32 = 0
        /// The entries in the order of their timestamps.
        var entries = Deque<Entry>()
        /// The errors at times at which no frame is pending, for example at a wake-up.
        var errors: [Ending] = []
    }

    /// The number of edges after the input.
    private let branches: Int
    private let maxStreams: Int
    private var accepted = 0
    private var queues: [StreamID: Queue] = [:]
    /// The frame that is currently being passed in, and the reason if it was dropped.
    private var given: (stream: StreamID, timestamp: Timestamp, reason: DropReason?)?

    /// The number of frames that were accepted and have not ended.
    private(set) var count = 0

    /// - Parameter maxStreams: If there are more streams, those without pending frames that were not used for the longest time are
    ///   forgotten. A forgotten stream begins anew: any timestamp is later than its last.
    init(branches: Int, maxStreams: Int = 10_000) { (self.branches, self.maxStreams) = (branches, maxStreams) }

    /// Starts to accept a frame. Returns the frame's number in its stream.
    ///
    /// - Throws: A frame error if the timestamp is invalid or does not increase. In that case, nothing changes.
    mutating func begin(_ stream: StreamID, _ timestamp: Timestamp) throws(PipelineError) -> Int64 {
        var queue = queues[stream] ?? Queue(last: .beforeAll)
        try TimestampOrder.check(timestamp, after: queue.last, of: stream)
        queues[stream] = nil
        queue.last = timestamp
        let sequence = queue.nextSequence
        queue.nextSequence += 1
        queue.entries.append(Entry(ending: Ending(timestamp: timestamp, gap: queue.gapToCome), branches: branches))
        queue.gapToCome = 0
        accepted += 1
        queue.lastUse = accepted
        queues[stream] = queue
        count += 1
        if queues.count > maxStreams { forgetStreams() }
        given = (stream, timestamp, nil)
        return sequence
    }

    /// Forgets several streams at once, because the search takes time.
    private mutating func forgetStreams() {
        let idle = queues.filter { $0.value.entries.isEmpty && $0.value.errors.isEmpty }
        let excess = queues.count - maxStreams + maxStreams / 8
        for stream in idle.sorted(by: { $0.value.lastUse < $1.value.lastUse }).prefix(excess) {
            queues[stream.key] = nil
        }
    }

    /// Finishes accepting the frame. Returns the reason if the frame was dropped immediately.
    mutating func end() -> DropReason? {
        defer { given = nil }
        return given?.reason
    }

    /// Records that a frame was dropped: by the input itself, by an edge after the input, or further downstream.
    mutating func drop(_ stream: StreamID, _ timestamp: Timestamp, _ reason: DropReason, at place: Place) {
        guard let index = index(stream, timestamp) else { return }
        switch place {
        case .input: queues[stream]?.entries[index].branches = 0
        case .edge: queues[stream]?.entries[index].branches -= 1
        case .further:
            if reason.isLoss { queues[stream]?.entries[index].ending.wasDropped = true }
            return
        }
        guard let entry = queues[stream]?.entries[index], entry.branches <= 0 else { return }
        queues[stream]?.entries.remove(at: index)
        count -= 1
        addGap(entry.ending.missing, of: stream, before: index)
        if given.map({ $0.stream == stream && $0.timestamp == timestamp }) ?? false { given?.reason = reason }
    }

    /// The part of the run that dropped a frame.
    enum Place {
        case input, edge, further
    }

    /// Records an error at a time of a stream. If a frame with this timestamp is pending, the error belongs to that frame.
    mutating func fail(_ stream: StreamID, _ timestamp: Timestamp, _ error: PipelineError) {
        guard let index = index(stream, timestamp) else {
            var queue = queues[stream] ?? Queue(last: .beforeAll)
            queue.errors.append(Ending(timestamp: timestamp, error: error))
            queues[stream] = queue
            return
        }
        // If a frame causes several errors, the first one is reported.
        if queues[stream]?.entries[index].ending.error == nil { queues[stream]?.entries[index].ending.error = error }
    }

    /// Advances the watermark of a stream (`nil`: of every stream) after the last stage to `bound`. Returns the outcomes of the
    /// frames that this ends, in order. O(pending frames of the stream).
    mutating func settle(_ stream: StreamID?, _ bound: Timestamp) -> [(StreamID, [Ending])] {
        guard let stream else {
            return queues.keys.sorted().compactMap { stream in
                let endings = settle(stream, to: bound)
                return endings.isEmpty ? nil : (stream, endings)
            }
        }
        return [(stream, settle(stream, to: bound))]
    }

    private mutating func settle(_ stream: StreamID, to bound: Timestamp) -> [Ending] {
        guard var queue = queues.removeValue(forKey: stream) else { return [] }
        defer { queues[stream] = queue }
        let ended = queue.entries.prefix { $0.ending.timestamp <= bound }.map(\.ending)
        queue.entries.removeFirst(ended.count)
        count -= ended.count
        guard !queue.errors.isEmpty else { return ended }
        let errors = queue.errors.filter { $0.timestamp <= bound }
        queue.errors.removeAll { $0.timestamp <= bound }
        return (ended + errors).sorted { $0.timestamp < $1.timestamp }
    }

    /// Returns the timestamp of the earliest frame of a stream that has not ended.
    func earliest(of stream: StreamID) -> Timestamp? { queues[stream]?.entries.first?.ending.timestamp }

    /// Adds the frames that ended without a result to the gap of the stream's next frame.
    mutating func noteMissing(_ missing: Int32, of stream: StreamID) {
        guard let first = queues[stream]?.entries.startIndex else { return }
        addGap(missing, of: stream, before: first)
    }

    /// Adds missing frames to the gap of the frame at `index`, or to the gap of the next frame to arrive if there is no such
    /// frame.
    private mutating func addGap(_ missing: Int32, of stream: StreamID, before index: Int) {
        guard var queue = queues.removeValue(forKey: stream) else { return }
        if index < queue.entries.endIndex {
            queue.entries[index].ending.gap.addSaturated(missing)
        } else {
            queue.gapToCome.addSaturated(missing)
        }
        queues[stream] = queue
    }

    /// Returns the index of a frame in its queue. O(log n).
    private func index(_ stream: StreamID, _ timestamp: Timestamp) -> Int? {
        guard let entries = queues[stream]?.entries else { return nil }
        let index = entries.firstSortedIndex { $0.ending.timestamp >= timestamp }
        return index < entries.endIndex && entries[index].ending.timestamp == timestamp ? index : nil
    }
}

/// The rules for the timestamps of frames passed to a recognizer.
enum TimestampOrder {
    /// Checks a timestamp.
    ///
    /// - Throws: A frame error if the timestamp is invalid or is not later than the previous one.
    static func check(
        _ timestamp: Timestamp, after last: Timestamp, of stream: StreamID
    ) throws(PipelineError) {
        let name = stream.name.isEmpty ? "the stream" : "the stream \(stream)"
        guard timestamp.isValid else {
            throw .frame(
                "recognizer.timestamp_range",
                "a timestamp lies in 0 … 2^53 − 1 µs, and this one is \(timestamp.rawValue) µs",
                help: "count from the beginning of the stream, not from further back")
        }
        guard timestamp > last else {
            throw .frame(
                "recognizer.timestamp_order",
                "timestamps must increase: the last of \(name) is \(last), and this one is \(timestamp)",
                help: "give each frame a later time than the one before, or another stream")
        }
    }
}
