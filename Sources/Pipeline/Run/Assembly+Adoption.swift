/// Moves the state of stages from the previous assembly into this one, in a reload.
extension Assembly {
    /// A stage that continues because its configuration did not change: its index in the new segment, its old segment, and its
    /// position there.
    private typealias Continued = (index: Int, segment: AssemblyParts.SegmentEntry, position: Int)

    /// Moves the state of the stages that continue into the segment whose first node is `first`.
    func adoptStages(of first: String) {
        guard let before, let entry = parts.segments[first] else { return }
        let continued = continued(in: entry)
        let sources = continued.map(\.segment).reduce(into: [AssemblyParts.SegmentEntry]()) { list, segment in
            if !list.contains(where: { $0.nodes == segment.nodes }) { list.append(segment) }
        }
        guard !sources.isEmpty else { return }
        // A worker keeps its streams if there are as many workers as before.
        let known = before.parts.segments[first]
        let keepsHomes = entry.shared != nil && known?.shared != nil && known?.bodies.count == entry.bodies.count
        if keepsHomes, let homes = known?.shared?.homes { entry.shared?.homes = homes }
        for segment in sources {
            let order = segment.order
            for stream in order.byArrival { entry.adopt(stream, isNew: !keepsHomes) }
            for stream in order.byUse { entry.adopt(stream, isNew: !keepsHomes) }
        }
        for (index, segment, position) in continued {
            for stream in segment.order.byArrival {
                guard let body = entry.body(of: stream), let old = segment.body(of: stream) else { continue }
                body.chains.adopt(index, of: stream, from: old.chains, position)
            }
        }
        for body in entry.bodies { body.chains.requestWakes() }
    }

    /// Returns whether the stage of a node continues with its state.
    func continues(_ id: String) -> Bool {
        parts.segments.values.contains { entry in continued(in: entry).contains { entry.nodes[$0.index] == id } }
    }

    /// Returns the stages of a segment that continue.
    private func continued(in entry: AssemblyParts.SegmentEntry) -> [Continued] {
        guard let before else { return [] }
        return entry.nodes.enumerated().compactMap { index, id in
            guard before.kept.contains(id), let (segment, position) = before.parts.place(of: id),
                let body = entry.bodies.first, let old = segment.bodies.first,
                body.chains.canAdopt(index, from: old.chains, position)
            else { return nil }
            // A stage with a nested chain continues only in the same context, because the instances of its chain refer to it.
            let isNested = plan.nodes.first { $0.id == id }?.stage is any NestingStage
            return !isNested || body.context === old.context ? (index, segment, position) : nil
        }
    }
}

extension AssemblyParts.SegmentEntry {
    /// The streams in order of arrival, and in order of use with the least recently used first.
    fileprivate var order: (byArrival: [StreamID], byUse: [StreamID]) {
        shared?.homes.order ?? bodies.first?.chains.order ?? ([], [])
    }

    /// Returns the body that has the instance of a stream.
    fileprivate func body(of stream: StreamID) -> SegmentBody? {
        guard let shared else { return bodies.first }
        return shared.homes.worker(of: stream).map { bodies[$0] }
    }

    /// Creates the instance of a stream if there is none, and marks it as the most recently used.
    fileprivate func adopt(_ stream: StreamID, isNew: Bool) {
        guard let shared else { return bodies.first?.chains.adopt(stream, ordinal: nil) ?? () }
        let use = isNew ? shared.homes.use(stream) : shared.homes.home(of: stream)
        guard let use else { return }
        bodies[use.worker].chains.adopt(stream, ordinal: use.ordinal)
    }
}
