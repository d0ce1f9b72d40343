import Synchronization

/// The state of bringing a run to rest, for a reload or a commit point: the sources are held, and everything that they have read
/// is processed.
///
/// The run is at rest when every task except the sources waits for its input. It is then frozen: signals are kept until it thaws,
/// so that no task runs while parts of the run are replaced.
struct Rest {
    private(set) var isFrozen = false
    private(set) var isGivenUp = false
    /// Whether the run has been at rest. The timeout only applies before that.
    private var wasReached = false
    /// The wakers that were signaled while the run was frozen.
    private var kept: [Waker] = []
    /// The continuation that waits for rest. Its result is whether the run came to rest.
    private var waiting: CheckedContinuation<Bool, Never>?

    /// Keeps a signal until the run thaws, if the run is frozen. Returns whether the run is frozen.
    mutating func keep(_ waker: Waker) -> Bool {
        if isFrozen { kept.append(waker) }
        return isFrozen
    }

    mutating func wait(_ continuation: CheckedContinuation<Bool, Never>) { waiting = continuation }

    /// Freezes the run if a continuation waits for that. Returns the continuation.
    mutating func freeze() -> CheckedContinuation<Bool, Never>? {
        guard !isFrozen, let waiting else { return nil }
        (isFrozen, wasReached) = (true, true)
        self.waiting = nil
        return waiting
    }

    /// Gives up waiting for rest, now and later. Returns the continuation that waits.
    mutating func giveUp() -> CheckedContinuation<Bool, Never>? {
        isGivenUp = true
        defer { waiting = nil }
        return waiting
    }

    /// Gives up waiting for rest if the run has never been at rest. Returns the continuation that waits.
    mutating func timeOut() -> CheckedContinuation<Bool, Never>? { wasReached ? nil : giveUp() }

    /// Thaws the run. Returns the wakers to signal.
    mutating func thaw() -> [Waker] {
        isFrozen = false
        defer { kept = [] }
        return kept
    }
}

extension RunMonitor {
    /// Holds the sources. Call ``rest()`` to wait until everything that they have read is processed.
    func hold() {
        state.withLock { $0.rest = Rest() }
        gate.close()
    }

    /// Waits until the held run is at rest, and freezes it.
    ///
    /// - Returns: false if the run ended instead, or if waiting was given up.
    func rest() async -> Bool {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if state.rest?.isGivenUp ?? true { return true }
                state.rest?.wait(continuation)
                return false
            }
            if isOver { continuation.resume(returning: false) } else { settleRest() }
        }
    }

    /// Whether the run is at rest and frozen.
    var isFrozen: Bool { state.withLock { $0.rest?.isFrozen ?? false } }

    /// Freezes the run if it is at rest and ``rest()`` waits for that.
    func settleRest() {
        let waiting = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            // A source that reads, or that is held, counts as active.
            guard state.rest != nil, state.active == state.sources, gate.isQuiet else { return nil }
            return state.rest?.freeze()
        }
        waiting?.resume(returning: true)
    }

    /// Makes ``rest()`` return false, because the run has ended or was canceled.
    func giveUpRest() {
        state.withLock { $0.rest?.giveUp() }?.resume(returning: false)
    }

    /// Makes ``rest()`` return false if the run has never been at rest since it was held.
    func timeOutRest() {
        state.withLock { $0.rest?.timeOut() }?.resume(returning: false)
    }

    /// Lets the tasks resume; the sources are still held.
    func thaw() {
        for waker in state.withLock({ $0.rest?.thaw() ?? [] }) { waker.signal() }
    }

    /// Thaws the run and lets the sources continue.
    func release() {
        let wakers = state.withLock { state -> [Waker] in
            defer { state.rest = nil }
            return state.rest?.thaw() ?? []
        }
        for waker in wakers { waker.signal() }
        gate.open()
        // Check for a deadlock now, because it could not be detected while the run was held.
        changeActive(by: 0)
    }
}
