import Synchronization

/// Lets the sources of a run through, one reading at a time, or holds them between two readings.
final class SourceGate: Sendable {
    fileprivate struct State {
        var isClosed = false
        /// The number of sources that work on what they have read.
        var working = 0
        var waiting: [(stop: StopSignal, continuation: CheckedContinuation<Void, Never>)] = []
        /// The sources that may pass although the gate is closed.
        var passing: Set<ObjectIdentifier> = []
        var whenQuiet: (@Sendable () -> Void)?
    }

    private let state = Lock(State())

    /// Calls `body` whenever no source works any more while the gate is closed.
    func onQuiet(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.whenQuiet = body } }

    /// Whether the gate is closed and no source works on what it has read.
    var isQuiet: Bool { state.withLock { $0.isClosed && $0.working == 0 } }

    /// Waits until a source may work on what it has read.
    ///
    /// - Parameter stop: The source's own signal, by which ``letPass(_:)`` knows it.
    func pass(_ stop: StopSignal) async {
        if state.withLock({ $0.enter(stop) }) { return }
        await withCheckedContinuation { continuation in
            let mayPass = state.withLock { state in
                if state.enter(stop) { return true }
                state.waiting.append((stop, continuation))
                return false
            }
            if mayPass { continuation.resume() }
        }
    }

    /// Lets one source through although the gate is closed, so that it can end.
    func letPass(_ stop: StopSignal) {
        let waiting = state.withLock { state in
            state.passing.insert(ObjectIdentifier(stop))
            let waiting = state.waiting.filter { $0.stop === stop }
            state.waiting.removeAll { $0.stop === stop }
            state.working += waiting.count
            return waiting
        }
        for (_, continuation) in waiting { continuation.resume() }
    }

    /// Notes that a source has worked on everything that it had read.
    func leave() {
        let whenQuiet = state.withLock { state in
            state.working -= 1
            return state.isClosed && state.working == 0 ? state.whenQuiet : nil
        }
        whenQuiet?()
    }

    /// Holds sources from their next reading on.
    func close() {
        let whenQuiet = state.withLock { state in
            state.isClosed = true
            return state.working == 0 ? state.whenQuiet : nil
        }
        whenQuiet?()
    }

    /// Lets sources through again.
    func open() {
        let waiting = state.withLock { state in
            state.isClosed = false
            state.passing = []
            state.working += state.waiting.count
            defer { state.waiting = [] }
            return state.waiting
        }
        for (_, continuation) in waiting { continuation.resume() }
    }
}

extension SourceGate.State {
    fileprivate mutating func enter(_ stop: StopSignal) -> Bool {
        if isClosed, !passing.contains(ObjectIdentifier(stop)) { return false }
        working += 1
        return true
    }
}
