/// What an assembly holds at a commit point, and how it forgets streams that another process continues with. The run must be frozen.
extension Assembly {
    /// Streams with the timestamps of their first held frames.
    private typealias Held = [StreamID: Timestamp]

    /// Returns what is held of the frames of each source, by the source's `id`.
    ///
    /// Every node is asked for what it holds. Going upstream, the names and times of these frames become those of the frames from
    /// which they were made.
    func held() -> [String: HeldStreams] {
        var held: [Held] = plan.nodes.map { _ in [:] }
        for (index, node) in plan.nodes.enumerated() {
            let places = parts.segments[node.id]?.nodes.map { id in plan.nodes.firstIndex { $0.id == id } ?? index }
            task(of: index)?.forEachHeld { held[places?[$0] ?? index].note($1, $2) }
            for edge in edges[index] { edge?.forEachHeld { held[index].note($0, $1) } }
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
            // By the stage's own streams: more is kept than needed if it renames them.
            parts.causes[node.id]?.forget { outputs[index][$0] ?? held[index][$0] }
        }
        var result: [String: HeldStreams] = [:]
        for (index, node) in plan.nodes.enumerated() where node.edges.isEmpty {
            result[node.id] = HeldStreams(held[index])
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
                ? Set(task(of: index)?.followedStreams ?? [])
                : node.edges.reduce(into: []) { $0.formUnion(known[$1.from]) }
            known[index] = parts.names[node.id]?.outputs(madeFrom: incoming) ?? incoming
        }
        return known
    }

    /// Checks that no other source that takes part in commit points has frames of these streams in the same nodes: with the streams,
    /// these frames would be released too, and nobody would read them again.
    ///
    /// - Throws: A configuration error with the first such stream.
    func checkRelease(of streams: Set<StreamID>, from source: String) throws {
        guard !streams.isEmpty, let first = plan.nodes.firstIndex(where: { $0.id == source }) else { return }
        for (index, node) in plan.nodes.enumerated() where index != first {
            guard case .source(let other, _) = node.body, other.commits,
                lineage.sources.contains(where: { $0.contains(first) && $0.contains(index) }),
                let stream = task(of: index)?.followedStreams.filter(streams.contains).map(\.name).min()
            else { continue }
            throw PipelineError(
                .configuration, "run.shared_stream",
                "the stream \"\(stream)\" comes from \"\(source)\" and from \"\(node.id)\", so none of them can pass it to another process",
                help: "give the streams of each source names of their own, or use a pipeline for each source")
        }
    }

    /// Forgets streams of a source in all nodes downstream of it.
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

    /// The streams and times from which a node has made frames of a stream at a time.
    private func inputs(of index: Int, _ stream: StreamID, _ time: Timestamp) -> [(StreamID, Timestamp)] {
        guard case .stage(let stage) = plan.nodes[index].body else { return [(stream, time)] }
        // Output may have been stamped earlier than the frame that it was made from.
        let first = time.advanced(byMicroseconds: -max(0, stage.stampsEarlierByUs))
        let id = plan.nodes[index].id
        let streams = stage.renamesStreams ? parts.names[id]?.inputs(of: stream) ?? [stream] : [stream]
        return streams.map { ($0, parts.causes[id]?.first(of: $0, since: first) ?? first) }
    }

    /// The earliest timestamp of the frames in a set of an aligned input.
    private func firstOfSet(_ index: Int, _ time: Timestamp) -> Timestamp {
        guard case .stage(let stage) = plan.nodes[index].body, let aligned = stage as? any AlignedStage,
            aligned.alignment.rule == .approximate
        else { return time }
        return time.advanced(byMicroseconds: -Int64(min(max(0, aligned.alignment.toleranceMs), 9e12) * 1000))
    }

    /// The task of a node, if the node is the first of its task, or a sink that is called directly.
    private func task(of index: Int) -> (any RunTask)? {
        // Workers have the name of their segment, which asks them itself.
        tasks.first { $0.kind != .worker && $0.name == plan.nodes[index].id }
    }
}

extension [StreamID: Timestamp] {
    fileprivate mutating func note(_ stream: StreamID, _ time: Timestamp) {
        self[stream] = Swift.min(self[stream] ?? time, time)
    }
}
