import Synchronization

/// How a run is brought to a commit point.
extension Run {
    /// Holds the sources, waits until everything they have read has been processed, and commits.
    ///
    /// If the run is stopping, or if the source releases streams, there is no later opportunity to commit. This function then
    /// tries again while something else holds the run or frames are still processed, until the run fails or is ended by force.
    ///
    /// - Returns: Whether the run committed.
    func commit(_ request: CommitRequest) async throws -> Bool {
        while true {
            if let assembly = beginCommit(), try await commit(assembly, request) { return true }
            guard monitor.stop.isRequested || !request.released.isEmpty, mayCommitLater else { return false }
            // Sleep in real time, because simulated time may not pass while something else holds the run.
            try? await Task.sleep(for: .milliseconds(2))
        }
    }

    private var mayCommitLater: Bool {
        let isRunning = state.withLock { $0.isOpen && $0.assembly != nil && $0.report == nil && $0.forced.isEmpty }
        return isRunning && monitor.failures.isEmpty && !monitor.isCancelled
    }

    private func commit(_ assembly: Assembly, _ request: CommitRequest) async throws -> Bool {
        defer { endHold() }
        defer { release(assembly) }
        guard await comesToRest(assembly) else { return false }
        for task in assembly.tasks { task.drain() }
        guard monitor.failures.isEmpty, !monitor.isCancelled else { return false }
        try assembly.checkRelease(of: request.released, from: request.source)
        let held = assembly.held()
        try monitor.commits.commit { held[$0] ?? HeldStreams() }
        assembly.release(request.released, of: request.source)
        request.onRelease()
        return true
    }

    /// Marks the run as held, so that nothing else can hold it. Returns `nil` if something else holds the run, or if the run has
    /// not begun or is over.
    private func beginCommit() -> Assembly? {
        state.withLock { state in
            guard state.isOpen, !state.isHeld, state.report == nil else { return nil }
            state.isHeld = state.assembly != nil
            return state.assembly
        }
    }

    /// Commits the final positions of all sources if the run has ended well, and ends all participation in commits.
    func commitAtEnd() {
        let endsWell = state.withLock { state in
            guard state.report == nil, !state.hasCommitted, state.forced.isEmpty else { return false }
            state.hasCommitted = true
            return true
        }
        if endsWell, !monitor.isCancelled, monitor.failures.isEmpty {
            do { try monitor.commits.commit { _ in HeldStreams() } } catch {
                monitor.fail("engine", PipelineError(wrapping: error))
            }
        }
        monitor.commits.end()
    }
}
