/// The tasks of sources, asynchronous stages and sinks.
extension Assembly {
    /// Creates the task that begins with a node.
    func makeTask(_ index: Int) throws {
        guard let waker = wakers[index] else { return }
        switch plan.nodes[index].body {
        case .source(let source, let rules): try makeSourceTask(source, rules, index, waker)
        case .stage(let stage): try makeSegment(stage, index, waker)
        case .asyncStage(let stage): try makeAsyncStageTask(stage, index, waker)
        case .sink(let sink): try makeSinkTask(sink, index, waker)
        }
    }

    private func taskContext(_ index: Int, _ waker: Waker, _ errors: EdgeOutlet? = nil) -> TaskContext {
        TaskContext(
            account: account(index, errors: errors.map(ErrorEnd.init)), waker: waker, watermarks: watermarks,
            maxStreams: plan.maxStreams, service: service(of: index))
    }

    /// Returns the time that a node takes for a frame in a simulation.
    func service(of index: Int) -> SimulatedWork {
        SimulatedWork(nanoseconds: serviceTimes[plan.nodes[index].id] ?? 0, node: index)
    }

    private func account(_ index: Int, errors: ErrorEnd? = nil) -> NodeAccount {
        NodeAccount(metrics: metrics[index], policy: plan.nodes[index].onError, monitor: monitor, errors: errors)
    }

    private func makeSourceTask<S: Source>(_ source: S, _ rules: SourceRules, _ index: Int, _ waker: Waker) throws {
        var outlets: [any AnyOutlet] = []
        let signal = OutletSignal()
        let errors = try makeErrorOutlet(index, signal)
        if let errors { outlets.append(errors) }
        let link: AnyLink
        if let next = directConsumer(index), case .sink(let sink) = plan.nodes[next].body {
            let (node, end) = fuse(sink, next, behind: index)
            outlets.append(node)
            link = end
        } else {
            let outlet = try makeOutlet(index, .output, as: S.Output.self, signal)
            outlets.append(outlet)
            link = outlet.link
        }
        guard link.carries(S.Output.self) else { throw PipelineError.mistypedEdge(plan.nodes[index].id) }
        let node = plan.nodes[index]
        let route = OutputRoute(
            next: watched(link, of: index, as: S.Output.self), outlets: outlets, signal: signal)
        let reading = part(\.progress, node.id) { Progress() }
        progress.append((node.id, reading))
        let announced = (consumers[index] + errorConsumers[index]).compactMap { edges[$0.node][$0.edge] }
        let liveTime = parts.liveTimes[node.id]
        if isKept(index), let known = before?.parts.sources[node.id] {
            tasks.append(known)
            parts.sources[node.id] = known
            return onAdoption {
                known.follow(route, errors.map(ErrorEnd.init))
                liveTime?.connect(announced)
            }
        }
        liveTime?.connect(announced)
        let stop = StopSignal()
        monitor.stop.onRequest { [weak stop] in stop?.request() }
        var context = SourceContext(
            id: node.id, clock: monitor.clock, stop: stop, progress: reading, log: monitor.log.about(node.id),
            counts: metrics[index].counts)
        (context.maxStreams, context.workers, context.commits) = (plan.maxStreams, readers, monitor.commits)
        context.rules = rules
        context.meetsOtherSources = lineage.sources.contains { $0.contains(index) && $0.count > 1 }
        let intake = SourceIntake(
            rules: rules, limit: limit, idleMs: plan.streamIdleMs, liveTime: liveTime, onLate: plan.onLate)
        let task = SourceTask(
            source, taskContext(index, waker, errors), route: route, intake: intake, context: context)
        tasks.append(task)
        parts.sources[node.id] = task
        source.callPort?.connect { task.take(given: $0) }
    }

    private func makeSinkTask<S: Sink>(_ sink: S, _ index: Int, _ waker: Waker) throws {
        let node = plan.nodes[index]
        let known = isKept(index) ? before?.parts.tasks[node.id] as? SinkTask<S> : nil
        let task = SinkTask(
            sinkNode(sink, index), taskContext(index, waker),
            input: try input(index, of: S.Input.self, waker, delivers: true),
            executor: sink.mayBlock ? ThreadExecutor() : nil)
        if let known { onAdoption { task.times = known.times } }
        tasks.append(task)
        parts.tasks[node.id] = task
    }

    private func makeAsyncStageTask<S: AsyncStage>(_ stage: S, _ index: Int, _ waker: Waker) throws {
        let signal = OutletSignal()
        let errors = try makeErrorOutlet(index, signal)
        let outlet = try makeOutlet(index, .output, as: S.Output.self, signal)
        var outlets: [any AnyOutlet] = errors.map { [$0] } ?? []
        outlets.append(outlet)
        let node = plan.nodes[index]
        let known = isKept(index) ? before?.parts.tasks[node.id] as? AsyncStageTask<S> : nil
        let task = AsyncStageTask(
            stage, isOpen: known != nil, taskContext(index, waker, errors),
            input: try input(index, of: S.Input.self, waker),
            route: OutputRoute(
                next: watched(outlet.link, of: index, as: S.Output.self), outlets: outlets, signal: signal),
            mode: plan.mode)
        if let known {
            continued.insert(node.id)
            onAdoption { task.adopt(known) }
        }
        tasks.append(task)
        parts.tasks[node.id] = task
    }

    /// Creates the node of a sink that the node `behind` calls directly. Returns its outlet and its link.
    func fuse(_ sink: any Sink, _ index: Int, behind: Int) -> (any AnyOutlet, AnyLink) {
        noteCall(behind, index)
        return makeSinkNode(sink, index)
    }

    /// Returns the names of the sources upstream of a node.
    private func sources(of index: Int) -> [String] { lineage.sources[index].sorted().map { plan.nodes[$0].id } }

    private func makeSinkNode<S: Sink>(_ sink: S, _ index: Int) -> (any AnyOutlet, AnyLink) {
        let node = sinkNode(sink, index)
        tasks.append(FusedSinkTask(name: plan.nodes[index].id, node: node))
        return (node, node.link)
    }

    /// Returns the node of a sink. If the sink did not change, this is the node of the previous assembly.
    private func sinkNode<S: Sink>(_ sink: S, _ index: Int) -> SinkNode<S> {
        let place = plan.nodes[index]
        let known = isKept(index) ? before?.parts.sinks[place.id] as? SinkNode<S> : nil
        if known != nil { continued.insert(place.id) }
        let node =
            known
            ?? SinkNode(
                sink, account(index), maxStreams: plan.maxStreams, sources: sources(of: index))
        parts.sinks[place.id] = node
        return node
    }
}
