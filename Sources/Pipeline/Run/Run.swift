import Synchronization

/// One run of a pipeline.
///
/// ```swift
/// let run = try Run(plan)
/// for try await frame in try run.results(of: "match", as: Recognition.self) { … }
/// let report = await run.finished()
/// ```
///
/// Sources open first, then sinks. No task runs before all of them are open. When all sources have ended, the frames in flight
/// drain, every stage finishes in order, and the sinks are closed.
public final class Run: Sendable {
    /// The options of a run.
    public typealias Options = RunOptions

    struct State {
        var plan: Plan
        var assembly: Assembly?
        /// The readers of results. They retain the run, so they are removed here when the run starts.
        var taps: [Assembly.Tap] = []
        /// The wakers of the readers of results, once the run has started.
        var readers: [Waker] = []
        /// The number of requested results whose readers have not stopped.
        var consumers = 0
        /// Whether any result was read.
        var isRead = false
        /// The tasks that have not ended, by their numbers.
        var running: [Int: RunningTask] = [:]
        var nextNumber = 0
        var gate: OpenGate?
        /// Whether a reload or a commit point holds the run.
        var isHeld = false
        /// Whether the sinks that are called directly stay open because the run is held.
        var keepsSinksOpen = false
        var hasCommitted = false
        var hasStarted = false
        /// Whether all tasks have been created, so that they can be canceled.
        var hasLaunched = false
        var isStopping = false
        var beganAt: Int64 = 0
        var report: RunReport?
        /// The tasks that had not ended when the run was ended by force; empty unless that happened.
        var forced: [String] = []
        /// Whether all components are open.
        var isOpen = false
    }

    let options: Options
    let monitor: RunMonitor
    let state: Lock<State>
    /// Reached when all sources and sinks are open, or the run has ended.
    let opened = Milestone()
    /// Reached when the run has ended and there is a report.
    let over = Milestone()

    /// Creates a run. Nothing is opened yet.
    public init(_ plan: Plan, options: Options = Options()) {
        self.options = options
        monitor = RunMonitor(options, mode: plan.mode)
        state = Lock(State(plan: plan))
        monitor.stop.onRequest { [weak self] in self?.sourcesMustStop() }
        monitor.commits.onReach { [weak self] in try await self?.commit($0) ?? false }
    }

    /// Returns the output of a node as an asynchronous sequence. Call this before the run starts; iterating the sequence starts the
    /// run.
    ///
    /// - Throws: A configuration error if there is no such node, or if its output has another type.
    public func results<P: Payload>(of id: String, as payload: P.Type) throws -> Results<P> {
        try results(ofNode: plan.node(id, making: P.self))
    }

    func results<P: Payload>(ofNode index: Int) throws -> Results<P> {
        let results = Results<P>(run: self, waker: Waker(monitor: nil))
        try state.withLock { state in
            guard !state.hasStarted else {
                throw PipelineError(.configuration, "run.started", "results must be requested before the run starts")
            }
            state.consumers += 1
            state.taps.append(
                Assembly.Tap(node: index, waker: results.waker) { edge in results.connect(edge) })
        }
        return results
    }

    /// Starts the run. Later calls do nothing.
    public func start() { start(readNow: 0) }

    /// Starts the run for a reader of results.
    func startToBeRead() { start(readNow: 1) }

    /// Records that a reader of results has stopped. If no consumer is left, the sources stop.
    func consumerEnded() {
        let isLast = state.withLock { state in
            state.consumers -= 1
            let hasSinks = state.plan.nodes.contains { $0.body.role == .sink }
            return state.consumers == 0 && state.isRead && !hasSinks && state.report == nil
        }
        if isLast { stop() }
    }

    /// - Parameter readers: The number of results that are being read from now on.
    private func start(readNow readers: Int) {
        // The taps may contain the last references to results, which must not be released under the lock.
        let (tasks, failure, taps) = state.withLock { state -> ([any RunTask]?, (any Error)?, [Assembly.Tap]) in
            if readers > 0 { state.isRead = true }
            guard !state.hasStarted else { return (nil, nil, []) }
            state.hasStarted = true
            state.beganAt = options.clock.now
            let taps = state.taps
            state.readers = taps.map(\.waker)
            state.taps = []
            do {
                try state.plan.check()
                let assembly = try Assembly(
                    state.plan, monitor: monitor, options: options, taps: taps, read: readers)
                state.assembly = assembly
                return (assembly.tasks, nil, taps)
            } catch {
                return ([], error, taps)
            }
        }
        defer { withExtendedLifetime(taps) {} }
        if let failure { monitor.fail("engine", PipelineError(wrapping: failure)) }
        guard let tasks else { return }
        // Count only independent tasks. A sink that is called directly waits for its callers, and a worker waits for its segment,
        // but neither is part of a deadlock.
        monitor.taskBegan(tasks.count(where: \.kind.isOnItsOwn), sources: tasks.count { $0.kind == .source })
        guard let executor = options.clock.executor else { return launch(tasks) }
        // All tasks start in one job of the simulation, so that none of them works before the last one has started.
        Task(executorPreference: executor) { [self] in launch(tasks) }
    }

    private func launch(_ tasks: [any RunTask]) {
        let opened = OpenGate(
            sources: tasks.count { $0.kind == .source }, count: tasks.count,
            callers: tasks.count(where: \.kind.isOnItsOwn)
        ) { [weak self, onOpen = options.onOpen] in
            self?.state.withLock { $0.isOpen = true }
            self?.opened.reach()
            onOpen?()
        }
        state.withLock { $0.gate = opened }
        launch(tasks) { [self] in await work($0, opened) }
        if tasks.isEmpty { finish() }
        state.withLock { $0.hasLaunched = true }
        if monitor.stop.isRequested { sourcesMustStop() }
        if let duration = options.durationMs {
            let deadline = options.clock.time(inMs: duration)
            Task(executorPreference: options.clock.executor) { [weak self, clock = options.clock] in
                try? await clock.sleep(until: deadline)
                self?.stop()
            }
        }
    }

    /// For each of the run's tasks, starts a Swift task that calls `body` with it.
    func launch(_ tasks: [any RunTask], _ body: @escaping @Sendable (any RunTask) async -> Void) {
        // Register all tasks before the first one can end.
        let first = state.withLock { state in
            for (number, task) in tasks.enumerated() {
                state.running[state.nextNumber + number] = RunningTask(task: task)
            }
            defer { state.nextNumber += tasks.count }
            return state.nextNumber
        }
        for (place, task) in tasks.enumerated() {
            let thread =
                task.executor ?? (options.usesOwnThreads && options.clock.executor == nil ? ThreadExecutor() : nil)
            // Create the task under the lock, so that its handle is stored before the task can end.
            state.withLock { state in
                state.running[first + place]?.handle = Task(
                    executorPreference: options.clock.executor ?? thread
                ) { [self] in
                    await body(task)
                    thread?.stop()
                    end(first + place)
                }
            }
        }
    }

    private func isRetired(_ task: any RunTask) -> Bool {
        state.withLock { $0.running.values.contains { $0.task === task && $0.isRetired } }
    }

    /// Stops the sources and drains the run, for at most the plan's `shutdownTimeoutMs`.
    public func stop() { monitor.stop.request() }

    /// Ends all tasks immediately. Frames in flight are not processed further.
    public func cancel() {
        monitor.stop.request()
        monitor.cancel.request()
    }

    /// Starts the run if necessary, and waits for its end.
    public func finished() async -> RunReport {
        start()
        await over.wait()
        var report = state.withLock { $0.report } ?? standing
        report.ledger.update(readOutsideFrom: ledger)
        return report
    }

    /// Whether the run is over.
    public var hasEnded: Bool { state.withLock { $0.report != nil } }

    /// The first failure, if any.
    var failure: PipelineError? { monitor.failures.first?.error }

    /// The current ledger.
    public var ledger: Ledger {
        let (assembly, plan) = state.withLock { ($0.assembly, $0.plan) }
        return assembly?.ledger ?? Ledger(of: plan)
    }

    /// A snapshot of the tasks' activity, for detecting whether the run hangs.
    package var pulse: RunPulse {
        assembly?.pulse ?? RunPulse(beats: [], isTimed: false)
    }

    /// The report that the run would have if it were ended by force now.
    package var standing: RunReport {
        let began = state.withLock { $0.beganAt }
        return RunReport(
            ledger: ledger, failures: monitor.failures, notEnded: awaited, violations: [],
            duration: options.clock.now - began)
    }

    /// The measurements that are not part of the ledger; empty before the run has started.
    package var measures: RunMeasures {
        assembly?.measures ?? RunMeasures()
    }

    /// The current phase.
    package var phase: RunPhase {
        let isDraining = monitor.stop.isRequested || monitor.isDraining
        return state.withLock { state in
            guard state.report == nil else { return .ended }
            guard !isDraining else { return .draining }
            return state.isOpen ? .running : .opening
        }
    }

    /// The failures so far, the root cause first.
    package var failures: [RunReport.Failure] { monitor.failures }

    /// The progress of each source, with its `id`. Sources that read a long input update it.
    public var progress: [(id: String, Progress)] { assembly?.progress ?? [] }

    private var assembly: Assembly? { state.withLock { $0.assembly } }

    // MARK: Tasks

    private func work(_ task: any RunTask, _ gate: OpenGate) async {
        let isSource = task.kind == .source
        var mayRun = false
        do {
            if !isSource { await gate.waitForSources() }
            if !gate.hasFailed { try await task.open() }
            mayRun = await gate.arrived(isSource: isSource, failed: false)
        } catch {
            var error = PipelineError(wrapping: error)
            if error.category == .frame { error.category = .environment }
            monitor.fail(task.name, error)
            mayRun = await gate.arrived(isSource: isSource, failed: true)
        }
        if mayRun { await task.run() } else if isSource { monitor.sourceEnded() }
        await close(task, gate)
    }

    /// Closes a task that has ended, unless another task continues with its component.
    func close(_ task: any RunTask, _ gate: OpenGate?) async {
        // A sink that is called directly may be closed only after its callers have ended.
        if task.kind == .fusedSink { await gate?.waitForCallers() }
        if !isRetired(task) { await task.close() }
        if task.kind.isOnItsOwn {
            gate?.callerEnded()
            monitor.taskEnded()
        }
    }

    /// Records that a task has ended. The last task ends the run.
    private func end(_ number: Int) {
        let (isLast, isHeld) = state.withLock { state in
            state.running[number] = nil
            return (state.running.isEmpty, state.isHeld)
        }
        // If a reload or a commit point waits for the run to come to rest, it gives up now and ends the run itself.
        if isLast { if isHeld { monitor.giveUpRest() } else { finish() } }
    }

    /// The plan that is running now.
    package var plan: Plan { state.withLock { $0.plan } }
}

/// A task that has not ended.
struct RunningTask {
    let task: any RunTask
    var handle: Task<Void, Never>?
    /// Whether a task of the next assembly continues with this task's component.
    var isRetired = false
}
