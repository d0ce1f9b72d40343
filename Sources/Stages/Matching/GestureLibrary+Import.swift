import Pipeline

/// What became of the samples of a recording that a library took in.
public struct ImportCounts: Hashable, Sendable {
    /// How many were taken.
    public var taken = 0
    /// How many were there already.
    public var known = 0
    /// How many have no label.
    public var unlabeled = 0

    /// Nothing yet.
    public init() {}

    /// Adds those of another recording.
    public static func += (a: inout ImportCounts, b: ImportCounts) {
        a.taken += b.taken
        a.known += b.known
        a.unlabeled += b.unlabeled
    }
}

extension GestureLibrary {
    /// Takes in strokes of a recording, each as a sample of the gesture that its label names.
    ///
    /// - Parameters:
    ///   - frames: The strokes.
    ///   - name: The gesture to take them for instead, whatever their labels say.
    ///   - kind: What new gestures become.
    /// - Throws: An environment error for a gesture that has samples of another kind.
    @discardableResult
    public mutating func importSamples(
        from frames: some Sequence<Frame<Stroke>>, as name: String? = nil, kind: GestureKind = .stroke
    ) throws(PipelineError) -> ImportCounts {
        var counts = ImportCounts()
        for frame in frames {
            guard let name = name ?? frame.payload.label, !name.isEmpty else {
                counts.unlabeled += 1
                continue
            }
            try check(kind, goesWith: name)
            // The name of the gesture says it once for all samples.
            var sample = frame.payload
            sample.label = nil
            add(sample, to: name, kind: kind)
            counts.taken += 1
        }
        return counts
    }

    /// Takes in the hands of a recording, each as a sample of the gesture that its label names. A tracker's number and what a
    /// gate thought of it say nothing of the gesture, and are left out.
    ///
    /// - Parameters:
    ///   - frames: The hands.
    ///   - name: The gesture to take them for instead, whatever their labels say.
    /// - Throws: A frame error for a hand that is none of 21 finite landmarks; an environment error for a gesture that has
    ///   samples of another kind.
    @discardableResult
    public mutating func importHands(
        from frames: some Sequence<Frame<Hands>>, as name: String? = nil
    ) throws -> ImportCounts {
        var counts = ImportCounts()
        for frame in frames {
            for var hand in frame.payload.hands {
                guard let name = name ?? hand.label, !name.isEmpty else {
                    counts.unlabeled += 1
                    continue
                }
                try check(.hand21, goesWith: name)
                do {
                    try hand.check(.hand21)
                } catch let error as PipelineError {
                    throw error.located(in: "\(frame.stream.name) at \(frame.timestamp)")
                }
                (hand.label, hand.track, hand.doubt) = (nil, nil, nil)
                add(hand, to: name)
                counts.taken += 1
            }
        }
        return counts
    }
}
