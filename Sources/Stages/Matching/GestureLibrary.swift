import Pipeline

/// Named gestures with samples of each, raw: a matcher prepares them with the stages of the pipeline it stands in.
public struct GestureLibrary: Hashable, Sendable {
    /// What a gesture's samples are.
    public enum GestureKind: String, Sendable, CaseIterable {
        /// One or more strokes of a pen.
        case stroke
    }

    /// One gesture.
    public struct Gesture: Hashable, Sendable {
        /// Its name, unique in the library.
        public var name: String

        /// Names to show a person, by locale.
        public var displayNames: [String: String]

        /// What its samples are.
        public var kind: GestureKind

        /// Its samples, as they were drawn.
        public var samples: [Stroke]

        /// Makes a gesture.
        public init(
            name: String, displayNames: [String: String] = [:], kind: GestureKind = .stroke, samples: [Stroke] = []
        ) {
            self.name = name
            self.displayNames = displayNames
            self.kind = kind
            self.samples = samples
        }

        /// The name to show in a locale: of `de-AT` first `de-AT`, then `de`; the gesture's own name when there is none.
        public func displayName(locale: String?) -> String {
            guard let locale, !locale.isEmpty else { return name }
            if let exact = displayNames[locale] { return exact }
            let language = locale.prefix { $0 != "-" && $0 != "_" }
            return displayNames[String(language)] ?? name
        }
    }

    /// The gestures, in the order that decides ties.
    public var gestures: [Gesture]

    /// Makes a library.
    public init(gestures: [Gesture] = []) { self.gestures = gestures }

    /// How many samples all gestures have together.
    public var sampleCount: Int { gestures.reduce(0) { $0 + $1.samples.count } }

    /// The gesture of a name.
    public subscript(name: String) -> Gesture? { gestures.first { $0.name == name } }

    /// Adds a sample to the gesture of a name, which is added at the end when it is new.
    public mutating func add(_ sample: Stroke, to name: String) {
        if let index = gestures.firstIndex(where: { $0.name == name }) {
            gestures[index].samples.append(sample)
        } else {
            gestures.append(Gesture(name: name, samples: [sample]))
        }
    }
}

extension GestureLibrary {
    /// Takes in another library: new gestures at the end, new samples of known gestures behind theirs. Samples that are
    /// already there are not taken twice; display names that are there stay.
    ///
    /// - Returns: How many samples were new. O(samples of both).
    @discardableResult
    public mutating func merge(_ other: GestureLibrary) -> Int {
        var added = 0
        for gesture in other.gestures {
            guard let index = gestures.firstIndex(where: { $0.name == gesture.name }) else {
                gestures.append(gesture)
                added += gesture.samples.count
                continue
            }
            gestures[index].displayNames.merge(gesture.displayNames) { known, _ in known }
            var known = Set(gestures[index].samples)
            for sample in gesture.samples where known.insert(sample).inserted {
                gestures[index].samples.append(sample)
                added += 1
            }
        }
        return added
    }

    /// Takes in strokes of a recording, each as a sample of the gesture that its label names.
    ///
    /// - Parameter name: The gesture to take them for instead, whatever their labels say.
    /// - Returns: How many were taken and how many were not, because they have no label.
    @discardableResult
    public mutating func importSamples(
        from frames: some Sequence<Frame<Stroke>>, as name: String? = nil
    ) -> (taken: Int, unlabelled: Int) {
        var (taken, unlabelled) = (0, 0)
        for frame in frames {
            if let name = name ?? frame.payload.label, !name.isEmpty {
                // The name of the gesture says it once for all samples.
                var sample = frame.payload
                sample.label = nil
                add(sample, to: name)
                taken += 1
            } else {
                unlabelled += 1
            }
        }
        return (taken, unlabelled)
    }

    /// Removes a gesture. Returns whether it was there.
    @discardableResult
    public mutating func remove(_ name: String) -> Bool {
        let count = gestures.count
        gestures.removeAll { $0.name == name }
        return gestures.count < count
    }
}
