extension Assembly {
    /// Returns the requests to all sources upstream of a node for the times of their streams, with the number of the asker.
    func timeRequests(at index: Int, asker: Int) -> TimeRequests {
        TimeRequests(
            sources: lineage.sources[index].sorted().compactMap { liveTimes[$0] }, asker: asker,
            slack: lineage.slack[index])
    }

    /// Returns the input of a node that takes single frames.
    func input<P: Payload>(
        _ index: Int, of payload: P.Type, _ waker: Waker, own: OwnBounds? = nil, delivers: Bool = false
    ) throws -> TaskInput {
        let typed = try edges[index].map { edge in
            guard let edge, edge.carries(P.self) else { throw PipelineError.mistypedEdge(plan.nodes[index].id) }
            return edge
        }
        return input(index, merge(typed, index), waker, own: own, delivers: delivers)
    }

    /// Returns the input of a stage. It contains sets of frames if the stage is aligned and its edges do not already carry such
    /// sets.
    func input<S: Stage>(
        of stage: S, _ index: Int, _ waker: Waker, own: OwnBounds?
    ) throws -> TaskInput {
        guard let aligned = stage as? any AlignedStage,
            !edges[index].allSatisfy({ $0?.carries(S.Input.self) ?? false })
        else { return try input(index, of: S.Input.self, waker, own: own) }
        return input(index, try alignedJoin(of: aligned, index, waker), waker, own: own)
    }

    private func input(
        _ index: Int, _ join: Join, _ waker: Waker, own: OwnBounds? = nil, delivers: Bool = false
    ) -> TaskInput {
        let id = plan.nodes[index].id
        // A replayed run takes only what its tape contains.
        guard case .replay(let items) = monitor.tape else {
            return TaskInput(join, place: id, waker: waker, monitor: monitor, own: own, delivers: delivers)
        }
        let taped = TapedJoin(items(id), edges: edges[index].compactMap(\.self), of: join)
        return TaskInput(taped, place: id, waker: waker, monitor: monitor, delivers: delivers)
    }

    private func merge(_ edges: [Edge], _ index: Int) -> Join {
        let node = plan.nodes[index]
        if edges.count == 1, let edge = edges.first {
            return SingleEdge(edge, isRenamed: lineage.renames[node.edges[0].from])
        }
        guard isExplicit else {
            return MergeByTime(
                edges, lanes: lineage.lanes(of: index, plan), maxStreams: plan.maxStreams, place: node.id,
                monitor: monitor)
        }
        let clocks = clocks(at: index)
        let lanes = node.edges.map {
            StreamMerge<FrameCell>.Lane(
                sources: lineage.sources[$0.from], isRenamed: lineage.isRenamed[$0.from],
                isLimited: lineage.holdsSlots($0))
        }
        return MergeByStream(
            edges, StreamMerge(lanes: lanes, brings: clocks.brings), clocks: clocks, monitor: monitor)
    }

    private func alignedJoin<S: AlignedStage>(of stage: S, _ index: Int, _ waker: Waker) throws -> Join {
        let typed = try edges[index].map { edge in
            guard let edge, let store = edge.store(for: S.Element.self) else {
                throw PipelineError.mistypedEdge(plan.nodes[index].id)
            }
            return (edge, store)
        }
        let counts = AlignmentMetrics()
        alignments[index] = counts
        return AlignedJoin(
            AlignmentState<S.Element>(
                stage.alignment, lanes: typed.count, isExplicit: isExplicit, maxStreams: plan.maxStreams),
            edges: typed, places: lineage.lanes(of: index, plan), clocks: clocks(at: index), metrics: counts,
            waker: waker)
    }

    private func clocks(at index: Int) -> SourceClocks {
        SourceClocks(
            requests: timeRequests(at: index, asker: index + plan.nodes.count), place: plan.nodes[index].id,
            monitor: monitor)
    }
}
