import Synchronization

/// Records, for a stage that renames streams, the input streams from which each of its output streams was made. With these names,
/// frames that are held downstream are traced back to their source. Only a run with commit points keeps them.
final class RenamedStreams: Sendable {
    private let inputs = Lock<[StreamID: Set<StreamID>]>([:])

    /// Records that the stage has emitted a frame of the stream `output` for a frame of the stream `input`.
    func note(_ output: StreamID, madeFrom input: StreamID) {
        inputs.withLock { inputs in
            if inputs[output]?.contains(input) != true { inputs[output, default: []].insert(input) }
        }
    }

    /// Returns the streams from which an output stream was made.
    func inputs(of output: StreamID) -> Set<StreamID> { inputs.withLock { $0[output] ?? [] } }

    /// Returns for each output stream the result of `origin`, which receives the input streams from which it was made.
    func outputs<Origin>(_ origin: (Set<StreamID>) -> Origin?) -> [StreamID: Origin] {
        inputs.withLock { $0 }.compactMapValues(origin)
    }

    /// Returns the output streams that were made from no other streams than these.
    func outputs(madeOnlyFrom streams: Set<StreamID>) -> Set<StreamID> {
        inputs.withLock { inputs in Set(inputs.filter { $0.value.isSubset(of: streams) }.keys) }
    }

    /// Returns the output streams that were made from at least one of these streams.
    func outputs(madeFrom streams: Set<StreamID>) -> Set<StreamID> {
        inputs.withLock { inputs in Set(inputs.filter { !$0.value.isDisjoint(with: streams) }.keys) }
    }

    /// Forgets all output streams except those for which `isNeeded` returns true. The next frame of a forgotten stream records it
    /// again.
    func forget(except isNeeded: (StreamID) -> Bool) {
        inputs.withLock { inputs in inputs = inputs.filter { isNeeded($0.key) } }
    }
}
