import Pipeline

/// The computation of commits.
extension PartitionProgress {
    /// Returns the commit that says exactly which messages are done. Returns `nil` if its text would exceed the limit, because
    /// too many streams are held, or if there is no offset yet.
    ///
    /// The text identifies held streams by their hashes. For a stream that a hash would not describe exactly, it lists the
    /// offsets of the messages instead. If the text does not fit, it lists offsets for all held streams.
    ///
    /// - Parameters:
    ///   - held: What the pipeline holds of the streams.
    ///   - metadataLimit: The maximum length of the text, in bytes. By default, brokers allow 4,096.
    func commit(_ held: HeldStreams, metadataLimit: Int) -> Commit? {
        guard next >= 0 else { return nil }
        let firsts = firstHeld(held.since)
        let written = written(firsts, held)
        for usesHashes in [true, false] {
            guard var held = messages(firsts, usesHashes, limit: metadataLimit) else { continue }
            held.written = written
            let offset = held.first
            if let text = held.text(at: offset, limit: metadataLimit) { return commit(offset, text, firsts) }
        }
        return nil
    }

    /// Returns a commit without a text. The next owner reads all messages from its offset on, including those that are done, so
    /// each message is processed at least once.
    func commitWithRepetitions(_ held: HeldStreams) -> Commit? {
        guard next >= 0 else { return nil }
        let firsts = firstHeld(held.since)
        guard let held = messages(firsts, true, limit: .max) else { return nil }
        return commit(held.first, "", firsts)
    }

    private func commit(_ offset: Int64, _ text: String, _ firsts: [Int64?]) -> Commit {
        var held: [StreamID: Int64] = [:]
        for (place, first) in zip(places, firsts) {
            if let first { held[place.name] = first }
        }
        return Commit(offset: offset, metadata: text, next: position, held: held)
    }

    /// Returns the offset of the first message that must be read again, for each stream in ``places``; `nil` for a stream of
    /// which the pipeline holds nothing.
    private func firstHeld(_ heldSince: (StreamID) -> Timestamp?) -> [Int64?] {
        var searches = places.map { place in
            HeldSearch(
                place.count > 0 ? heldSince(place.name)?.rawValue : nil, after: place.timeBefore, clamps: clamps)
        }
        for entry in log { searches[Int(entry.stream)].look(at: entry) }
        return searches.map(\.result)
    }

    /// Returns what sinks have already written for messages that are not done (``HeldMessages/written``).
    private func written(_ firsts: [Int64?], _ held: HeldStreams) -> [UInt64: [OutputKey: OutputNumber]] {
        // Until this owner has read all that the previous one had not done, some of their output is still to come again.
        var written = restored.map { position < $0.next ? $0.written : [:] } ?? [:]
        for entry in log where firsts[Int(entry.stream)] == entry.offset {
            let place = places[Int(entry.stream)]
            // Output that cannot have been made from this frame or a later one is not made again.
            let outputs = held.written(of: place.name).filter { $0.value.madeUntil.rawValue >= entry.time }
            if !outputs.isEmpty {
                written[place.hash, default: [:]].merge(outputs.mapValues(\.last), uniquingKeysWith: max)
            }
        }
        return written
    }

    /// Returns the messages that are not done, or `nil` if they have more runs than `limit`.
    ///
    /// - Parameter usesHashes: Whether streams are identified by their hashes where that is exact.
    private func messages(_ firsts: [Int64?], _ usesHashes: Bool, limit: Int) -> HeldMessages? {
        var held = HeldMessages(next: next)
        // The messages that the previous owner had not done and that this one has not reached yet.
        if let restored, position < restored.next {
            held.streams = restored.streams.mapValues { max($0, position) }
        }
        var listed = firsts
        if usesHashes {
            let holes = holes(firsts)
            for (place, first) in firsts.enumerated() {
                guard let first, !places[place].sharesHash, !holes.contains(Int32(place)) else { continue }
                if let restored, first < restored.next, restored.streams[places[place].hash] == nil { continue }
                held.streams[places[place].hash] = first
                listed[place] = nil
            }
        }
        for entry in log where entry.time != Entry.noFrame {
            guard let first = listed[Int(entry.stream)], entry.offset >= first else { continue }
            held.append(entry.offset)
            if held.runs.count > limit { return nil }
        }
        if let restored, position < restored.next {
            for run in restored.runs where run.upperBound > position {
                held.runs.append(max(run.lowerBound, position)..<run.upperBound)
            }
        }
        return held
    }

    /// Returns the indices in ``places`` of the held streams that have done messages after their first message to be read again.
    /// A hash would not describe these streams exactly.
    private func holes(_ firsts: [Int64?]) -> Set<Int32> {
        var holes: Set<Int32> = []
        for entry in log where entry.time == Entry.noFrame {
            if let first = firsts[Int(entry.stream)], entry.offset > first { holes.insert(entry.stream) }
        }
        return holes
    }
}

/// Searches for the first message of one stream that must be read again: the message with the timestamp `time`.
private struct HeldSearch {
    private let time: Int64?
    private let clamps: Bool
    /// The timestamp of the last frame, raised as by `on_disorder: clamp`.
    private var last: Int64?
    private var first: Int64?
    /// The offset of the first message with the timestamp, in the last part of the stream that has one. Each end of the stream
    /// ends a part.
    private var found: Int64?
    private var hasEnded = false

    init(_ time: Int64?, after last: Int64?, clamps: Bool) {
        (self.time, self.last, self.clamps) = (time, last, clamps)
    }

    mutating func look(at entry: PartitionProgress.Entry) {
        guard let time, entry.time != PartitionProgress.Entry.noFrame else { return }
        last = entry.clamped(after: last)
        if entry.time == PartitionProgress.Entry.end {
            hasEnded = true
            return
        }
        if first == nil { first = entry.offset }
        if time == (clamps ? last : entry.time), found == nil || hasEnded {
            found = entry.offset
            hasEnded = false
        }
    }

    /// The offset of the message with the timestamp. If there is none, the offset of the stream's first message, so that nothing is
    /// lost. `nil` if the pipeline holds nothing of the stream.
    var result: Int64? { time == nil ? nil : found ?? first }
}
