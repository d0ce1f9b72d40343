import Synchronization

extension Run {
    /// Continues the run with another plan.
    ///
    /// The sources are held between two reads, and everything that they have read is processed. Then the new plan takes over.
    /// Nodes in `kept` continue with the state of their streams, their open sockets and files, and the frames that their joins
    /// hold. All other nodes of the old plan finish their streams first, and their last output passes through the old plan, so
    /// that no frame is lost. Nodes with the same `id` in both plans keep their counters.
    ///
    /// New sources and sinks are opened before the run is held. If one cannot be opened, if the run does not come to rest within
    /// five seconds, or if a sink or an asynchronous stage in `kept` has ended and would get frames again, the run continues with
    /// the old plan.
    ///
    /// - Parameters:
    ///   - plan: The new plan. Its rules for the whole run (`mode`, `maxStreams`, lateness, …) must be the same as in the old
    ///     plan.
    ///   - kept: The `id`s of the nodes whose configuration did not change.
    /// - Returns: The differences between the two plans.
    /// - Throws: A configuration error if the run cannot continue with this plan, or the error of a component that cannot be
    ///   opened. In both cases, the run continues with the old plan.
    @discardableResult
    public func reload(_ plan: Plan, keeping kept: Set<String>) async throws -> PlanChange {
        try plan.check()
        if phase == .opening { await opened.wait() }
        let (old, change) = try beginReload(plan, kept)
        defer { endHold() }
        let next = try Assembly(
            plan, monitor: monitor, options: options, continuing: Continuation(assembly: old, kept: change.kept))
        do {
            try await open(next)
        } catch {
            keepWakers(of: old)
            throw error
        }
        let isAtRest = await comesToRest(old)
        if let refusal = isAtRest ? next.refusal : .busy(unrested(old)) {
            await closeNew(next)
            keepWakers(of: old)
            release(old)
            try checkThatItRuns()
            throw refusal
        }
        await replace(old, by: next)
        release(next)
        return change
    }

    // MARK: Before

    /// Throws a configuration error if the run is draining or has ended, and thus cannot be reloaded any more.
    package func checkThatItRuns() throws {
        let phase = phase
        guard phase == .opening || phase == .running, !monitor.isCancelled else {
            throw PipelineError.notRunning(phase)
        }
    }

    /// Checks whether the run can continue with a plan, and prevents other reloads and commit points until ``endHold()``.
    private func beginReload(_ plan: Plan, _ kept: Set<String>) throws -> (Assembly, PlanChange) {
        let phase = phase
        return try state.withLock { state in
            guard phase == .running, !state.isHeld, let old = state.assembly else {
                throw PipelineError.notRunning(phase)
            }
            guard monitor.options.tape == nil else {
                throw PipelineError(
                    .configuration, "reload.recorded", "a run that is recorded keeps its configuration",
                    help: "run it without --record, or start it again")
            }
            guard state.readers.isEmpty, !old.plan.nodes.contains(where: { $0.source?.isCalled ?? false }) else {
                throw PipelineError(
                    .configuration, "reload.called",
                    "a run keeps its configuration if a program passes frames to it or reads its results",
                    help: "start another run")
            }
            let change = try PlanChange(from: old.plan, to: plan, keeping: kept)
            state.isHeld = true
            return (old, change)
        }
    }

    /// Ends a reload or a commit point. If all tasks have ended meanwhile, ends the run.
    func endHold() {
        let hasEnded = state.withLock { state in
            state.isHeld = false
            return state.running.isEmpty
        }
        if hasEnded { finish() }
    }

    private func keepWakers(of assembly: Assembly) {
        let wakers = Set(assembly.parts.wakers.values.map { ObjectIdentifier($0) })
        monitor.keepWakers { wakers.contains(ObjectIdentifier($0)) }
    }

    // MARK: Open and close

    /// Returns the sources, sinks and asynchronous stages of an assembly that do not continue from the previous one.
    private func newComponents(of assembly: Assembly) -> [any RunTask] {
        let known = assembly.before?.assembly.tasks ?? []
        return assembly.tasks.filter { task in
            !assembly.continued.contains(task.name) && !known.contains { $0 === task }
        }
    }

    private func open(_ assembly: Assembly) async throws {
        for task in newComponents(of: assembly) {
            do {
                try await on(task) { try await $0.open() }
            } catch {
                await closeNew(assembly)
                throw error
            }
        }
    }

    private func closeNew(_ assembly: Assembly) async {
        for task in newComponents(of: assembly) { try? await on(task) { await $0.close() } }
        // The tasks that were to continue the nodes of the old plan have threads, too.
        assembly.stopNewThreads()
    }

    /// Calls `body` on the executor of a task.
    private func on(_ task: any RunTask, _ body: @escaping @Sendable (any RunTask) async throws -> Void) async throws {
        try await Task(executorPreference: options.clock.executor ?? task.executor) { try await body(task) }.value
    }

    // MARK: Rest

    /// The names of the tasks that a held run waits for.
    private func unrested(_ assembly: Assembly) -> [String] {
        let sources = Set(assembly.parts.sources.keys)
        return awaited.filter { !sources.contains($0) }
    }

    /// Holds the sources and waits, for at most five seconds, until everything that they have read is processed.
    ///
    /// - Returns: Whether the run is at rest, and frozen until ``release(_:)``. If not, the run is ending, or is busy.
    func comesToRest(_ old: Assembly) async -> Bool {
        // Sinks that are called directly close when all tasks that call them have ended. They must stay open while the run is held,
        // also if all of these tasks end because others replace them.
        let isEnding = state.withLock { state in
            state.keepsSinksOpen = state.gate?.addCaller() ?? false
            return !state.keepsSinksOpen
        }
        if isEnding { return false }
        monitor.hold()
        // Remove all limits, because a task that waits for room cannot handle a request.
        for entry in old.parts.edges.values { entry.edge.takeEverything(true) }
        // Measure real time, because simulated time would jump to the end at once.
        let limit = Task { [monitor] in
            try await Task.sleep(for: .seconds(5))
            monitor.timeOutRest()
        }
        defer { limit.cancel() }
        return await monitor.rest()
    }

    func release(_ assembly: Assembly) {
        for entry in assembly.parts.edges.values { entry.edge.takeEverything(false) }
        monitor.release()
        let gate = state.withLock { state in
            defer { state.keepsSinksOpen = false }
            return state.keepsSinksOpen ? state.gate : nil
        }
        gate?.callerEnded()
    }

    // MARK: Replace

    /// Replaces one assembly with another. The run must be frozen.
    private func replace(_ old: Assembly, by next: Assembly) async {
        let begun = next.tasks.filter { task in task.kind == .source && !old.tasks.contains { $0 === task } }
        monitor.taskBegan(begun.count, sources: begun.count)
        await endSources(of: old, missingIn: next)
        for request in flushes(of: old, for: next) {
            request.input.ask(request.what)
            monitor.thaw()
            guard await monitor.rest() else { break }
        }
        // Before the ledger of the old plan is taken: a sink may write all that it holds only now.
        let isFrozen = monitor.isFrozen
        if isFrozen { await closeRemoved(of: old, missingIn: next) }
        next.adopt()
        let handles = retire(old, next)
        monitor.thaw()
        for handle in handles { await handle.value }
        keepWakers(of: next)
        // If the run was canceled, the old tasks have ended only now.
        if !isFrozen { await closeRemoved(of: old, missingIn: next) }
        start(next, after: old)
        // Wait until every new task waits at its input, before frames arrive.
        _ = await monitor.rest()
    }

    /// Ends the sources that do not continue, and all of their streams.
    private func endSources(of old: Assembly, missingIn next: Assembly) async {
        let ended = old.tasks.filter { task in task.kind == .source && !next.tasks.contains { $0 === task } }
        guard !ended.isEmpty else { return }
        let handles = state.withLock { state in
            state.running.values.filter { running in ended.contains { $0 === running.task } }.compactMap(\.handle)
        }
        for case let source as any ReloadableSource in ended { source.retire() }
        for handle in handles { handle.cancel() }
        monitor.thaw()
        for handle in handles { await handle.value }
        _ = await monitor.rest()
    }

    /// Returns the requests to the old tasks, in the order of the graph, to release the joins and to finish the stages that do not
    /// continue.
    private func flushes(of old: Assembly, for next: Assembly) -> [(input: TaskInput, what: TaskRequest)] {
        old.plan.nodes.compactMap { node in
            guard let entry = old.parts.inputs[node.id] else { return nil }
            let isLost = next.parts.inputs[node.id]?.input.join !== entry.input.join
            let stages =
                old.parts.segments[node.id]?.nodes.enumerated().filter { !next.continues($1) }.map(\.offset) ?? []
            guard isLost || !stages.isEmpty else { return nil }
            return (entry.input, .flush(join: isLost, stages: stages))
        }
    }

    /// Ends all old tasks except the sources. Returns the handles to wait for.
    private func retire(_ old: Assembly, _ next: Assembly) -> [Task<Void, Never>] {
        for entry in old.parts.inputs.values { entry.input.ask(.retire) }
        return state.withLock { state in
            state.assembly = next
            state.plan = next.plan
            var handles: [Task<Void, Never>] = []
            for (number, running) in state.running.sorted(by: { $0.key < $1.key })
            where running.task.kind != .source && running.task.kind != .fusedSink {
                state.running[number]?.isRetired = true
                if let handle = running.handle { handles.append(handle) }
            }
            return handles
        }
    }

    /// Closes the sinks and asynchronous stages that do not continue. Their tasks must be frozen, or have ended.
    private func closeRemoved(of old: Assembly, missingIn next: Assembly) async {
        for task in old.tasks where task.kind != .source && !next.continued.contains(task.name) { await task.close() }
    }

    /// Starts the tasks that the new assembly adds.
    private func start(_ next: Assembly, after old: Assembly) {
        let tasks = next.tasks.filter { task in
            if task.kind == .fusedSink, next.continued.contains(task.name) {
                return !old.tasks.contains { $0.kind == .fusedSink && $0.name == task.name }
            }
            return !old.tasks.contains { $0 === task }
        }
        let gate = state.withLock { $0.gate }
        gate?.addCallers(tasks.count(where: \.kind.isOnItsOwn))
        // The new sources are already counted.
        monitor.taskBegan(tasks.count { $0.kind.isOnItsOwn && $0.kind != .source }, sources: 0)
        launch(tasks) { [self] task in
            await task.run()
            await close(task, gate)
        }
    }
}

extension Assembly {
    /// The error if a component that continues was closed, because everything that it read had ended, and would get frames again.
    /// The run must be frozen.
    fileprivate var refusal: PipelineError? {
        let closed = before?.assembly.tasks.first { task in
            continued.contains(task.name) && !task.isOpen && hasInput(task.name)
        }
        return closed.map { task in
            PipelineError(
                .configuration, "reload.ended",
                "\"\(task.name)\" has ended, because everything that it read had ended, and cannot get frames again",
                help: "give it another id, so that it counts as a new component, or start the run again")
        }
    }

    /// Returns whether a source before a node has not ended.
    private func hasInput(_ id: String) -> Bool {
        guard let index = plan.nodes.firstIndex(where: { $0.id == id }) else { return false }
        return lineage.sources[index].contains { parts.sources[plan.nodes[$0].id]?.hasEnded == false }
    }
}

extension PipelineError {
    /// - Parameter names: The tasks that the run waits for.
    fileprivate static func busy(_ names: [String]) -> PipelineError {
        let waiting = names.isEmpty ? "" : ", still waiting for \(names.joined(separator: ", "))"
        return PipelineError(
            .environment, "reload.busy", "the run did not come to rest within 5 s\(waiting); it continues unchanged",
            help: "a component takes long for one frame, or a sink cannot write; try again when it has caught up")
    }

    fileprivate static func notRunning(_ phase: RunPhase) -> PipelineError {
        PipelineError(
            .configuration, "reload.not_running", "the run is \(phase), or is being reloaded",
            help: "reload it while it runs")
    }
}
