/// The streams to which the output of each input stream belongs, after a stage that renames streams. An output stream ends when all
/// input streams that it was made from have ended.
struct OutputStreams {
    /// For each input stream, its output streams.
    private var outputs: [StreamID: Set<StreamID>] = [:]
    /// For each output stream, the number of input streams that have not ended.
    private var inputs: [StreamID: Int] = [:]
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
            return
        }
        outputs[input, default: []].insert(output)
        inputs[output, default: 0] += 1
        count += 1
    }

    /// Records the end of an input stream. Returns the output streams that end with it, sorted by name.
    mutating func end(_ input: StreamID) -> [StreamID] {
        guard let names = outputs.removeValue(forKey: input) else { return [] }
        count -= names.count
        return names.sorted().filter { output in
            let left = (inputs[output] ?? 1) - 1
            inputs[output] = left > 0 ? left : nil
            return left <= 0
        }
    }
}
