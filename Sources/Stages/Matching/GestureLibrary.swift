import Pipeline

/// Named gestures with raw samples. A matcher prepares the samples with the upstream stages of its own pipeline.
public struct GestureLibrary: Hashable, Sendable {
    /// The kind of a gesture's samples.
    public enum GestureKind: String, Sendable, CaseIterable {
        /// One or more strokes of a pen.
        case stroke
        /// Strokes that are compared as bitmaps, or bare bitmaps.
        case bitmap
        /// Hands of 21 landmarks.
        case hand21
        /// The path of a point over time, for example of a fingertip.
        case motion

        /// Whether the samples are hands; otherwise they are strokes.
        public var isHands: Bool { self == .hand21 }
    }

    /// One gesture.
    public struct Gesture: Hashable, Sendable {
        /// The name, unique in the library.
        public var name: String

        /// The display names, by locale.
        public var displayNames: [String: String]

        /// The kind of the samples.
        public var kind: GestureKind

        /// The strokes, as drawn; empty for gestures of kind `hand21`.
        public var samples: [Stroke]

        /// The hands, as detected; empty for all kinds but `hand21`.
        public var hands: [Landmarks]

        /// Bitmaps without strokes, in the form of ``Bitmap/bits``; empty for all kinds but `bitmap`.
        public var patterns: [UInt64]

        /// Creates a gesture.
        public init(
            name: String, displayNames: [String: String] = [:], kind: GestureKind = .stroke, samples: [Stroke] = [],
            hands: [Landmarks] = [], patterns: [UInt64] = []
        ) {
            self.name = name
            self.displayNames = displayNames
            self.kind = kind
            self.samples = samples
            self.hands = hands
            self.patterns = patterns
        }

        /// The number of samples, including bare bitmaps.
        public var sampleCount: Int { samples.count + hands.count + patterns.count }

        /// Returns the display name in a locale. For `de-AT`, this is the display name for `de-AT`, or else for `de`, or else the
        /// name of the gesture.
        public func displayName(locale: String?) -> String {
            guard let locale, !locale.isEmpty else { return name }
            if let exact = displayNames[locale] { return exact }
            let language = locale.prefix { $0 != "-" && $0 != "_" }
            return displayNames[String(language)] ?? name
        }
    }

    /// The gestures, in the order that decides ties.
    public var gestures: [Gesture]

    /// The acceptance limits, if they were calibrated.
    public var limits: Limits?

    /// Creates a library.
    public init(gestures: [Gesture] = []) { self.gestures = gestures }

    /// The number of samples of all gestures.
    public var sampleCount: Int { gestures.reduce(0) { $0 + $1.sampleCount } }

    /// The gesture with a name; `nil` if there is none.
    public subscript(name: String) -> Gesture? { gestures.first { $0.name == name } }

    /// Adds a sample to the gesture with a name. A new gesture is appended at the end. Check the name first, with
    /// ``check(_:goesWith:)``.
    ///
    /// - Parameters:
    ///   - sample: The sample.
    ///   - name: The name of the gesture.
    ///   - kind: The kind of a new gesture. An existing gesture of strokes becomes one of bitmaps if this is `bitmap`.
    public mutating func add(_ sample: Stroke, to name: String, kind: GestureKind = .stroke) {
        let index = index(of: name, kind)
        gestures[index].samples.append(sample)
    }

    /// Adds a hand to the gesture with a name. A new gesture is appended with kind `hand21`. Check the name first, with
    /// ``check(_:goesWith:)``.
    public mutating func add(_ hand: Landmarks, to name: String) {
        gestures[index(of: name, .hand21)].hands.append(hand)
    }

    /// Checks that a gesture can have a name.
    ///
    /// - Throws: A frame error if the name is empty or `None`.
    package static func check(name: String) throws(PipelineError) {
        guard !name.isEmpty else { throw .frame("library.name", "a gesture has no name") }
        guard name != "None" else {
            throw .frame(
                "library.name", "\"None\" means that nothing was recognized, and cannot be the name of a gesture")
        }
    }

    /// Checks that samples of a kind can be added to a gesture: strokes and hands are not compared with each other.
    ///
    /// - Throws: A frame error if no gesture can have the name; an environment error if the gesture has samples of an incompatible
    ///   kind.
    public func check(_ kind: GestureKind, goesWith name: String) throws(PipelineError) {
        try Self.check(name: name)
        guard let gesture = self[name], gesture.kind != kind, !gesture.kind.becomes(kind), !kind.becomes(gesture.kind)
        else { return }
        throw .environment(
            "library.kind",
            "\"\(name)\" is a gesture of kind \(gesture.kind.rawValue), and the samples are of \(kind.rawValue)",
            help: "give them another name, or remove the gesture first")
    }

    /// Returns the index of the gesture with a name, and appends the gesture if it is new.
    mutating func index(of name: String, _ kind: GestureKind) -> Int {
        guard let index = gestures.firstIndex(where: { $0.name == name }) else {
            gestures.append(Gesture(name: name, kind: kind))
            return gestures.count - 1
        }
        if kind == .bitmap { gestures[index].kind = .bitmap }
        return index
    }
}

extension GestureLibrary.GestureKind {
    /// Returns whether gestures of this kind can change to another kind: strokes can become bitmaps, but not the reverse.
    fileprivate func becomes(_ other: Self) -> Bool { self == .stroke && other == .bitmap }
}

extension Array where Element: Hashable {
    /// Appends the elements that are not present yet, and returns their number.
    fileprivate mutating func addNew(_ others: [Element]) -> Int {
        var known = Set(self)
        let before = count
        for other in others where known.insert(other).inserted { append(other) }
        return count - before
    }
}

extension GestureLibrary {
    /// Merges another library: appends new gestures, and appends new samples to known gestures. Samples and display names that are
    /// already present are kept, not duplicated or replaced.
    ///
    /// - Returns: The number of new samples.
    /// - Throws: An environment error for a gesture whose kinds in the two libraries are incompatible, such as strokes and hands.
    /// - Complexity: O(samples of both).
    @discardableResult
    public mutating func merge(_ other: GestureLibrary) throws(PipelineError) -> Int {
        for gesture in other.gestures { try check(gesture.kind, goesWith: gesture.name) }
        var added = 0
        for gesture in other.gestures {
            guard let index = gestures.firstIndex(where: { $0.name == gesture.name }) else {
                gestures.append(gesture)
                added += gesture.sampleCount
                continue
            }
            gestures[index].displayNames.merge(gesture.displayNames) { known, _ in known }
            // Strokes can become bitmaps, but not the reverse.
            if gesture.kind == .bitmap { gestures[index].kind = .bitmap }
            added += gestures[index].samples.addNew(gesture.samples)
            added += gestures[index].hands.addNew(gesture.hands)
            added += gestures[index].patterns.addNew(gesture.patterns)
        }
        return added
    }

    /// Removes a gesture, and returns whether it existed.
    @discardableResult
    public mutating func remove(_ name: String) -> Bool {
        let count = gestures.count
        gestures.removeAll { $0.name == name }
        return gestures.count < count
    }
}
