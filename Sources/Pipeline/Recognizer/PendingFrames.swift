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
        /// Whether the frame was dropped after the edges behind the input. It then ends in a result only if it has produced output
        /// all the same.
        var wasDropped = false

        /// The gap that this frame leaves if it has no result: the frame itself and those missing before it.
        var missing: Int32 { Int32(clamping: Int64(gap) + 1) }

        /// Adds frames that are missing before this one.
        mutating func addGap(_ missing: Int32) { gap = Int32(clamping: Int64(gap) + Int64(missing)) }
    }

    private struct Entry {
        var ending: Ending
        /// The number of edges after the input that have not dropped the frame.
        var branches: Int
    }

    private struct Line {
        var last: Timestamp
        var nextSequence: Int64 = 0
        var gapToCome: Int32 = 0
        /// The entries in the order of their timestamps. A slice, so that removing the front does not move the rest.
        var entries: ArraySlice<Entry> = []
        /// The errors at times without a frame, for example at a wake-up.
        var errors: [Ending] = []
    }

    /// The number of edges after the input.
    private let branches: Int
    private var lines: [StreamID: Line] = [:]
    /// The frame that is currently being passed in, and the reason if it was dropped.
    private var given: (stream: StreamID, timestamp: Timestamp, reason: DropReason?)?

    /// The number of frames that were accepted and have not ended.
    private(set) var count = 0

    init(branches: Int) { self.branches = branches }

    /// Starts to accept a frame. Returns its number in its stream.
    ///
    /// - Throws: A frame error if the timestamp is invalid or does not increase. In that case, nothing changes.
    mutating func begin(_ stream: StreamID, _ timestamp: Timestamp) throws(PipelineError) -> Int64 {
        var line = lines[stream] ?? Line(last: .beforeAll)
        try TimestampOrder.check(timestamp, after: line.last, of: stream)
        lines[stream] = nil
        line.last = timestamp
        let sequence = line.nextSequence
        line.nextSequence += 1
        line.entries.append(Entry(ending: Ending(timestamp: timestamp, gap: line.gapToCome), branches: branches))
        line.gapToCome = 0
        lines[stream] = line
        count += 1
        given = (stream, timestamp, nil)
        return sequence
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
        case .input: lines[stream]?.entries[index].branches = 0
        case .edge: lines[stream]?.entries[index].branches -= 1
        case .further:
            if reason.isLoss { lines[stream]?.entries[index].ending.wasDropped = true }
            return
        }
        guard let entry = lines[stream]?.entries[index], entry.branches <= 0 else { return }
        lines[stream]?.entries.remove(at: index)
        count -= 1
        addGap(entry.ending.missing, of: stream, before: index)
        if given.map({ $0.stream == stream && $0.timestamp == timestamp }) ?? false { given?.reason = reason }
    }

    /// The location of a drop.
    enum Place {
        case input, edge, further
    }

    /// Records an error at a time of a stream.
    mutating func fail(_ stream: StreamID, _ timestamp: Timestamp, _ error: PipelineError) {
        guard let index = index(stream, timestamp) else {
            var line = lines[stream] ?? Line(last: .beforeAll)
            line.errors.append(Ending(timestamp: timestamp, error: error))
            lines[stream] = line
            return
        }
        // If a frame causes several errors, the first one is reported.
        if lines[stream]?.entries[index].ending.error == nil { lines[stream]?.entries[index].ending.error = error }
    }

    /// Advances the watermark of a stream (with `nil`, of every stream) after the last stage to `bound`. Returns the outcomes that
    /// this causes, in order. O(pending frames of the stream).
    mutating func settle(_ stream: StreamID?, _ bound: Timestamp) -> [(StreamID, [Ending])] {
        guard let stream else {
            return lines.keys.sorted { $0.name < $1.name }.compactMap { stream in
                let endings = settle(stream, to: bound)
                return endings.isEmpty ? nil : (stream, endings)
            }
        }
        return [(stream, settle(stream, to: bound))]
    }

    private mutating func settle(_ stream: StreamID, to bound: Timestamp) -> [Ending] {
        guard var line = lines.removeValue(forKey: stream) else { return [] }
        defer { lines[stream] = line }
        let ended = line.entries.prefix { $0.ending.timestamp <= bound }.map(\.ending)
        line.entries.removeFirst(ended.count)
        count -= ended.count
        guard !line.errors.isEmpty else { return ended }
        let errors = line.errors.filter { $0.timestamp <= bound }
        line.errors.removeAll { $0.timestamp <= bound }
        return (ended + errors).sorted { $0.timestamp < $1.timestamp }
    }

    /// Returns the timestamp of the earliest frame of a stream that has not ended.
    func earliest(of stream: StreamID) -> Timestamp? { lines[stream]?.entries.first?.ending.timestamp }

    /// Records that frames that ended without a result are missing before the next one.
    mutating func noteMissing(_ missing: Int32, of stream: StreamID) {
        guard let first = lines[stream]?.entries.startIndex else { return }
        addGap(missing, of: stream, before: first)
    }

    /// Records that frames are missing before the one at `index`, or before the next frame to arrive.
    private mutating func addGap(_ missing: Int32, of stream: StreamID, before index: Int) {
        guard var line = lines.removeValue(forKey: stream) else { return }
        if index < line.entries.endIndex {
            line.entries[index].ending.addGap(missing)
        } else {
            line.gapToCome = Int32(clamping: Int64(line.gapToCome) + Int64(missing))
        }
        lines[stream] = line
    }

    /// Returns the index of a frame in its line. O(log n).
    private func index(_ stream: StreamID, _ timestamp: Timestamp) -> Int? {
        guard let entries = lines[stream]?.entries else { return nil }
        var (low, high) = (entries.startIndex, entries.endIndex)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].ending.timestamp < timestamp { low = middle + 1 } else { high = middle }
        }
        return low < entries.endIndex && entries[low].ending.timestamp == timestamp ? low : nil
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
