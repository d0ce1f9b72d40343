/// The watermarks that an aligned join sends downstream.
extension AlignmentState {
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
            // So do those of a stream that has begun again.
            for case .frame(let frame) in group.lanes.lazy.flatMap(\.nextEpoch).map(\.item) {
                time = min(time, frame.timestamp.advanced(byMicroseconds: -1))
            }
        }
        guard time > announced, time >= .zero, lanes.ended.contains(false), !lanes.idle.contains(true) else { return }
        announced = time
        outputs.append(.mark(.bound(nil, time)))
    }
}
