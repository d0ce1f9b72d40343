import Synchronization

/// Records for each output of a stage the time of the first frame that the stage held when it made the output. A frame that is
/// held downstream may have been made from frames that are much older than its own timestamp.
///
/// Only a run with commit points keeps these records. Each commit point removes those that are no longer needed.
final class OutputCauses: Sendable {
    private struct Output {
        let time: Timestamp
        let since: Timestamp
    }

    private let outputs = Lock<[StreamID: [Output]]>([:])

    /// Records that output up to `time` was made from frames with timestamps from `since` on.
    func note(_ stream: StreamID, at time: Timestamp, since: Timestamp) {
        outputs.withLock { $0[stream, default: []].append(Output(time: time, since: since)) }
    }

    /// Returns the timestamp of the first frame from which the stage made the output of a stream that has timestamps from `time`
    /// on; at most `time`.
    func first(of stream: StreamID, since time: Timestamp) -> Timestamp {
        outputs.withLock { outputs in
            (outputs[stream] ?? []).lazy.filter { $0.time >= time }.map(\.since).min().map { min($0, time) } ?? time
        }
    }

    /// Forgets the outputs that are no longer needed.
    ///
    /// - Parameter held: Returns for a stream the time from which on its outputs are kept; `nil` to forget all of them.
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
