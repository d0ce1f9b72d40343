import Synchronization

/// Watermarks that a task creates itself, to wake stages for streams that no source knows because a stage has renamed them.
final class OwnWatermarks: Sendable {
    /// The outcome of a timer of a stream.
    enum Announcement {
        /// The watermark can be taken.
        case isReady
        /// The request was replaced, and the watermark becomes due at this time.
        case isDue(Int64)
        case isGone
    }

    private struct Request {
        let time: Timestamp
        /// The time on the run's clock at which the watermark becomes due.
        let moment: Int64
    }

    private struct State {
        var requested: [StreamID: Request] = [:]
        /// For each stream, the time of its earliest pending timer. Timers cannot be canceled.
        var timers: [StreamID: Int64] = [:]
        var due: [(stream: StreamID, time: Timestamp)] = []
    }

    private let state = Lock(State())

    /// Requests a watermark that becomes due at `moment`. It replaces the stream's earlier request. Returns whether a timer is
    /// needed that calls ``announce(_:at:)``.
    func request(_ stream: StreamID, _ time: Timestamp, at moment: Int64) -> Bool {
        state.withLock { state in
            state.requested[stream] = Request(time: time, moment: moment)
            state.due.removeAll { $0.stream == stream }
            guard moment < state.timers[stream] ?? .max else { return false }
            state.timers[stream] = moment
            return true
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
    func cancelAll() {
        state.withLock { state in
            state.requested = [:]
            state.due = []
        }
    }

    /// Makes the watermark of a stream ready to take, if it is due at `moment`.
    func announce(_ stream: StreamID, at moment: Int64) -> Announcement {
        state.withLock { state in
            // An earlier timer has replaced this one.
            guard state.timers[stream] == moment else { return .isGone }
            state.timers[stream] = nil
            guard let request = state.requested[stream] else { return .isGone }
            guard request.moment <= moment else {
                guard request.moment < .max else { return .isGone }
                state.timers[stream] = request.moment
                return .isDue(request.moment)
            }
            state.requested[stream] = nil
            state.due.append((stream, request.time))
            return .isReady
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
