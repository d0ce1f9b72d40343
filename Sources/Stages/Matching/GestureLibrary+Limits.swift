import Pipeline

extension GestureLibrary {
    /// How far a stroke may be from each gesture, as `gestures calibrate` computed it from the samples.
    public struct Limits: Hashable, Sendable {
        /// The share of unknown strokes that they are to let in.
        public var falseAccept: Double
        /// The largest distance of each gesture, by name, in the unit of `match` with method `cloud`.
        public var distances: [String: Double]
        /// The ``GestureLibrary/fingerprint`` of the samples they were computed from: they mean nothing for others.
        public var fingerprint: UInt64
        /// How likely a match is right, if that was computed as well.
        public var confidence: MatchConfidence?
        /// What holds for its gestures of hands; `nil` when it had none.
        public var hands: OfHands?

        /// How far a hand may be. What is compared of hands is for a pipeline to say, so that distances could not be stored.
        public struct OfHands: Hashable, Sendable {
            /// By what the limits are multiplied that a matcher learns.
            public var factor: Double
            /// How likely a match is right, if that was computed as well.
            public var confidence: MatchConfidence?

            /// Makes limits.
            public init(factor: Double, confidence: MatchConfidence? = nil) {
                (self.factor, self.confidence) = (factor, confidence)
            }
        }

        /// Makes limits.
        public init(
            falseAccept: Double, distances: [String: Double], fingerprint: UInt64, confidence: MatchConfidence? = nil,
            hands: OfHands? = nil
        ) {
            self.confidence = confidence
            self.hands = hands
            self.falseAccept = falseAccept
            self.distances = distances
            self.fingerprint = fingerprint
        }
    }

    /// A number that changes with the names of the gestures and the places of their samples (FNV-1a).
    public var fingerprint: UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        func add(_ bits: UInt64) {
            for shift in stride(from: 0, to: 64, by: 8) {
                hash = (hash ^ ((bits >> UInt64(shift)) & 0xFF)) &* 0x0000_0100_0000_01B3
            }
        }
        for gesture in gestures {
            for byte in gesture.name.utf8 { add(UInt64(byte)) }
            for sample in gesture.samples {
                add(UInt64(sample.samples.count))
                for count in sample.counts { add(UInt64(bitPattern: Int64(count))) }
                // A zero is written without its sign.
                for place in sample.samples {
                    add((place.x + 0).bitPattern)
                    add((place.y + 0).bitPattern)
                }
            }
            for hand in gesture.hands {
                add(UInt64(hand.points.count))
                for place in hand.points {
                    for number in [place.x, place.y, place.z] { add((number + 0).bitPattern) }
                }
            }
        }
        return hash
    }

    /// The limits, if they are those of the samples as they are now.
    var validLimits: Limits? { limits.flatMap { $0.fingerprint == fingerprint ? $0 : nil } }
}
