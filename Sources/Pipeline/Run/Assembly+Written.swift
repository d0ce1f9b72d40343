/// Finds out what sinks have already written for the streams whose frames are held.
extension Assembly {
    /// The source stream, or the several source streams, from which a node made a stream.
    private enum Origin: Equatable {
        case one(source: Int, StreamID)
        case several
    }

    /// For each source stream with held frames, returns the last frame that each sink has written of each stream made from it.
    ///
    /// The result has one dictionary per node, which is empty if the node is not a source. Streams that were made from several
    /// source streams are left out, because the numbers of their frames depend on all of these source streams.
    ///
    /// - Parameter held: For each node, the streams that are held there or downstream, and since when.
    func written(of held: [[StreamID: Timestamp]]) -> [[StreamID: [OutputKey: WrittenOutput]]] {
        var written: [[StreamID: [OutputKey: WrittenOutput]]] = plan.nodes.map { _ in [:] }
        let numbers = monitor.commits.numbers
        guard !numbers.isEmpty,
            plan.nodes.indices.contains(where: { plan.nodes[$0].edges.isEmpty && !held[$0].isEmpty })
        else { return written }
        let origins = origins(of: held)
        let mostTolerance = plan.nodes.indices.reduce(0 as Int64) { $0.addingSaturated(tolerance(of: $1)) }
        for (index, node) in plan.nodes.enumerated() {
            guard let numbers = numbers[node.id] else { continue }
            // The timestamps of output may be earlier than those of the frames from which it was made.
            let later = lineage.slack[index].addingSaturated(mostTolerance)
            for case (let output, .one(let source, let stream)) in origins[index] {
                guard held[source][stream] != nil, let last = numbers.last(of: output) else { continue }
                let until = Timestamp(rawValue: last.time).advanced(byMicroseconds: later)
                written[source][stream, default: [:]][OutputKey(sink: node.id, stream: output)] = WrittenOutput(
                    last: last, madeUntil: until)
            }
        }
        return written
    }

    /// Returns the streams at each node with their origins. If no stage renames streams, these are only the held streams.
    private func origins(of held: [[StreamID: Timestamp]]) -> [[StreamID: Origin]] {
        var origins: [[StreamID: Origin]] = plan.nodes.map { _ in [:] }
        let heldStreams = parts.names.isEmpty ? heldAnywhere(held) : nil
        for (index, node) in plan.nodes.enumerated() {
            guard !node.edges.isEmpty else {
                for stream in parts.sources[node.id]?.followedStreams ?? [] where heldStreams?.contains(stream) ?? true
                {
                    origins[index][stream] = .one(source: index, stream)
                }
                continue
            }
            var incoming: [StreamID: Origin] = [:]
            for edge in node.edges {
                incoming.merge(origins[edge.from]) { $0 == $1 ? $0 : .several }
            }
            origins[index] =
                parts.names[node.id]?.outputs { inputs in
                    let found = inputs.map { incoming[$0] ?? .several }
                    return found.first.map { first in found.allSatisfy { $0 == first } ? first : .several }
                } ?? incoming
        }
        return origins
    }

    private func heldAnywhere(_ held: [[StreamID: Timestamp]]) -> Set<StreamID> {
        plan.nodes.indices.reduce(into: []) { if plan.nodes[$1].edges.isEmpty { $0.formUnion(held[$1].keys) } }
    }
}
