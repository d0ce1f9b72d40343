import Synchronization

/// Numbers the frames that a sink writes, and recognizes frames that it has written before.
///
/// A stage can hold a frame of which another branch has already written output, for example a point of an unfinished stroke. After
/// a restart, this frame is read again, and the other branch makes its output again. So each committed position contains, for
/// each such stream, the number of the last frame that was written (``HeldStreams/written(of:)``). A sink with numbers does not
/// write the frames up to this number again.
public final class OutputNumbers: Sendable {
    private struct Stream {
        var last: OutputNumber
        /// The last number that was written before the input was read again.
        var repeatsUntil: OutputNumber?
    }

    private let sink: String
    private let written: WrittenOutputs
    private let streams: Lock<RecentStreams<Stream>>

    init(_ sink: String, maxStreams: Int, _ written: WrittenOutputs) {
        (self.sink, self.written) = (sink, written)
        streams = Lock(RecentStreams(capacity: maxStreams))
    }

    /// Numbers the next frame of a stream. The sink must not write a frame that is a repetition.
    public func next(_ stream: StreamID, at time: Timestamp) -> (number: OutputNumber, isRepetition: Bool) {
        streams.withLock { streams in
            var state: Stream
            if let known = streams[stream] {
                state = Stream(last: known.last.next(at: time), repeatsUntil: known.repeatsUntil)
            } else {
                let until = written.last(OutputKey(sink: sink, stream: stream))
                state = Stream(last: OutputNumber(time: time.rawValue), repeatsUntil: until)
            }
            if let until = state.repeatsUntil, until < state.last { state.repeatsUntil = nil }
            streams.update(stream, state)
            return (state.last, state.repeatsUntil != nil)
        }
    }

    /// Forgets a stream that has ended. Its numbers may start over.
    public func end(_ stream: StreamID) {
        streams.withLock { _ = $0.remove(stream) }
        written.forget(OutputKey(sink: sink, stream: stream))
    }

    /// Forgets a stream that another process continues with.
    public func release(_ stream: StreamID) { streams.withLock { _ = $0.remove(stream) } }

    /// Returns the number of the last frame that was written of a stream, by this run or by an earlier one whose input this run
    /// reads again; `nil` if there is none.
    func last(of stream: StreamID) -> OutputNumber? {
        guard let known = streams.withLock({ $0.known(stream) }) else {
            return written.last(OutputKey(sink: sink, stream: stream))
        }
        return max(known.last, known.repeatsUntil ?? known.last)
    }
}

/// The output that earlier runs have written, for the streams that this run reads again.
final class WrittenOutputs: Sendable {
    private struct Output {
        let owner: String
        let last: OutputNumber
    }

    private let outputs = Lock<[OutputKey: Output]>([:])

    /// Adds what was stored with a committed position.
    ///
    /// - Parameter owner: Identifies the position, for example by its source and partition.
    func add(_ written: [OutputKey: OutputNumber], of owner: String) {
        outputs.withLock { outputs in
            for (key, last) in written { outputs[key] = Output(owner: owner, last: last) }
        }
    }

    /// Forgets the output of one position, with which another process continues.
    func forget(of owner: String) {
        outputs.withLock { outputs in outputs = outputs.filter { $0.value.owner != owner } }
    }

    func forget(_ key: OutputKey) { outputs.withLock { $0[key] = nil } }

    func last(_ key: OutputKey) -> OutputNumber? { outputs.withLock { $0[key]?.last } }
}
