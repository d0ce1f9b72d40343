extension Assembly {
    /// The parts that a segment and its workers have in common.
    private struct Segment {
        /// The stages, first to last, with the indices of their nodes.
        var stages: [(stage: any Stage, node: Int)] = []
        var traits = SegmentBody.Traits()
        /// The number of microseconds by which the output of the last stage may be earlier than the frame being processed.
        var stampsEarlier: Int64 = 0
        var serviceTime: Int64 = 0
        /// The outlets of the segment: the error outlets of the stages that route failures, and last the outlet for the output.
        var outlets: [any AnyOutlet] = []
        var errors: [Int: EdgeOutlet] = [:]
        /// The link that receives the last stage's frames, and the object behind it.
        var end: (link: AnyLink, held: AnyObject)
    }

    func makeSegment<S: Stage>(_ first: S, _ index: Int, _ waker: Waker) throws {
        let node = plan.nodes[index]
        let signal = OutletSignal()
        let segment = try segment(from: index, signal)
        var requests: WakeRequests?
        if let timer = monitor.timer {
            requests = WakeRequests(
                time: timeRequests(at: index, asker: index),
                own: node.edges.contains { lineage.isRenamed[$0.from] } ? OwnBounds() : nil, waker: waker, timer: timer)
        }
        let input = try input(of: first, index, waker, own: requests?.own)
        let front = try body(segment, taking: S.Input.self, input.store, requests)
        guard let count = node.workers, count > 1 else {
            tasks.append(
                SegmentTask(
                    name: node.id, input: input, body: front, outlets: segment.outlets, signal: signal, waker: waker,
                    serviceTime: segment.serviceTime))
            return
        }
        let workers = try (0..<count).map { _ in
            let buffers = segment.outlets.map { $0.makeBuffer() }
            let body = try body(segment, taking: S.Input.self, input.store, requests, into: buffers)
            return SegmentWorker(
                name: node.id, body: body, buffers: buffers, owner: waker, serviceTime: segment.serviceTime)
        }
        // Frames that were taken from an edge that drops can no longer be dropped, and in a live run waiting frames become old. In
        // both cases, only a few frames may wait for the workers.
        let waits = node.edges.allSatisfy { $0.policy.onFull == .wait }
        let isLive = plan.mode == .live
        let limits = SharedSegmentTask.Limits(
            frames: count * (!waits ? 1 : isLive ? 4 : 256), framesOfJob: isLive ? 1 : 16, maxStreams: plan.maxStreams)
        tasks.append(
            SharedSegmentTask(
                name: node.id, input: input, front: front, outlets: segment.outlets, signal: signal, workers: workers,
                waker: waker, limits: limits))
        tasks += workers
    }

    /// Collects the stages that call each other directly, and creates their outlets.
    private func segment(from index: Int, _ signal: OutletSignal) throws -> Segment {
        var stages: [(stage: any Stage, node: Int)] = []
        var outlets: [any AnyOutlet] = []
        var errors: [Int: EdgeOutlet] = [:]
        var traits = SegmentBody.Traits(holdsSlots: lineage.isBehindSlots[index])
        var (stampsEarlier, serviceTime): (Int64, Int64) = (0, 0)
        var end: (link: AnyLink, held: AnyObject)?
        var current: Int? = index
        while let at = current, end == nil {
            serviceTime += serviceTimes[plan.nodes[at].id] ?? 0
            switch plan.nodes[at].body {
            case .stage(let stage):
                if let last = stages.last { fused.append((plan.nodes[last.node].id, plan.nodes[at].id)) }
                stages.append((stage, at))
                traits.renamesStreams = traits.renamesStreams || stage.renamesStreams
                stampsEarlier = max(0, stage.stampsEarlierByUs)
                errors[at] = try makeErrorOutlet(at, signal)
                if let outlet = errors[at] { outlets.append(outlet) }
            case .sink(let sink):
                let (node, link) = fuse(sink, at, behind: stages.last?.node ?? index)
                outlets.append(node)
                end = (link, node)
            case .source, .asyncStage: throw PipelineError.mistypedEdge(plan.nodes[at].id)
            }
            current = directConsumer(at)
        }
        let last = stages.last?.node ?? index
        if end == nil, let payload = plan.nodes[last].output?.payload {
            let outlet = try makeOutlet(last, .output, as: payload, signal)
            outlets.append(outlet)
            end = (outlet.link, outlet)
        }
        guard let end else { throw PipelineError.mistypedEdge(plan.nodes[last].id) }
        return Segment(
            stages: stages, traits: traits, stampsEarlier: stampsEarlier, serviceTime: serviceTime, outlets: outlets,
            errors: errors, end: end)
    }

    /// Creates the body of a segment, or of one of its workers.
    ///
    /// - Parameter buffers: For a worker, the buffers for its output, one for each outlet.
    private func body(
        _ segment: Segment, taking payload: any Payload.Type, _ store: FrameStore, _ requests: WakeRequests?,
        into buffers: [OutletBuffer]? = nil
    ) throws -> SegmentBody {
        let context = SegmentContext(monitor: monitor, isExplicit: isExplicit, keepsReports: buffers != nil)
        context.wakeRequests = requests
        context.stampsEarlier = segment.stampsEarlier
        func metrics(of node: Int) -> NodeMetrics {
            buffers == nil ? self.metrics[node] : self.metrics[node].makeWorker()
        }
        let head = metrics(of: segment.stages.first?.node ?? 0)
        let slots = segment.stages.enumerated().map { place, entry in
            let node = entry.node
            let outlet = segment.errors[node]
            let buffer = outlet.flatMap { outlet in
                buffers?[segment.outlets.firstIndex { $0 === outlet } ?? 0]
            }
            return StageSlot(
                stage: connected(entry.stage, node, isWorker: buffers != nil, context),
                metrics: place == 0 ? head : metrics(of: node), policy: plan.nodes[node].onError,
                errors: buffer.map { ErrorEnd($0.link, held: $0) } ?? outlet.map(ErrorEnd.init), context: context)
        }
        let end = buffers?.last.map { ($0.link, $0 as AnyObject) } ?? segment.end
        for (slot, above) in zip(slots.dropFirst(), segment.stages) { slot.watched = monitor.watch?.points[above.node] }
        var link = end.0
        if let last = segment.stages.last?.node, let made = plan.nodes[last].output?.payload {
            link = watched(link, of: last, as: made)
        }
        let chain = try Chain(slots, taking: payload, end: link, held: end.1)
        return SegmentBody(
            StreamChains(
                chain, taking: payload, context: context, maxStreams: buffers == nil ? plan.maxStreams : .max),
            outlets: buffers ?? segment.outlets, segment.traits, head: head, store: store, context: context)
    }

    /// Returns a stage that is ready to be copied. A stage that runs a nested chain is connected to a host.
    private func connected(
        _ stage: any Stage, _ index: Int, isWorker: Bool, _ context: SegmentContext
    ) -> any Stage {
        guard var nesting = stage as? any NestingStage else { return stage }
        let account = chains[index] ?? ChainAccount(nesting.chain, of: plan.nodes[index])
        chains[index] = account
        nesting.connect(ChainHost(nesting.chain, isWorker ? account.makeWorker() : account, context: context))
        return nesting
    }
}
