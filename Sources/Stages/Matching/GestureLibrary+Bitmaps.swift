import Pipeline

extension GestureLibrary {
    /// Takes in pictures, each for the gesture that its label names, which becomes one of kind `bitmap`.
    ///
    /// Of a picture that tells what stroke it was made from, the stroke is kept; of others the 64 bits, once.
    ///
    /// - Parameters:
    ///   - frames: The bitmaps.
    ///   - name: The gesture to take them for instead, whatever their labels say.
    /// - Throws: An environment error for a gesture that has samples of another kind.
    @discardableResult
    public mutating func importBitmaps(
        from frames: some Sequence<Frame<Bitmap>>, as name: String? = nil
    ) throws(PipelineError) -> ImportCounts {
        var counts = ImportCounts()
        var known: [Int: Set<UInt64>] = [:]
        for frame in frames {
            guard let name = name ?? frame.payload.label, !name.isEmpty else {
                counts.unlabeled += 1
                continue
            }
            try check(.bitmap, goesWith: name)
            if case .stroke(var stroke)? = frame.payload.subject {
                // The name of the gesture says it once for all samples.
                stroke.label = nil
                add(stroke, to: name, kind: .bitmap)
                counts.taken += 1
                continue
            }
            let index = index(of: name, .bitmap)
            if known[index, default: Set(gestures[index].patterns)].insert(frame.payload.bits).inserted {
                gestures[index].patterns.append(frame.payload.bits)
                counts.taken += 1
            } else {
                counts.known += 1
            }
        }
        return counts
    }
}
