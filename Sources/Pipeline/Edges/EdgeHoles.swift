/// The gaps that frames dropped from the front of an edge's queue leave before frames that still wait.
struct EdgeHoles {
    /// The dropped frames of one stream.
    private struct Hole {
        var missing: Int32 = 0
        /// The number of ends of the stream that still wait before the dropped frames.
        var ends = 0
    }

    /// For each stream, the gap to add to the next frame that is taken.
    private var holes: RecentStreams<Hole>

    init(maxStreams: Int) { holes = RecentStreams(capacity: maxStreams) }

    /// Records that a waiting frame is dropped. `earlier` contains the items that wait before it.
    mutating func note<Element>(_ old: Element, after earlier: ArraySlice<EdgeItem<Element>>) {
        let ends = earlier.count { if case .mark(.end(let stream)) = $0 { stream == old.stream } else { false } }
        var hole = holes[old.stream] ?? Hole()
        // Frames that were dropped before the last of these ends leave no gap.
        if hole.ends < ends { hole = Hole(ends: ends) }
        hole.missing.addSaturated(old.missing)
        holes.update(old.stream, hole)
    }

    /// Adds the gaps to the frames that are taken.
    mutating func mark<Element>(in taken: inout [EdgeItem<Element>]) {
        guard holes.count > 0 else { return }
        for index in taken.indices {
            switch taken[index] {
            case .frame(var frame):
                guard let hole = holes.remove(frame.stream) else { continue }
                frame.gap.addSaturated(hole.missing)
                taken[index] = .frame(frame)
            case .mark(.end(let stream)):
                guard let hole = holes.remove(stream), hole.ends > 0 else { continue }
                holes.update(stream, Hole(missing: hole.missing, ends: hole.ends - 1))
            case .mark: break
            }
        }
    }

    /// Forgets the dropped frames of a stream.
    mutating func forget(_ stream: StreamID) { holes.remove(stream) }
}
