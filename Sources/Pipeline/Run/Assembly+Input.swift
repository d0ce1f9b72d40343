extension Assembly {
    /// Returns an object that requests watermarks from all sources upstream of a node.
    ///
    /// - Parameter asker: The number that identifies the requests. A task has two: an even one for its stages and an odd one for
    ///   its join.
    func timeRequests(at index: Int, asker: Int) -> TimeRequests {
        TimeRequests(
            sources: lineage.sources[index].sorted().compactMap { parts.liveTimes[plan.nodes[$0].id] }, asker: asker,
            slack: lineage.slack[index])
    }

    /// Returns the input of a node that takes single frames.
    func input<P: Payload>(
        _ index: Int, of payload: P.Type, _ waker: Waker, own: OwnWatermarks? = nil, delivers: Bool = false
    ) throws -> TaskInput {
        let typed = try edges[index].map { edge in
            guard let edge, edge.store.carries(P.self) else { throw PipelineError.mistypedEdge(plan.nodes[index].id) }
            return edge
        }
        return input(index, waker, own: own, delivers: delivers) { merge(typed, index) }
    }

    /// Returns the input of a stage. It delivers sets of frames if the stage is aligned and its edges do not already carry such
    /// sets.
    func input<S: Stage>(
        of stage: S, _ index: Int, _ waker: Waker, own: OwnWatermarks?
    ) throws -> TaskInput {
        guard let aligned = stage as? any AlignedStage,
            !edges[index].allSatisfy({ $0?.store.carries(S.Input.self) ?? false })
        else { return try input(index, of: S.Input.self, waker, own: own) }
        return try input(index, waker, own: own, alignment: aligned.alignment) {
            try alignedJoin(of: aligned, index, waker)
        }
    }

    /// Returns the input of a node.
    ///
    /// - Parameter makeJoin: Creates the join. Not called if the join of the previous assembly continues.
    private func input(
        _ index: Int, _ waker: Waker, own: OwnWatermarks? = nil, delivers: Bool = false, alignment: Alignment? = nil,
        _ makeJoin: () throws -> Join
    ) rethrows -> TaskInput {
        let (id, keys, lanes) = (plan.nodes[index].id, keys(into: index), lanes(of: index))
        let known = before?.parts.inputs[id]
        let next = edges[index].compactMap(\.self)
        let join: Join
        if let known, known.lanes == lanes, known.alignment == alignment, known.input.join.canContinue(with: next),
            // The state of each edge belongs to the edge at the same position.
            keys.indices.allSatisfy({ known.edges.firstIndex(of: keys[$0]) ?? $0 == $0 })
        {
            join = known.input.join
            onAdoption { join.reconnect(to: next) }
        } else {
            join = try makeJoin()
        }
        let input = input(id, index, join, waker, own: own, delivers: delivers)
        parts.inputs[id] = AssemblyParts.InputEntry(input: input, edges: keys, lanes: lanes, alignment: alignment)
        return input
    }

    private func keys(into index: Int) -> [AssemblyParts.EdgeKey] {
        plan.nodes[index].edges.enumerated().map { edgeKey($1, to: index, $0) }
    }

    /// Returns the properties of a node's edges. Sources are identified by the numbers that they keep while the run lasts.
    private func lanes(of index: Int) -> [LaneTraits] {
        lineage.lanes(of: index, plan).map { lane in
            var lane = lane
            lane.sources = Set(lane.sources.map { number(of: $0) })
            return lane
        }
    }

    private func input(
        _ id: String, _ index: Int, _ join: Join, _ waker: Waker, own: OwnWatermarks?, delivers: Bool
    ) -> TaskInput {
        // A replayed run takes only what its tape contains.
        guard case .replay(let items) = monitor.options.tape else {
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
        guard watermarks == .explicit else {
            return MergeByTime(
                edges, lanes: lanes(of: index), maxStreams: plan.maxStreams, place: node.id,
                monitor: monitor)
        }
        let clocks = clocks(at: index)
        return MergeByStream(
            edges, StreamMerge(lanes: lanes(of: index), maxStreams: plan.maxStreams, brings: clocks.brings),
            clocks: clocks)
    }

    private func alignedJoin<S: AlignedStage>(of stage: S, _ index: Int, _ waker: Waker) throws -> Join {
        let typed = try edges[index].map { edge in
            guard let edge, edge.store.carries(S.Element.self) else {
                throw PipelineError.mistypedEdge(plan.nodes[index].id)
            }
            return edge
        }
        let counts = part(\.alignments, plan.nodes[index].id) { AlignmentMetrics() }
        return AlignedJoin(
            AlignmentState<S.Element>(
                stage.alignment, lanes: typed.count, watermarks: watermarks, maxStreams: plan.maxStreams),
            edges: typed, traits: lanes(of: index), clocks: clocks(at: index), metrics: counts,
            waker: waker)
    }

    private func clocks(at index: Int) -> SourceClocks {
        SourceClocks(
            requests: timeRequests(at: index, asker: 2 * number(of: index) + 1), place: plan.nodes[index].id,
            monitor: monitor)
    }
}
