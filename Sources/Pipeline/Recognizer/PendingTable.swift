import Synchronization

/// The frames that a live recognizer has accepted and that have not ended. Shared by the callers, by the tasks that drop or fail
/// frames, and by the reader of the results.
final class PendingTable: Sendable {
    private struct State {
        var frames: PendingFrames
        /// Whether a frame is being passed in. If so, drops are reported afterwards, when no lock is held.
        var isGiving = false
        var drops: [DropRecord] = []
    }

    private let state: Lock<State>
    private let input: String
    private let inputEdges: Set<String>
    private let onDrop: (@Sendable (DropRecord) -> Void)?

    /// Creates an empty table.
    ///
    /// - Parameters:
    ///   - input: The name of the input.
    ///   - inputEdges: The names of the edges after the input.
    ///   - maxStreams: The maximum number of streams without pending frames to remember.
    ///   - onDrop: The observer of every drop.
    init(input: String, inputEdges: Set<String>, maxStreams: Int, onDrop: (@Sendable (DropRecord) -> Void)?) {
        state = Lock(State(frames: PendingFrames(branches: inputEdges.count, maxStreams: maxStreams)))
        self.input = input
        self.inputEdges = inputEdges
        self.onDrop = onDrop
    }

    /// The number of frames that were accepted and have not ended.
    var count: Int { state.withLock { $0.frames.count } }

    /// Starts to accept a frame; see ``PendingFrames/begin(_:_:)``. Only one caller at a time may do this.
    func begin(_ stream: StreamID, _ timestamp: Timestamp) throws(PipelineError) -> Int64 {
        try state.withLock { state throws(PipelineError) in
            let sequence = try state.frames.begin(stream, timestamp)
            state.isGiving = true
            return sequence
        }
    }

    /// Finishes accepting the frame. Returns the reason if the frame was dropped immediately, and the drops that the caller must
    /// report with ``tell(_:)``.
    func end() -> (DropReason?, [DropRecord]) {
        state.withLock { state in
            state.isGiving = false
            defer { state.drops = [] }
            return (state.frames.end(), state.drops)
        }
    }

    /// Records that a frame was dropped anywhere in the run.
    func note(_ drop: DropRecord) {
        let place: PendingFrames.Place =
            drop.place == input ? .input : inputEdges.contains(drop.place) ? .edge : .further
        let isToldLater = state.withLock { state in
            state.frames.drop(drop.stream, drop.timestamp, drop.reason, at: place)
            if state.isGiving, onDrop != nil { state.drops.append(drop) }
            return state.isGiving
        }
        if !isToldLater { tell([drop]) }
    }

    /// Reports drops to the observer.
    func tell(_ drops: [DropRecord]) {
        guard let onDrop else { return }
        for drop in drops { onDrop(drop) }
    }

    /// Records an error at a time of a stream.
    func note(_ stream: StreamID, _ timestamp: Timestamp, _ error: PipelineError) {
        state.withLock { $0.frames.fail(stream, timestamp, error) }
    }

    /// See ``PendingFrames/settle(_:_:)``.
    func settle(_ stream: StreamID?, _ bound: Timestamp) -> [(StreamID, [PendingFrames.Ending])] {
        state.withLock { $0.frames.settle(stream, bound) }
    }

    /// See ``PendingFrames/earliest(of:)``.
    func earliest(of stream: StreamID) -> Timestamp? { state.withLock { $0.frames.earliest(of: stream) } }

    /// See ``PendingFrames/noteMissing(_:of:)``.
    func noteMissing(_ missing: Int32, of stream: StreamID) {
        state.withLock { $0.frames.noteMissing(missing, of: stream) }
    }
}
