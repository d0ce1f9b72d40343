import Pipeline

/// The result of importing the samples of a recording into a library.
public struct ImportCounts: Hashable, Sendable {
    /// The number of imported samples.
    public var imported = 0
    /// The number of samples that the library already had.
    public var duplicates = 0
    /// The number of samples without a label.
    public var unlabeled = 0

    /// Creates counts of zero.
    public init() {}

    /// Adds the counts of another recording.
    public static func += (a: inout ImportCounts, b: ImportCounts) {
        a.imported += b.imported
        a.duplicates += b.duplicates
        a.unlabeled += b.unlabeled
    }
}

extension GestureLibrary {
    /// Imports the strokes of a recording, each as a sample of the gesture that its label names.
    ///
    /// - Parameters:
    ///   - frames: The strokes.
    ///   - name: The gesture to add all strokes to; `nil` to use their labels.
    ///   - kind: The kind of new gestures.
    /// - Throws: A frame error for a stroke that is empty, not finite or inconsistent, and for a label that no gesture can have; an
    ///   environment error for a gesture that has samples of an incompatible kind. It names the stream and the time of the stroke.
    @discardableResult
    public mutating func importSamples(
        from frames: some Sequence<Frame<Stroke>>, as name: String? = nil, kind: GestureKind = .stroke
    ) throws -> ImportCounts {
        var counts = ImportCounts()
        for frame in frames {
            guard let name = name ?? frame.payload.label, !name.isEmpty else {
                counts.unlabeled += 1
                continue
            }
            // The label is redundant: it is the name of the gesture.
            var sample = frame.payload
            sample.label = nil
            do {
                try check(kind, goesWith: name)
                try sample.check()
            } catch let error as PipelineError {
                throw error.located(in: "\(frame.stream.name) at \(frame.timestamp)")
            }
            add(sample, to: name, kind: kind)
            counts.imported += 1
        }
        return counts
    }

    /// Imports the hands of a recording, each as a sample of the gesture that its label names.
    ///
    /// The hand's track and the doubt that `gate` noted are not part of the gesture, so they are removed.
    ///
    /// - Parameters:
    ///   - frames: The hands.
    ///   - name: The gesture to add all hands to; `nil` to use their labels.
    /// - Throws: A frame error for a hand that does not have 21 finite landmarks, and for a label that no gesture can have; an
    ///   environment error for a gesture that has samples of an incompatible kind. It names the stream and the time of the frame.
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
                do {
                    try check(.hand21, goesWith: name)
                    try hand.check(.hand21)
                } catch let error as PipelineError {
                    throw error.located(in: "\(frame.stream.name) at \(frame.timestamp)")
                }
                (hand.label, hand.track, hand.doubt) = (nil, nil, nil)
                add(hand, to: name)
                counts.imported += 1
            }
        }
        return counts
    }
}
