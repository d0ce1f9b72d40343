import Pipeline

extension GestureLibrary {
    /// The largest accepted distance of each gesture, computed from the samples by `gestures calibrate`.
    public struct Limits: Hashable, Sendable {
        /// The share of unknown strokes that the limits are meant to accept.
        public var falseAccept: Double
        /// The largest distance of each gesture, by name, in the unit of `match` with method `cloud`.
        public var distances: [String: Double]
        /// The ``GestureLibrary/fingerprint`` of the samples that the limits were computed from. The limits are invalid for other
        /// samples.
        public var fingerprint: UInt64
        /// The probability model of a correct match, if it was fitted.
        public var confidence: MatchConfidence?
        /// The limits for gestures of hands; `nil` if the library had none.
        public var hands: OfHands?

        /// The limits for hands, as a factor instead of distances, because the features of hands depend on the pipeline.
        public struct OfHands: Hashable, Sendable {
            /// The factor by which the limits that a matcher learns are multiplied.
            public var factor: Double
            /// The probability model of a correct match, if it was fitted.
            public var confidence: MatchConfidence?

            /// Creates limits for hands.
            public init(factor: Double, confidence: MatchConfidence? = nil) {
                (self.factor, self.confidence) = (factor, confidence)
            }
        }

        /// Creates limits.
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

    /// A hash (FNV-1a) of the names of the gestures and the coordinates of their samples.
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
                // Adding 0 removes the sign of a negative zero.
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

    /// The limits; `nil` unless they were computed from the current samples.
    var validLimits: Limits? { limits.flatMap { $0.fingerprint == fingerprint ? $0 : nil } }

    /// A warning that the limits were not computed from the current samples; `nil` if they were, or if there are none.
    var staleLimits: PipelineError? {
        guard limits != nil, validLimits == nil else { return nil }
        return PipelineError(
            .configuration, "match.stale_limits",
            "the library was changed after its limits were computed: they are not used",
            help: "pipectl gestures calibrate computes them again")
    }
}
