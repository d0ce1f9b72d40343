/// The streams to which the output of each input stream belongs, after a stage that renames streams. An output stream ends when all
/// input streams that it was made from have ended.
struct OutputStreams {
    /// For each input stream, its output streams.
    private var outputs: [StreamID: Set<StreamID>] = [:]
    /// For each output stream, the number of input streams that have not ended.
    private var inputs: [StreamID: Int] = [:]
    /// For each input stream that has ended and goes on, the output streams that were not made from it again.
    private var restarting: [StreamID: Set<StreamID>] = [:]
    /// For each output stream, the number of these input streams.
    private var restarts: [StreamID: Int] = [:]
    /// The number of pairs in `restarting`.
    private var restartCount = 0
    private var count = 0
    private let maxNames: Int
    /// Whether there were too many names, so that it is not known which streams end.
    private var isOverfull = false

    /// - Parameter maxNames: If there are more pairs of an input and an output stream at a time, no end is passed on any more.
    init(maxNames: Int) { self.maxNames = maxNames }

    /// Records that an output stream was made from an input stream.
    mutating func note(_ output: StreamID, madeFrom input: StreamID) {
        if isOverfull || outputs[input]?.contains(output) == true { return }
        if count >= maxNames {
            (outputs, inputs, isOverfull) = ([:], [:], true)
            forgetRestarts()
            return
        }
        if restarting[input]?.remove(output) != nil {
            if restarting[input]?.isEmpty == true { restarting[input] = nil }
            noteRestart(of: output, -1)
        }
        outputs[input, default: []].insert(output)
        inputs[output, default: 0] += 1
        count += 1
    }

    /// Records the end of an input stream. Returns the output streams that end with it, sorted by name. An output stream goes on if
    /// one of its input streams does.
    mutating func end(_ input: StreamID, _ end: StreamEnd = .over) -> [(name: StreamID, end: StreamEnd)] {
        var names = outputs.removeValue(forKey: input) ?? []
        count -= names.count
        for output in names {
            let left = (inputs[output] ?? 1) - 1
            inputs[output] = left > 0 ? left : nil
        }
        switch end {
        case .restarts:
            if restartCount + names.count > maxNames { forgetRestarts() }
            for output in names where restarting[input, default: []].insert(output).inserted {
                noteRestart(of: output, 1)
            }
        case .over:
            // The end of an input stream that did not begin again is that of its earlier output streams.
            let earlier = restarting.removeValue(forKey: input) ?? []
            for output in earlier { noteRestart(of: output, -1) }
            names.formUnion(earlier)
        }
        return names.sorted().filter { inputs[$0] == nil }.map { ($0, restarts[$0] == nil ? .over : .restarts) }
    }

    private mutating func noteRestart(of output: StreamID, _ change: Int) {
        let count = (restarts[output] ?? 0) + change
        restarts[output] = count > 0 ? count : nil
        restartCount += change
    }

    private mutating func forgetRestarts() { (restarting, restarts, restartCount) = ([:], [:], 0) }
}
