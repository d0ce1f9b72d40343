import Synchronization

/// The end of a run: its sources stop, frames in flight drain, and tasks that do not end in time are ended by force.
extension Run {
    /// Starts to drain the run after a stop was requested. Later calls do nothing. Earlier calls, before all tasks exist, do nothing
    /// either: the run calls this again when they do.
    func sourcesMustStop() {
        let isFirst = state.withLock { state in
            guard state.hasLaunched, !state.isStopping else { return false }
            state.isStopping = true
            return true
        }
        guard isFirst else { return }
        cancelTasks { $0.kind == .source }
        let deadline = options.clock.time(inMs: Int64(plan.shutdownTimeoutMs))
        let quiet = options.clock.time(inMs: Self.quietDrainMs)
        Task(executorPreference: options.clock.executor) { [weak self, clock = options.clock] in
            if quiet < deadline {
                try? await clock.sleep(until: quiet)
                self?.tellWhatIsRunning(until: deadline)
            }
            try? await clock.sleep(until: deadline)
            self?.force()
        }
    }

    /// The time after which a draining run logs what it waits for, in milliseconds. It is longer than sinks usually wait for a peer
    /// to take the remaining frames.
    private static var quietDrainMs: Int64 { 1500 }

    /// Logs the tasks that the end of the run waits for, if any.
    private func tellWhatIsRunning(until deadline: Int64) {
        let awaited = awaited
        guard !awaited.isEmpty else { return }
        let names = awaited.joined(separator: ", ")
        let tenths = max(0, deadline - options.clock.now).addingSaturated(50_000_000) / 100_000_000
        options.log(
            .info,
            "told to stop, and still waiting for \(names): \(tenths / 10).\(tenths % 10) s more at most (shutdown_timeout_ms)"
        )
    }

    /// The names of the tasks that the end of the run waits for: tasks that have not ended and do not wait for other tasks.
    var awaited: [String] {
        let running = state.withLock { state -> [(name: String, isCalled: Bool)] in
            guard state.report == nil else { return [] }
            return state.tasks.filter { $0.kind != .worker }.map { ($0.name, $0.kind == .fusedSink) }
        }
        let parked = monitor.parkedNodes
        let awaited = running.filter { !$0.isCalled && !parked.contains($0.name) }
        return (awaited.isEmpty ? running : awaited).map(\.name)
    }

    private func cancelTasks(_ isMeant: (any RunTask) -> Bool) {
        let handles = state.withLock { state in
            state.running.values.filter { isMeant($0.task) }.compactMap(\.handle)
        }
        for handle in handles { handle.cancel() }
    }

    /// Ends the run by force after the time for draining is over, and records which tasks had not ended.
    private func force() {
        let awaited = awaited
        let isForced = state.withLock { state in
            guard !state.running.isEmpty, state.report == nil else { return false }
            state.forced = awaited
            return true
        }
        guard isForced else { return }
        monitor.cancel.request()
        cancelTasks { _ in true }
        Task(executorPreference: options.clock.executor) { [weak self, clock = options.clock] in
            // A task that is blocked in a system call cannot be canceled. The report does not wait for it.
            try? await clock.sleep(until: clock.time(inMs: 200))
            self?.finish()
        }
    }

    /// Ends the run: commits, creates the report, and wakes everything that waits for the end. Later calls do nothing.
    func finish() {
        commitAtEnd()
        let isFirst = state.withLock { state in
            guard state.report == nil else { return false }
            let ledger = state.assembly?.ledger ?? Ledger(of: state.plan)
            let failures = monitor.failures
            let open = state.forced.isEmpty ? [] : Set(state.tasks.map(\.name))
            let isClean = failures.isEmpty && state.forced.isEmpty && !monitor.isCancelled
            state.report = RunReport(
                ledger: ledger, failures: failures, notEnded: state.forced,
                // Tasks that were ended by force still hold frames without an outcome, so their equations are not checked.
                violations: ledger.violations(isClean: isClean, open: open),
                duration: options.clock.now - state.beganAt)
            return true
        }
        guard isFirst else { return }
        monitor.timer?.end()
        monitor.giveUpRest()
        opened.reach()
        over.reach()
        // If the run could not start, no task finishes the edges that readers of results wait for, so wake the readers.
        for waker in state.withLock({ $0.readers }) { waker.signal() }
    }
}

extension Run.State {
    /// The tasks that have not ended, in the order in which they began.
    fileprivate var tasks: [any RunTask] { running.sorted { $0.key < $1.key }.map(\.value.task) }
}
