extension Assembly {
    /// Whether a source has brought a stream of a name: known in live runs only.
    private var brings: ((_ source: Int, StreamID) -> Bool)? {
        guard !liveTimes.isEmpty else { return nil }
        return { [liveTimes] source, stream in liveTimes[source]?.hasBrought(stream) ?? false }
    }

    /// Asks all sources that a node stands behind for their time, under a number of its own.
    func timeRequests(at index: Int, asker: Int) -> TimeRequests {
        TimeRequests(
            sources: lineage.sources[index].sorted().compactMap { liveTimes[$0] }, asker: asker,
            slack: lineage.slack[index])
    }

    func input<P: Payload>(
        _ index: Int, of payload: P.Type, _ waker: Waker, own: OwnBounds? = nil, delivers: Bool = false
    ) throws -> MergedInput {
        let typed = try edges[index].map { edge in
            guard let edge, edge.carries(P.self) else { throw PipelineError.mistypedEdge(plan.nodes[index].id) }
            return edge
        }
        var byStream: StreamMerge<FrameCell>?
        var byTime: TimeMerge<FrameCell>?
        if typed.count > 1, !isExplicit {
            byTime = TimeMerge(
                lanes: lineage.lanes(of: index, plan), maxStreams: plan.maxStreams)
        } else if typed.count > 1 {
            byStream = StreamMerge(
                lanes: plan.nodes[index].edges.map {
                    .init(
                        sources: lineage.sources[$0.from], isRenamed: lineage.isRenamed[$0.from],
                        isLimited: lineage.holdsSlots($0))
                },
                brings: brings)
        }
        return MergedInput(
            edges: typed, waker: waker, place: plan.nodes[index].id, monitor: monitor, byTime: byTime,
            byStream: byStream, isBehindRenaming: plan.nodes[index].edges.contains { lineage.renames[$0.from] },
            own: own,
            askers: byStream == nil ? TimeRequests() : timeRequests(at: index, asker: index + plan.nodes.count),
            delivers: delivers, taped: taped(index))
    }

    /// The input of a stage: aligned when the stage asks for sets and its edges do not bring such.
    func input<S: Stage>(
        of stage: S, _ index: Int, _ waker: Waker, own: OwnBounds?
    ) throws -> MergedInput {
        guard let aligned = stage as? any AlignedStage,
            !edges[index].allSatisfy({ $0?.carries(S.Input.self) ?? false })
        else { return try input(index, of: S.Input.self, waker, own: own) }
        let input = try alignedInput(of: aligned, index, waker)
        return MergedInput(
            edges: [], aligned: input, waker: waker, place: plan.nodes[index].id,
            monitor: monitor, own: own, askers: timeRequests(at: index, asker: index + plan.nodes.count),
            taped: taped(index, input))
    }

    /// What stands for a task's input while a run is run again.
    private func taped(_ index: Int, _ aligned: AnyAlignedInput? = nil) -> TapedInput? {
        guard case .replay(let items) = monitor.tape else { return nil }
        return TapedInput(items(plan.nodes[index].id), edges: edges[index].compactMap(\.self), aligned: aligned)
    }

    private func alignedInput<S: AlignedStage>(of stage: S, _ index: Int, _ waker: Waker) throws -> AnyAlignedInput {
        let typed = try edges[index].map { edge in
            guard let edge, let store = edge.store(for: S.Element.self) else {
                throw PipelineError.mistypedEdge(plan.nodes[index].id)
            }
            return (edge, store)
        }
        let counts = AlignmentMetrics()
        alignments[index] = counts
        return AlignedInput(
            stage.alignment, edges: typed, lanes: lineage.lanes(of: index, plan), isRanked: !isExplicit,
            brings: brings, maxStreams: plan.maxStreams, metrics: counts, waker: waker, place: plan.nodes[index].id,
            monitor: monitor)
    }
}
