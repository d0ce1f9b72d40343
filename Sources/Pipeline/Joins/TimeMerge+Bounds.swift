/// The watermarks that a merge by time sends downstream.
extension TimeMerge {
    /// Returns the time that an edge has reached in a stream. The time stays before the first waiting frame.
    private func reached(_ stream: Stream, _ lane: Int) -> Timestamp {
        let bound = max(stream.sides[lane].first.bound, globalWatermarks[lane])
        guard let first = stream.sides[lane].held.first else { return hasFinished[lane] ? .max : bound }
        if case .frame = first.item { return min(bound, first.time.advanced(byMicroseconds: -1)) }
        return bound
    }

    /// Sends the watermark of a stream if it has advanced.
    mutating func announce(_ stream: Stream, _ batch: inout [Item]) {
        var least = Timestamp.max
        for lane in lanes.indices { least = min(least, reached(stream, lane)) }
        // Announce a new stream even if all its frames wait, so that no join downstream proceeds without it.
        let isNew = !stream.isKnown && stream.frames > 0
        guard least > max(stream.announced, stream.released.advanced(byMicroseconds: -1)) || isNew, least < .max,
            !lanes.contains(where: \.isRenamed)
        else { return }
        stream.isKnown = true
        stream.announced = least
        batch.append(.bound(stream.name, least))
    }

    /// Sends the watermark for all streams if it has advanced.
    mutating func announceOfAll(_ batch: inout [Item]) {
        guard hasBoundsOfAll else { return }
        let open = lanes.indices.filter { !hasFinished[$0] }
        guard let least = open.map({ globalWatermarks[$0] }).min(), least > announcedGlobally,
            !held.contains(where: { $0 > 0 }), !lanes.contains(where: \.isRenamed)
        else { return }
        announcedGlobally = least
        batch.append(.bound(nil, least))
    }
}
