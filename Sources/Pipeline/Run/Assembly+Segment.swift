extension Assembly {
    /// The parts that a segment and its workers have in common.
    private struct Segment {
        /// The stages, first to last, with the indices of their nodes.
        var stages: [(stage: any Stage, node: Int)] = []
        var traits = SegmentBody.Traits()
        /// The number of microseconds by which the output of the last stage may be earlier than the frame being processed.
        var stampsEarlier: Int64 = 0
        /// The index of the sink that the last stage calls, if any.
        var sink: Int?
        /// The outlets of the segment: the error outlets of the stages that route failures, and last the outlet for the output.
        var outlets: [any AnyOutlet] = []
        /// The error outlets, by the indices of their nodes.
        var errors: [Int: EdgeOutlet] = [:]
        /// The link that receives the last stage's frames, and the object behind it.
        var end: (link: AnyLink, held: AnyObject)
    }

    /// Creates the task of the segment that begins with a stage, and the tasks of its workers, if any.
    func makeSegment<S: Stage>(_ first: S, _ index: Int, _ waker: Waker) throws {
        let node = plan.nodes[index]
        let signal = OutletSignal()
        let segment = try segment(from: index, signal)
        let requests: WakeRequests?
        if let timer = monitor.timer {
            requests = WakeRequests(
                time: timeRequests(at: index, asker: 2 * number(of: index)), own: ownBounds(at: index), waker: waker,
                timer: timer)
        } else {
            requests = nil
        }
        let input = try input(of: first, index, waker, own: requests?.own)
        let front = try body(segment, taking: S.Input.self, input.store, requests)
        let names = segment.stages.map { plan.nodes[$0.node].id }
        let (count, isSimulated) = (node.workers ?? 1, takesTime(segment))
        // A worker holds back the output of a frame until its simulated service time is over.
        guard count > 1 || isSimulated else {
            tasks.append(
                SegmentTask(
                    name: node.id, input: input, body: front, outlets: segment.outlets, signal: signal, waker: waker))
            parts.segments[node.id] = AssemblyParts.SegmentEntry(nodes: names, bodies: [front])
            return onAdoption { [unowned self] in
                requests?.own?.cancelAll()
                adoptStages(of: node.id)
            }
        }
        let workers = try (0..<count).map { number in
            let buffers = segment.outlets.map { $0.makeBuffer() }
            let body = try body(segment, taking: S.Input.self, input.store, requests, into: (number, buffers))
            return SegmentWorker(
                name: node.id, body: body, buffers: buffers, owner: waker, service: service(of: segment, number))
        }
        // Frames that were taken from an edge that drops can no longer be dropped, and in a live run, waiting frames become old.
        // Therefore, only few frames may wait for the workers in both cases.
        let waits = node.edges.allSatisfy { $0.policy.onFull == .wait }
        let isLive = plan.mode == .live
        let limits = SharedSegmentTask.Limits(
            frames: count * (!waits || count == 1 ? 1 : isLive ? 4 : 256), mayWait: waits,
            framesOfJob: isLive || isSimulated ? 1 : 16, maxStreams: plan.maxStreams)
        let task = SharedSegmentTask(
            input: input, front: front, outlets: segment.outlets, signal: signal, workers: workers, waker: waker,
            limits: limits)
        tasks.append(task)
        tasks += workers
        parts.segments[node.id] = AssemblyParts.SegmentEntry(
            nodes: names, bodies: workers.map(\.body), shared: task)
        onAdoption { [unowned self] in
            requests?.own?.cancelAll()
            adoptStages(of: node.id)
        }
    }

    /// Returns the watermarks that a task creates itself; `nil` if no stage upstream renames streams.
    private func ownBounds(at index: Int) -> OwnWatermarks? {
        let node = plan.nodes[index]
        guard node.edges.contains(where: { lineage.isRenamed[$0.from] }) else { return nil }
        return part(\.ownBounds, node.id) { OwnWatermarks() }
    }

    /// Collects the stages that call each other directly, and creates their outlets.
    private func segment(from index: Int, _ signal: OutletSignal) throws -> Segment {
        var stages: [(stage: any Stage, node: Int)] = []
        var outlets: [any AnyOutlet] = []
        var errors: [Int: EdgeOutlet] = [:]
        var traits = SegmentBody.Traits(receivesCountedFrames: lineage.receivesCountedFrames[index])
        var (stampsEarlier, called) = (Int64(0), Int?.none)
        var end: (link: AnyLink, held: AnyObject)?
        var current: Int? = index
        while let at = current, end == nil {
            switch plan.nodes[at].body {
            case .stage(let stage):
                if let last = stages.last { noteCall(last.node, at) }
                stages.append((stage, at))
                traits.renamesStreams = traits.renamesStreams || stage.renamesStreams
                stampsEarlier = max(0, stage.stampsEarlierByUs)
                errors[at] = try makeErrorOutlet(at, signal)
                if let outlet = errors[at] { outlets.append(outlet) }
            case .sink(let sink):
                let (node, link) = fuse(sink, at, behind: stages.last?.node ?? index)
                outlets.append(node)
                (end, called) = ((link, node), at)
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
            stages: stages, traits: traits, stampsEarlier: stampsEarlier, sink: called, outlets: outlets,
            errors: errors, end: end)
    }

    /// Returns whether a service time of any of a segment's nodes is simulated.
    private func takesTime(_ segment: Segment) -> Bool {
        (segment.stages.map(\.node) + [segment.sink].compactMap(\.self)).contains { !service(of: $0).isZero }
    }

    /// Returns the service times of a segment's nodes for one of its workers; `nil` if they take no time.
    private func service(of segment: Segment, _ worker: Int) -> SegmentService? {
        guard takesTime(segment), let last = segment.stages.last?.node else { return nil }
        var service = SegmentService(node: segment.sink ?? last)
        for (_, node) in segment.stages {
            let metrics = metrics[node].worker(worker)
            service.add(metrics, self.service(of: node).nanoseconds) { metrics.received.value }
        }
        if let sink = segment.sink {
            let caller = metrics[last].worker(worker)
            service.add(metrics[sink], self.service(of: sink).nanoseconds) { caller.emitted.value }
        }
        return service
    }

    /// Creates the body of a segment, or of one of its workers.
    ///
    /// - Parameter worker: For a worker, its number and the buffers for its output, one for each outlet.
    private func body(
        _ segment: Segment, taking payload: any Payload.Type, _ store: FrameStore, _ requests: WakeRequests?,
        into worker: (number: Int, buffers: [OutletBuffer])? = nil
    ) throws -> SegmentBody {
        let (first, buffers) = (segment.stages.first?.node ?? 0, worker?.buffers)
        let context =
            context(of: first, worker?.number, segment.stampsEarlier)
            ?? SegmentContext(monitor: monitor, watermarks: watermarks, keepsReports: worker != nil)
        context.stampsEarlier = segment.stampsEarlier
        // In a reload, wait until the old stages have stopped.
        if before == nil { context.wakeRequests = requests } else { onAdoption { context.wakeRequests = requests } }
        let slots = segment.stages.map { entry in
            let node = entry.node
            let outlet = segment.errors[node]
            let buffer = outlet.flatMap { outlet in
                buffers?[segment.outlets.firstIndex { $0 === outlet } ?? 0]
            }
            let account = NodeAccount(
                metrics: worker.map { metrics[node].worker($0.number) } ?? metrics[node],
                policy: plan.nodes[node].onError, monitor: monitor,
                errors: buffer.map { ErrorEnd($0.link, held: $0) } ?? outlet.map(ErrorEnd.init))
            return StageSlot(connected(entry.stage, node, worker?.number, context), account, context: context)
        }
        let end = buffers?.last.map { ($0.link, $0 as AnyObject) } ?? segment.end
        for (slot, entry) in zip(slots, segment.stages) where plan.hasCommits {
            let id = plan.nodes[entry.node].id
            // All workers of a stage share these records, also after a reload.
            if entry.stage.renamesStreams { slot.names = part(\.names, id) { RenamedStreams() } }
            slot.causes = part(\.causes, id) { OutputCauses() }
        }
        for (slot, above) in zip(slots.dropFirst(), segment.stages) { slot.watched = watchPoint(of: above.node) }
        var link = end.0
        if let last = segment.stages.last?.node, let made = plan.nodes[last].output?.payload {
            link = watched(link, of: last, as: made)
        }
        let chain = try Chain(slots, taking: payload, end: link, held: end.1)
        return SegmentBody(
            StreamChains(
                chain, taking: payload, context: context, maxStreams: buffers == nil ? plan.maxStreams : .max),
            outlets: buffers ?? segment.outlets, segment.traits, head: slots[0].account, store: store, context: context)
    }

    /// Returns the context of the same segment in the previous assembly, if the context can be reused. Nested chains that continue
    /// refer to this context.
    private func context(of first: Int, _ worker: Int?, _ stampsEarlier: Int64) -> SegmentContext? {
        let node = plan.nodes[first]
        guard let known = before?.parts.segments[node.id], (known.shared == nil) == (worker == nil),
            known.bodies.count == (worker == nil ? 1 : node.workers ?? 1)
        else { return nil }
        let context = known.bodies[worker ?? 0].context
        return context.stampsEarlier == stampsEarlier && context.watermarks == watermarks ? context : nil
    }

    /// Returns a stage that is ready to be copied. A stage that runs a nested chain is connected to a host.
    private func connected(
        _ stage: any Stage, _ index: Int, _ worker: Int?, _ context: SegmentContext
    ) -> any Stage {
        guard var nesting = stage as? any NestingStage else { return stage }
        let chainMetrics = part(\.chains, plan.nodes[index].id, isKept: isKept(index)) {
            ChainMetrics(nesting.chain, of: plan.nodes[index])
        }
        nesting.connect(
            ChainHost(nesting.chain, worker.map { chainMetrics.worker($0) } ?? chainMetrics, context: context))
        return nesting
    }
}
