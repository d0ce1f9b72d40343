import Synchronization

/// A gate that each source passes after every read. While the gate is closed, sources wait at it before they process what they
/// have read.
final class SourceGate: Sendable {
    fileprivate struct State {
        var isClosed = false
        /// The number of sources that are processing what they have read.
        var working = 0
        var waiting: [(stop: StopSignal, continuation: CheckedContinuation<Void, Never>)] = []
        /// The sources that may pass although the gate is closed.
        var passing: Set<ObjectIdentifier> = []
        var whenQuiet: (@Sendable () -> Void)?
    }

    private let state = Lock(State())

    /// Sets a function that is called whenever the gate is closed and no source is processing any more.
    func onQuiet(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.whenQuiet = body } }

    /// Whether the gate is closed and no source is processing what it has read.
    var isQuiet: Bool { state.withLock { $0.isClosed && $0.working == 0 } }

    /// Lets a source pass, if the gate is open. Returns whether it may process what it has read. If not, the source must call
    /// ``wait(_:)``.
    ///
    /// - Parameter stop: The source's own stop signal, which identifies the source.
    // Separate from waiting, so that passing the open gate needs no asynchronous call.
    func pass(_ stop: StopSignal) -> Bool { state.withLock { $0.enter(stop) } }

    /// Waits until a source may process what it has read.
    // Nonsending, because a switch between two equal executors costs more than the rest of the function.
    nonisolated(nonsending) func wait(_ stop: StopSignal) async {
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

    /// Records that a source has processed everything that it had read.
    func leave() {
        let whenQuiet = state.withLock { state in
            state.working -= 1
            return state.isClosed && state.working == 0 ? state.whenQuiet : nil
        }
        whenQuiet?()
    }

    /// Closes the gate, so that each source is held after its next read.
    func close() {
        let whenQuiet = state.withLock { state in
            state.isClosed = true
            return state.working == 0 ? state.whenQuiet : nil
        }
        whenQuiet?()
    }

    /// Opens the gate, so that all sources continue.
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
