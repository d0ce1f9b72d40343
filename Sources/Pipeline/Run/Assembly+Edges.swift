/// The edges between tasks, and the outlets that lead to them.
extension Assembly {
    /// Creates the edges into a node, or takes them over from the previous assembly.
    func makeEdges(into index: Int) throws {
        for (place, edge) in plan.nodes[index].edges.enumerated() {
            let payload: any Payload.Type =
                edge.port == .errors ? FailedFrame.self : plan.nodes[edge.from].output?.payload ?? FailedFrame.self
            edges[index][place] = makeEdge(payload, edge, from: edge.from, to: index, place)
        }
    }

    private func makeEdge<P: Payload>(
        _ payload: P.Type, _ edge: Plan.Edge, from: Int, to: Int, _ place: Int
    ) -> Edge? {
        guard let producer = wakers[from], let consumer = wakers[to] else { return nil }
        var isSink = false
        if case .sink = plan.nodes[to].body { isSink = true }
        let key = edgeKey(edge, to: to, place)
        let wantsWatermarks = watermarks == .explicit || !isSink || plan.nodes[to].edges.count > 1
        if let known = before?.parts.edges[key], !plan.nodes[from].edges.isEmpty || isKept(from),
            known.policy == edge.policy,
            known.edge.store.carries(P.self), known.edge.wantsWatermarks == wantsWatermarks,
            known.edge.wantsProgress == leadsToJoin[to]
        {
            onAdoption { known.edge.connect(producer: producer, consumer: consumer) }
            note(known, key, from: from)
            return known.edge
        }
        let made = Edge(
            carrying: P.self, from: plan.nodes[from].id + (edge.port == .errors ? ".errors" : ""),
            to: plan.nodes[to].id, policy: monitor.options.tape?.isReplay == true ? EdgePolicy() : edge.policy,
            traits: EdgeTraits(
                wantsWatermarks: wantsWatermarks, wantsProgress: leadsToJoin[to], marksWait: watermarks == .implied,
                isOfLiveSource: plan.mode == .live && plan.nodes[from].edges.isEmpty, maxStreams: plan.maxStreams,
                numbering: monitor.options.tape == nil
                    ? nil : (UInt32(clamping: place), UInt32(clamping: plan.nodes[to].edges.count))),
            wakers: (producer, consumer), monitor: monitor)
        note(AssemblyParts.EdgeEntry(edge: made, policy: edge.policy), key, from: from)
        return made
    }

    /// The identity of an edge.
    func edgeKey(_ edge: Plan.Edge, to: Int, _ place: Int) -> AssemblyParts.EdgeKey {
        let number = plan.nodes[to].edges[..<place].count { $0.from == edge.from && $0.port == edge.port }
        return AssemblyParts.EdgeKey(
            from: plan.nodes[edge.from].id, port: edge.port, to: plan.nodes[to].id, number: number)
    }

    private func note(_ entry: AssemblyParts.EdgeEntry, _ key: AssemblyParts.EdgeKey, from: Int) {
        let (edge, emitted) = (entry.edge, metrics[from])
        parts.edges[key] = entry
        if let before, before.parts.edges[key]?.edge !== edge {
            // The frames that the producer emitted before the reload did not reach the new edge.
            onAdoption { [unowned self] in parts.edges[key]?.emittedBefore = emitted.sum { $0.emitted.value } }
        }
        allEdges.append((key, edge))
    }

    /// Creates the outlet of a node whose output goes to edges.
    func makeOutlet<P: Payload>(_ index: Int, _ port: Plan.Port, as payload: P.Type, _ signal: OutletSignal)
        throws -> EdgeOutlet
    {
        let list = port == .output ? consumers[index] : errorConsumers[index]
        var typed = try list.map { consumer in
            guard let edge = edges[consumer.node][consumer.edge], edge.store.carries(P.self) else {
                throw PipelineError.mistypedEdge(plan.nodes[index].id)
            }
            return edge
        }
        for tap in port == .output ? taps[index] ?? [] : [] {
            guard let producer = wakers[index] else { continue }
            let edge = Edge(
                carrying: P.self, from: plan.nodes[index].id, to: "results", policy: EdgePolicy(),
                traits: EdgeTraits(wantsWatermarks: watermarks == .explicit, isConsumedOutside: true),
                wakers: (producer, tap.waker), monitor: monitor)
            if lineage.receivesCountedFrames[index] { monitor.noteReaders() }
            allEdges.append((nil, edge))
            // A reader may start only after another reader has finished, so the edge must hold all frames until then.
            if mayBeUnread { edge.takeEverything(true) }
            tap.receive(edge)
            typed.append(edge)
        }
        // In a live run, move each result at once, because the stage may take long for the other frames of the batch.
        let isPrompt = plan.mode == .live && plan.nodes[index].body.role != .source
        let outlet = EdgeOutlet(
            carrying: P.self, edges: typed, signal: signal, watermarks: watermarks, isPrompt: isPrompt)
        let key = plan.nodes[index].id + (port == .errors ? ".errors" : "")
        if let known = before?.parts.outlets[key] { onAdoption { outlet.adopt(known) } }
        parts.outlets[key] = outlet
        return outlet
    }

    /// Returns a link on which the output of a node can be watched, if a watch is requested.
    func watched<P: Payload>(_ link: AnyLink, of index: Int, as payload: P.Type) -> AnyLink {
        guard let point = watchPoint(of: index), link.carries(P.self) else { return link }
        let made = WatchedLink<P>(link, point, isOrigin: plan.nodes[index].edges.isEmpty)
        watched.append(made)
        return AnyLink(made)
    }

    /// Returns the point where the output of a node can be watched, if a watch is requested.
    func watchPoint(of index: Int) -> WatchPoint? { monitor.options.watch?.point(of: plan.nodes[index].id) }

    func makeErrorOutlet(_ index: Int, _ signal: OutletSignal) throws -> EdgeOutlet? {
        guard plan.nodes[index].onError == .route, !errorConsumers[index].isEmpty else { return nil }
        return try makeOutlet(index, .errors, as: FailedFrame.self, signal)
    }
}
