import Pipeline

/// Named gestures with samples of each, raw: a matcher prepares them with the stages of the pipeline it stands in.
public struct GestureLibrary: Hashable, Sendable {
    /// What a gesture's samples are.
    public enum GestureKind: String, Sendable, CaseIterable {
        /// One or more strokes of a pen.
        case stroke
        /// Strokes that are compared as pictures, or the bare pictures.
        case bitmap
        /// Hands of 21 landmarks.
        case hand21
        /// Where a point has been, over some time: a fingertip, say.
        case motion

        /// Whether its samples are hands; otherwise they are strokes.
        public var isHands: Bool { self == .hand21 }
    }

    /// One gesture.
    public struct Gesture: Hashable, Sendable {
        /// Its name, unique in the library.
        public var name: String

        /// Names to show a person, by locale.
        public var displayNames: [String: String]

        /// What its samples are.
        public var kind: GestureKind

        /// Its samples, as they were drawn; gestures of kind `hand21` have none.
        public var samples: [Stroke]

        /// Its samples, as they were seen; only gestures of kind `hand21` have any.
        public var hands: [Landmarks]

        /// Pictures of which no strokes are known, as in ``Bitmap/bits``; only gestures of kind `bitmap` have any.
        public var patterns: [UInt64]

        /// Makes a gesture.
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

        /// How many samples it has, bare pictures included.
        public var sampleCount: Int { samples.count + hands.count + patterns.count }

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

    /// How far a stroke may be from each gesture, where that was calibrated.
    public var limits: Limits?

    /// Makes a library.
    public init(gestures: [Gesture] = []) { self.gestures = gestures }

    /// How many samples all gestures have together.
    public var sampleCount: Int { gestures.reduce(0) { $0 + $1.sampleCount } }

    /// The gesture of a name.
    public subscript(name: String) -> Gesture? { gestures.first { $0.name == name } }

    /// Adds a sample to the gesture of a name, which is added at the end when it is new.
    ///
    /// - Parameters:
    ///   - sample: The sample.
    ///   - name: The name of the gesture.
    ///   - kind: What the gesture becomes, if it is new or was less general.
    public mutating func add(_ sample: Stroke, to name: String, kind: GestureKind = .stroke) {
        let index = index(of: name, kind)
        gestures[index].samples.append(sample)
    }

    /// Adds a hand to the gesture of a name, which becomes one of kind `hand21` if it is new.
    public mutating func add(_ hand: Landmarks, to name: String) {
        gestures[index(of: name, .hand21)].hands.append(hand)
    }

    /// Refuses samples of a kind for a gesture that has samples of another: strokes and hands are not compared.
    ///
    /// - Throws: An environment error.
    public func check(_ kind: GestureKind, goesWith name: String) throws(PipelineError) {
        guard let gesture = self[name], gesture.kind != kind, !gesture.kind.becomes(kind), !kind.becomes(gesture.kind)
        else { return }
        throw .environment(
            "library.kind",
            "\"\(name)\" is a gesture of kind \(gesture.kind.rawValue), and the samples are of \(kind.rawValue)",
            help: "give them another name, or remove the gesture first")
    }

    /// Where the gesture of a name stands; it is added when it is new.
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
    /// Whether gestures of this kind can become ones of another: pictures can be made of strokes, not the other way round.
    fileprivate func becomes(_ other: Self) -> Bool { self == .stroke && other == .bitmap }
}

extension Array where Element: Hashable {
    /// Appends what is not there yet and returns how much that was.
    fileprivate mutating func addNew(_ others: [Element]) -> Int {
        var known = Set(self)
        let before = count
        for other in others where known.insert(other).inserted { append(other) }
        return count - before
    }
}

extension GestureLibrary {
    /// Takes in another library: new gestures at the end, new samples of known gestures behind theirs. Samples that are
    /// already there are not taken twice; display names that are there stay.
    ///
    /// - Returns: How many samples were new. O(samples of both).
    /// - Throws: An environment error for a gesture whose samples are strokes in one library and hands in the other.
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
            // Pictures can be made of strokes, not the other way round.
            if gesture.kind == .bitmap { gestures[index].kind = .bitmap }
            added += gestures[index].samples.addNew(gesture.samples)
            added += gestures[index].hands.addNew(gesture.hands)
            added += gestures[index].patterns.addNew(gesture.patterns)
        }
        return added
    }

    /// Removes a gesture. Returns whether it was there.
    @discardableResult
    public mutating func remove(_ name: String) -> Bool {
        let count = gestures.count
        gestures.removeAll { $0.name == name }
        return gestures.count < count
    }
}
