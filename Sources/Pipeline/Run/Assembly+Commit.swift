/// Finds what an assembly holds at a commit point, and forgets streams that another process continues with. The run must be
/// frozen.
extension Assembly {
    /// Streams with the timestamps of their first held frames.
    private typealias Held = [StreamID: Timestamp]

    /// Returns the frames of each source that are held anywhere downstream, by the source's `id`.
    ///
    /// First, all edges, joins and stages report the frames that they hold. Then each held frame is traced upstream: its stream and time
    /// are replaced with the streams and times of the frames from which it was made.
    func held() -> [String: HeldStreams] {
        var held: [Held] = plan.nodes.map { _ in [:] }
        for (index, node) in plan.nodes.enumerated() {
            for edge in edges[index] { edge?.forEachHeld { held[index].note($0, $1) } }
            parts.inputs[node.id]?.input.join.forEachHeld { held[index].note($0, $1) }
            guard let segment = parts.segments[node.id] else { continue }
            let places = segment.nodes.map { id in plan.nodes.firstIndex { $0.id == id } ?? index }
            for body in segment.bodies { body.chains.forEachHeld { held[places[$0]].note($1, $2) } }
        }
        var outputs: [Held] = plan.nodes.map { _ in [:] }
        for index in plan.nodes.indices.reversed() {
            for edge in plan.nodes[index].edges {
                for (stream, time) in held[index] {
                    let time = firstOfSet(index, time)
                    outputs[edge.from].note(stream, time)
                    for (input, time) in inputs(of: edge.from, stream, time) { held[edge.from].note(input, time) }
                }
            }
        }
        let known = knownStreams()
        for (index, node) in plan.nodes.enumerated() {
            parts.names[node.id]?.forget { outputs[index][$0] != nil || known[index].contains($0) }
            // The causes are recorded by input stream, but `outputs` has output streams. If the stage renames streams, more causes
            // are kept than needed.
            parts.causes[node.id]?.forget { outputs[index][$0] ?? held[index][$0] }
        }
        let written = written(of: held)
        var result: [String: HeldStreams] = [:]
        for (index, node) in plan.nodes.enumerated() where node.edges.isEmpty {
            result[node.id] = HeldStreams(held[index], written: written[index])
        }
        return result
    }

    /// Returns the streams that the sources follow, under the names that they have in the output of each node. Empty if no stage
    /// renames streams.
    private func knownStreams() -> [Set<StreamID>] {
        var known: [Set<StreamID>] = plan.nodes.map { _ in [] }
        guard !parts.names.isEmpty else { return known }
        for (index, node) in plan.nodes.enumerated() {
            let incoming =
                node.edges.isEmpty
                ? Set(parts.sources[node.id]?.followedStreams ?? [])
                : node.edges.reduce(into: []) { $0.formUnion(known[$1.from]) }
            known[index] = parts.names[node.id]?.outputs(madeFrom: incoming) ?? incoming
        }
        return known
    }

    /// Checks that no other source that takes part in commit points has frames of these streams in the same nodes. Otherwise,
    /// the frames of the other source would be released with the streams, and nobody would read them again.
    ///
    /// - Throws: A configuration error with the first such stream.
    func checkRelease(of streams: Set<StreamID>, from source: String) throws {
        guard !streams.isEmpty, let first = plan.nodes.firstIndex(where: { $0.id == source }) else { return }
        for (index, node) in plan.nodes.enumerated() where index != first {
            guard node.source?.commits ?? false,
                lineage.sources.contains(where: { $0.contains(first) && $0.contains(index) }),
                let stream = parts.sources[node.id]?.followedStreams.filter(streams.contains).map(\.name).min()
            else { continue }
            throw PipelineError(
                .configuration, "run.shared_stream",
                "the stream \"\(stream)\" comes from \"\(source)\" and from \"\(node.id)\", so neither of them can pass it to another process",
                help: "give the streams of each source names of their own, or use a pipeline for each source")
        }
    }

    /// Forgets streams of a source, in the source and in all nodes downstream of it.
    func release(_ streams: Set<StreamID>, of source: String) {
        guard !streams.isEmpty, let first = plan.nodes.firstIndex(where: { $0.id == source }) else { return }
        // The streams under the names that they have in the output of each node.
        var released: [Set<StreamID>] = plan.nodes.map { _ in [] }
        for index in first..<plan.nodes.count {
            let node = plan.nodes[index]
            let incoming = index == first ? streams : node.edges.reduce(into: []) { $0.formUnion(released[$1.from]) }
            guard !incoming.isEmpty else { continue }
            released[index] = parts.names[node.id]?.outputs(madeOnlyFrom: incoming) ?? incoming
            for edge in edges[index] { edge?.release(incoming) }
            task(of: index)?.release(incoming)
        }
    }

    /// Returns the streams and times of the frames from which a node made its output of `stream` with the timestamp `time`.
    private func inputs(of index: Int, _ stream: StreamID, _ time: Timestamp) -> [(StreamID, Timestamp)] {
        guard let stage = plan.nodes[index].stage else { return [(stream, time)] }
        // Output that is stamped earlier can also depend on a frame before its timestamp, as in `resample_time`. So this looks
        // back by the largest difference that the stage declares.
        let first = time.advanced(byMicroseconds: -max(0, stage.stampsEarlierByUs))
        let id = plan.nodes[index].id
        let streams = stage.renamesStreams ? parts.names[id]?.inputs(of: stream) ?? [stream] : [stream]
        return streams.map { ($0, parts.causes[id]?.first(of: $0, since: first) ?? first) }
    }

    /// Returns the earliest possible timestamp of the frames in a set at `time`, if the input of the node is aligned; otherwise
    /// `time`.
    private func firstOfSet(_ index: Int, _ time: Timestamp) -> Timestamp {
        time.advanced(byMicroseconds: -tolerance(of: index))
    }

    /// Returns how much earlier than a set its frames may be, in microseconds; 0 if the input of the node is not aligned.
    func tolerance(of index: Int) -> Int64 {
        guard let alignment = plan.nodes[index].alignment, alignment.rule == .approximate else { return 0 }
        return Int64(min(max(0, alignment.toleranceMs), 9e12) * 1000)
    }

    /// The task of a node, if the node is the first of its task, or a sink that is called directly.
    func task(of index: Int) -> (any RunTask)? {
        // Skip workers: they have the name of their segment, and the segment's task answers for them.
        tasks.first { $0.kind != .worker && $0.name == plan.nodes[index].id }
    }
}

extension [StreamID: Timestamp] {
    fileprivate mutating func note(_ stream: StreamID, _ time: Timestamp) {
        self[stream] = Swift.min(self[stream] ?? time, time)
    }
}
