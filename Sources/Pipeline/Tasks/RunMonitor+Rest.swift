import Synchronization

/// How a run is brought to rest: its sources are held, and everything that they have read is worked through.
///
/// At rest, every task but the sources waits for its input. The run is frozen then: signals are kept until it thaws, so that
/// nothing moves while its parts are exchanged.
struct Rest {
    private(set) var isFrozen = false
    private(set) var isGivenUp = false
    /// Whether the run has been at rest: from then on, no time-out counts.
    private var wasReached = false
    /// The wakers that were signaled while the run was frozen.
    private var kept: [Waker] = []
    /// Resumed with whether the run is at rest.
    private var waiting: CheckedContinuation<Bool, Never>?

    /// Keeps a signal. Returns whether the run is frozen.
    mutating func keep(_ waker: Waker) -> Bool {
        if isFrozen { kept.append(waker) }
        return isFrozen
    }

    mutating func wait(_ continuation: CheckedContinuation<Bool, Never>) { waiting = continuation }

    /// Freezes the run. Returns the continuation that waits for this.
    mutating func freeze() -> CheckedContinuation<Bool, Never>? {
        guard !isFrozen, let waiting else { return nil }
        (isFrozen, wasReached) = (true, true)
        self.waiting = nil
        return waiting
    }

    /// Gives up waiting, also what waits later.
    mutating func giveUp() -> CheckedContinuation<Bool, Never>? {
        isGivenUp = true
        defer { waiting = nil }
        return waiting
    }

    /// Gives up waiting if the run has never been at rest.
    mutating func timeOut() -> CheckedContinuation<Bool, Never>? { wasReached ? nil : giveUp() }

    /// Thaws the run. Returns the wakers to signal.
    mutating func thaw() -> [Waker] {
        isFrozen = false
        defer { kept = [] }
        return kept
    }
}

extension RunMonitor {
    /// Holds the sources. Call ``rest()`` to wait until everything has been worked through.
    func hold() {
        state.withLock { $0.rest = Rest() }
        gate.close()
    }

    /// Waits until the run, which is held, is at rest, and freezes it.
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

    /// Freezes the run if it is at rest and somebody waits for that.
    func settleRest() {
        let waiting = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            // A source that reads, or that is held, counts as active.
            guard state.rest != nil, state.active == state.sources, gate.isQuiet else { return nil }
            return state.rest?.freeze()
        }
        waiting?.resume(returning: true)
    }

    /// Ends the waiting for rest, because the run has ended or takes too long.
    func giveUpRest() {
        state.withLock { $0.rest?.giveUp() }?.resume(returning: false)
    }

    /// Ends the waiting for rest if the run has never been at rest.
    func timeOutRest() {
        state.withLock { $0.rest?.timeOut() }?.resume(returning: false)
    }

    /// Lets the tasks resume; the sources are still held.
    func thaw() {
        for waker in state.withLock({ $0.rest?.thaw() ?? [] }) { waker.signal() }
    }

    /// Ends the rest, and lets the sources through.
    func release() {
        let wakers = state.withLock { state -> [Waker] in
            defer { state.rest = nil }
            return state.rest?.thaw() ?? []
        }
        for waker in wakers { waker.signal() }
        gate.open()
        // What no task could notice while the run was held.
        changeActive(by: 0)
    }
}
