import Synchronization

/// Watermarks that a task creates itself, to wake stages for streams that no source knows because a stage has renamed them.
final class OwnWatermarks: Sendable {
    private struct State {
        /// For each stream, the requested watermark and the time on the run's clock at which it becomes due.
        var requested: [StreamID: (time: Timestamp, moment: Int64)] = [:]
        var due: [(stream: StreamID, time: Timestamp)] = []
    }

    private let state = Lock(State())

    /// Requests a watermark that becomes due at `moment`. It replaces the stream's earlier request.
    func request(_ stream: StreamID, _ time: Timestamp, at moment: Int64) {
        state.withLock { state in
            state.requested[stream] = (time, moment)
            state.due.removeAll { $0.stream == stream }
        }
    }

    /// Cancels the request of a stream.
    func cancel(_ stream: StreamID) {
        state.withLock { state in
            state.requested[stream] = nil
            state.due.removeAll { $0.stream == stream }
        }
    }

    /// Cancels the requests of all streams.
    func cancelAll() { state.withLock { $0 = State() } }

    /// Makes the watermark that was requested for `moment` ready to take. Returns `false` if the request was canceled or replaced.
    func announce(_ stream: StreamID, at moment: Int64) -> Bool {
        state.withLock { state in
            guard let request = state.requested[stream], request.moment == moment else { return false }
            state.requested[stream] = nil
            state.due.append((stream, request.time))
            return true
        }
    }

    /// Moves the watermarks that are due into a batch.
    func take<E: EdgeElement>(into batch: inout [EdgeItem<E>]) {
        let due = state.withLock { state in
            defer { state.due.removeAll() }
            return state.due
        }
        for (stream, time) in due { batch.append(.mark(.bound(stream, time))) }
    }
}
