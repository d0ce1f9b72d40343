import Synchronization

/// For a stage that holds frames, since when it held them before each output: a frame that is held downstream may come from frames that
/// are much older than its timestamp. Kept from one commit point to the next, and only if the run has commit points.
final class OutputCauses: Sendable {
    private struct Output {
        let time: Timestamp
        let since: Timestamp
    }

    private let outputs = Lock<[StreamID: [Output]]>([:])

    /// Records that frames with timestamps up to `time` were made from frames since an earlier time.
    func note(_ stream: StreamID, at time: Timestamp, since: Timestamp) {
        outputs.withLock { $0[stream, default: []].append(Output(time: time, since: since)) }
    }

    /// Returns the timestamp of the first frame from which frames of a stream since `time` were made.
    func first(of stream: StreamID, since time: Timestamp) -> Timestamp {
        outputs.withLock { outputs in
            (outputs[stream] ?? []).lazy.filter { $0.time >= time }.map(\.since).min().map { min($0, time) } ?? time
        }
    }

    /// Forgets all outputs but those since the times that `held` returns.
    func forget(except held: (StreamID) -> Timestamp?) {
        outputs.withLock { outputs in
            for (stream, list) in outputs {
                guard let time = held(stream) else {
                    outputs[stream] = nil
                    continue
                }
                outputs[stream] = list.filter { $0.time >= time }
            }
        }
    }
}
