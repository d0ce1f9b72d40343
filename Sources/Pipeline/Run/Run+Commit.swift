import Synchronization

/// How a run is brought to a commit point.
extension Run {
    /// Holds the sources, waits until everything they have read has been processed, and commits.
    ///
    /// A run that stops, or a source that releases streams, has no later opportunity. This function then also waits while something
    /// else holds the run, and while frames are still processed: until the run fails, or its `shutdown_timeout_ms` is over.
    ///
    /// - Parameters:
    ///   - source: The source that asks for it. It must be reading.
    ///   - streams: Streams of this source that another process continues with. They are released after the commit.
    /// - Returns: Whether the run committed.
    func commit(from source: String, releasing streams: Set<StreamID>) async throws -> Bool {
        while true {
            if let assembly = beginCommit(), try await commit(assembly, from: source, releasing: streams) {
                return true
            }
            guard monitor.stop.isRequested || !streams.isEmpty, mayCommitLater else { return false }
            // Real time: whatever holds the run does not wait for the clock.
            try? await Task.sleep(for: .milliseconds(2))
        }
    }

    private var mayCommitLater: Bool {
        let isRunning = state.withLock { $0.isOpen && $0.assembly != nil && $0.report == nil && $0.forced.isEmpty }
        return isRunning && monitor.failures.isEmpty && !monitor.isCancelled
    }

    private func commit(
        _ assembly: Assembly, from source: String, releasing streams: Set<StreamID>
    ) async throws -> Bool {
        defer { endHold() }
        defer { release(assembly) }
        guard await comesToRest(assembly), monitor.failures.isEmpty, !monitor.isCancelled else { return false }
        try assembly.checkRelease(of: streams, from: source)
        let held = assembly.held()
        try monitor.commits.commit { held[$0] ?? HeldStreams() }
        assembly.release(streams, of: source)
        return true
    }

    /// Lets nothing else hold the run at the same time. Returns `nil` if something else does, or if the run has not begun.
    private func beginCommit() -> Assembly? {
        state.withLock { state in
            guard state.isOpen, !state.isHeld, state.report == nil else { return nil }
            state.isHeld = state.assembly != nil
            return state.assembly
        }
    }

    /// Commits everything after the run has ended well.
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
