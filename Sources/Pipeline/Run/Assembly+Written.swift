/// Finds which output was already written of streams whose frames are held.
extension Assembly {
    /// The stream of a source from which a stream at a node was made.
    private enum Origin: Equatable {
        case one(source: Int, StreamID)
        case several
    }

    /// Returns what sinks have written of the held frames of each source, by the index of the source's node.
    ///
    /// Output of a stream that was made from several streams of the sources is left out, because its numbers depend on all of
    /// them.
    ///
    /// - Parameter held: For each node, the streams that are held there or downstream, and since when.
    func written(of held: [[StreamID: Timestamp]]) -> [[StreamID: [OutputKey: OutputNumber]]] {
        var written: [[StreamID: [OutputKey: OutputNumber]]] = plan.nodes.map { _ in [:] }
        let numbers = monitor.commits.numbers
        guard !numbers.isEmpty,
            plan.nodes.indices.contains(where: { plan.nodes[$0].edges.isEmpty && !held[$0].isEmpty })
        else { return written }
        let origins = origins(of: held)
        let mostTolerance = plan.nodes.indices.reduce(0 as Int64) { $0.addingSaturated(tolerance(of: $1)) }
        for (index, node) in plan.nodes.enumerated() {
            guard let numbers = numbers[node.id] else { continue }
            // The timestamps of output may be earlier than those of the frames from which it was made.
            let earlier = lineage.slack[index].addingSaturated(mostTolerance)
            for case (let output, .one(let source, let stream)) in origins[index] {
                guard let since = held[source][stream], let last = numbers.last(of: output),
                    last.time >= since.advanced(byMicroseconds: -earlier).rawValue
                else { continue }
                written[source][stream, default: [:]][OutputKey(sink: node.id, stream: output)] = last
            }
        }
        return written
    }

    /// Returns the streams at each node with their origins. If no stage renames streams, these are only the held streams.
    private func origins(of held: [[StreamID: Timestamp]]) -> [[StreamID: Origin]] {
        var origins: [[StreamID: Origin]] = plan.nodes.map { _ in [:] }
        for (index, node) in plan.nodes.enumerated() {
            guard !node.edges.isEmpty else {
                let streams = parts.names.isEmpty ? heldAnywhere(held) : nil
                for stream in task(of: index)?.followedStreams ?? [] where streams?.contains(stream) ?? true {
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
