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
    /// Reads a library's file.
    ///
    /// - Throws: An environment error when it cannot be read.
    public init(readingFrom path: String) throws {
        throw PipelineError.environment(
            "library.not_readable", "\(path): gesture libraries cannot be read from files yet")
    }
}
