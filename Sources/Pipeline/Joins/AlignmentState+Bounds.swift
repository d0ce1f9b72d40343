/// The watermarks and receipts that an aligned join sends downstream.
extension AlignmentState {
    /// Records a lane's receipt: all output made from a stream's frames up to a time has arrived, possibly under other stream
    /// names. Some of it may wait here. The join sends the receipt downstream once all lanes have passed that time.
    mutating func receive(_ stream: StreamID, _ time: Timestamp, _ lane: Int) {
        if receipts[stream] == nil, receipts.count >= maxStreams { receipts.removeAll() }
        receipts[stream, default: Receipts(lanes: lanes.ended.count)].times[lane] = time
        announceReceipt(of: stream)
    }

    mutating func announceReceipt(of stream: StreamID) {
        guard let known = receipts[stream] else { return }
        let bounds = places[stream].map { groups[$0].lanes.map(\.bound) }
        var least = Timestamp.max
        for lane in known.times.indices where !lanes.countsAsEnded(lane) {
            least = min(least, max(known.times[lane], lanes.bounds[lane], bounds?[lane] ?? .beforeAll))
        }
        guard least > known.announced, least < .max else { return }
        receipts[stream]?.announced = least
        outputs.append(.mark(.receipt(stream, least)))
    }

    mutating func announceBound(_ place: Int) {
        // A watermark for all streams does not apply to a stream that has begun again since.
        let known = groups[place].lanes.contains { $0.floor >= .zero } ? Timestamp.beforeAll : announced
        guard let time = groups[place].advanceBound(beyond: known, lanes) else { return }
        outputs.append(.mark(.bound(pairsStreams ? groups[place].stream : nil, time)))
    }

    /// Announces the watermark for all streams: the lowest watermark of all lanes. It also covers streams that have not appeared
    /// yet.
    mutating func announceBoundOfAll() {
        guard pairsStreams else { return }
        var time = Timestamp.max
        for lane in lanes.bounds.indices where !lanes.countsAsEnded(lane) { time = min(time, lanes.bounds[lane]) }
        time = time.advanced(byMicroseconds: -lanes.tolerance)
        // Held frames will form sets with their own timestamps, so the watermark stays below them.
        for group in groups {
            if let held = group.next(lanes) { time = min(time, held.time.advanced(byMicroseconds: -1)) }
        }
        guard time > announced, time >= .zero, lanes.ended.contains(false), !lanes.idle.contains(true) else { return }
        announced = time
        outputs.append(.mark(.bound(nil, time)))
    }
}
