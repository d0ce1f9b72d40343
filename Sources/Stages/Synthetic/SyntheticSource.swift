import Pipeline
import PipelineComponents

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A source of synthetic data: simple shapes with seeded noise, signatures, or hands.
public enum SyntheticSource: SourceComponent {
    /// The kind of frames.
    public enum OutputKind: String, OptionChoice {
        /// Whole gestures.
        case stroke
        /// Pieces of one sample each, as a pen would send them.
        case points
        /// All hands of a camera's frames.
        case hands
        /// Hands, each in a stream of its own.
        case landmarks
    }

    /// The subject of the data.
    public enum Subject: String, OptionChoice {
        /// Simple shapes, at constant speed.
        case shapes
        /// Signatures, with the speed profile of a hand.
        case signatures
        /// Hands in front of a camera.
        case hands
    }

    public struct Options: ComponentOptions {
        @Option(
            "Kind of frames: whole gestures (stroke), pieces of one sample as a pen would send them (points), all hands of a camera's frames (hands), or each hand in a stream of its own (landmarks)."
        )
        public var kind = OutputKind.stroke

        @Option(
            "Subject to draw: simple shapes at constant speed, signatures with the speed profile of a hand, or hands in front of a camera. By default shapes, or hands if the kind is hands or landmarks.",
            example: "signatures")
        public var draws: Subject?

        @Option(
            "Total number of gestures, or for hands the number that each hand shows; 0 for no end.",
            in: 0...1_000_000_000)
        public var count = 100

        @Option(
            "Number of gestures per second of stream time, in each stream or of each hand. Signatures may take longer.",
            in: 0.001...100_000)
        public var rateHz = 1.0

        @Option("Replay speed: max for as fast as frames can be processed, 1 for the speed of stream time.")
        public var rate = ReplayRate.max

        @Option("Seed of the random numbers. The same seed draws the same strokes.", in: 0...Int.max)
        public var seed = 1

        @Option("Shapes to draw, in turn.", example: "[circle, triangle]")
        public var shapes = SyntheticShape.simple

        @Option("Number of samples of a gesture; for shapes.", in: 2...1_000_000)
        public var points = 64

        @Option(
            "Number of samples per second of signatures (at least 10; 120 by default), or of frames per second of hands (30 by default).",
            in: 1...10_000, example: "60")
        public var sampleHz: Double?

        @Option(
            "Side of the box that a shape fills, or approximate width of a signature, in the unit of the coordinates.",
            in: 1e-6...1e9)
        public var size = 250.0

        @Option(
            "Standard deviation of the position of every sample, as a share of the size of a shape or of the length of a hand.",
            in: 0...10)
        public var noise = 0.02

        @Option(
            "Number of streams: pens named pen/1, pen/2 and so on that draw in turn, or cameras.",
            in: 1...100_000)
        public var streams = 1

        @Option("Gestures that each hand shows, in turn; for hands.", example: "[Thumb_Up, Victory]")
        public var gestures = SyntheticGesture.allCases

        @Option("Number of hands that a camera sees. Two cross each other. For hands.", in: 1...2)
        public var hands = 2

        @Option("Probability, per frame, that a hand goes missing for 1 to 5 frames; for hands.", in: 0...1)
        public var dropouts = 0.0

        /// The subject to draw, with its default.
        var subject: Subject { draws ?? (kind == .hands || kind == .landmarks ? .hands : .shapes) }

        public init() {}

        public func check(_ node: ConfigNode, _ context: DecodingContext) {
            let drawsHands = subject == .hands
            if drawsHands != (kind == .hands || kind == .landmarks) {
                context.findings.error(
                    "option.conflict", "a source that draws \(subject.rawValue) does not emit \(kind.rawValue)",
                    at: (node["draws"] ?? node).span, path: context.path + ".draws",
                    help: drawsHands ? "write kind: hands or kind: landmarks" : "leave draws out")
            }
            for (name, subjects) in Self.subjectsByOption where !subjects.contains(subject) {
                guard let given = node[name] else { continue }
                context.findings.error(
                    "option.conflict", "\"\(name)\" has no effect when the source draws \(subject.rawValue)",
                    at: given.span, path: context.path + ".\(name)",
                    help: draws == nil && kind != .hands && kind != .landmarks
                        ? "add \(subjects == [.hands] ? "kind" : "draws"): \(subjects[0].rawValue), or leave it out"
                        : "leave it out")
            }
            if gestures.isEmpty {
                context.findings.error(
                    "option.empty", "no gesture to show", at: (node["gestures"] ?? node).span,
                    path: context.path + ".gestures", help: "leave gestures out to show all")
            }
            if shapes.isEmpty {
                context.findings.error(
                    "option.empty", "no shape to draw", at: (node["shapes"] ?? node).span,
                    path: context.path + ".shapes", help: "leave shapes out to draw all simple ones")
            }
            if points < Self.fewestOfLetter, let letter = shapes.first(where: { !$0.ways.isEmpty }) {
                context.findings.error(
                    "option.range", "\(points) points are too few for the strokes of \(letter.rawValue)",
                    at: (node["points"] ?? node).span, path: context.path + ".points",
                    help: "letters take at least \(Self.fewestOfLetter)")
            }
        }

        /// The options that apply only to some subjects.
        private static let subjectsByOption: [(name: String, subjects: [Subject])] = [
            ("sample_hz", [.signatures, .hands]), ("shapes", [.shapes]), ("points", [.shapes]),
            ("noise", [.shapes, .hands]), ("size", [.shapes, .signatures]), ("gestures", [.hands]),
            ("hands", [.hands]), ("dropouts", [.hands]),
        ]

        /// The smallest number of points for letters: two for every stroke of the letter with the most strokes.
        static let fewestOfLetter = 8
    }

    public static let manifest = Manifest(
        name: "synthetic",
        summary: "Generates simple shapes with seeded noise, signatures, or hands",
        details: """
            For demos, tests and measurements. Every gesture is labeled with its shape, rotated by up to 10°, scaled by 0.8 to \
            1.2, and noisy; the same seed draws the same gestures. A gesture takes half of the time to the next, at most half a \
            second. Letters are drawn in strokes of random order and direction, some of them in several ways. Between two strokes, \
            the pen is up for a tenth of the duration of the letter.

            `draws: signatures` writes names with a line under them and a dot, each with different letters. The strokes follow \
            the sigma-lognormal model of handwriting (O'Reilly and Plamondon, 2009): slow in turns and fast between them. The pen \
            is up for less than 300 ms between the strokes of a signature, and for at least 680 ms between signatures.

            `kind: hands` renders hands of a kinematic model. Joint angles become 21 points, in the image (normalized, 4:3) and in \
            world coordinates, with the bone lengths of Buryanov and Kotiuk (2010), noise, confidences, the handedness as \
            MediaPipe reports it, and no track. Each hand shows the gestures in turn, changes between them within a quarter of a \
            second, and has their names as labels except during a change. A right and a left hand move back and forth on about the \
            same line and cross twice in 2.4 to 4.4 seconds; with `dropouts`, a hand is missing now and then.
            """,
        example: """
            version: 1
            sources:
              - synthetic: { count: 20, shapes: [circle, star] }
            sinks:
              - stdout
            """)

    public static let makes = Production.one(of: [
        PortType(Stroke.self), PortType(Points.self), PortType(Hands.self), PortType(Landmarks.self),
    ])

    public static func make(_ options: Options, _ context: BuildContext) throws -> any Source {
        switch options.kind {
        case .stroke: DrawnStrokes<Stroke>(options) { strokes, stroke in strokes.append(stroke) }
        case .points: DrawnStrokes<Points>(options, cut: DrawnStrokes.pieces)
        case .hands: DrawnHands<Hands>(options, cut: DrawnHands.together)
        case .landmarks: DrawnHands<Landmarks>(options, cut: DrawnHands.apart)
        }
    }
}

/// The source that ``SyntheticSource`` creates for strokes and points, for one payload type.
struct DrawnStrokes<P: Payload>: Source {
    typealias Output = P

    private let options: SyntheticSource.Options
    private let cut: @Sendable (inout [Frame<P>], Frame<Stroke>) -> Void
    /// The number of rounding steps per unit of the coordinates.
    private let steps: Double
    private var random: SplitMix64
    private var hand: Handwriting
    private var drawn = 0
    private var sequences = StreamCounters()
    /// The time at which the next signature of every stream begins, in microseconds.
    private var nextStarts: [Int64]
    private var dispenser: FrameDispenser<P>

    /// Creates a source that draws strokes. `cut` appends the frames of one stroke.
    init(
        _ options: SyntheticSource.Options, cut: @escaping @Sendable (inout [Frame<P>], Frame<Stroke>) -> Void
    ) {
        self.options = options
        self.cut = cut
        random = SplitMix64(seed: UInt64(options.seed))
        hand = Handwriting(seed: UInt64(options.seed))
        nextStarts = Array(repeating: 0, count: options.subject == .signatures ? options.streams : 0)
        steps = pow(10, 6 - log10(options.size).rounded(.down))
        dispenser = FrameDispenser(options.rate)
    }

    var timing: SourceTiming { options.rate == .max ? .recorded : .live }

    mutating func open(_ context: SourceContext) async throws { dispenser.open(context) }

    mutating func read(into batch: inout SourceBatch<P>) async throws -> Bool {
        while try await dispenser.dispense(into: &batch) {
            guard options.count == 0 || drawn < options.count else { return !batch.isEmpty }
            let gesture = options.subject == .signatures ? write() : draw()
            cut(&dispenser.ready, gesture)
            for i in dispenser.ready.indices {
                dispenser.ready[i].sequence = sequences.next(of: dispenser.ready[i].stream)
            }
        }
        return dispenser.hasMore
    }

    /// Rounds a coordinate to about a millionth of the size. This makes the number short as text, and independent of the last
    /// digits of `sin`.
    private static func rounded(_ value: Double, _ steps: Double) -> Double { (value * steps).rounded() / steps }

    /// Writes the next signature.
    private mutating func write() -> Frame<Stroke> {
        let stream = drawn % options.streams
        let number = drawn / options.streams
        drawn += 1
        var (samples, counts) = hand.signature(hz: max(options.sampleHz ?? 120, 10))
        // A name is about eight x-heights wide.
        let scale = options.size / 8
        for i in samples.indices {
            samples[i].x = Self.rounded(samples[i].x * scale, steps)
            samples[i].y = Self.rounded((samples[i].y + 3) * scale, steps)
        }
        let stroke = Stroke(
            samples: samples, counts: counts, start: Timestamp(rawValue: nextStarts[stream]), fields: .time,
            label: "signature")
        let pause = max(0.7e6, 1e6 / options.rateHz - (samples.last?.t ?? 0))
        nextStarts[stream] = stroke.end.advanced(byMicroseconds: Int64(pause)).rawValue
        return Frame(stroke, at: stroke.end, stream: StreamID("pen/\(stream + 1)"), sequence: Int64(number))
    }

    /// Draws the next stroke.
    private mutating func draw() -> Frame<Stroke> {
        let shape = options.shapes[(drawn / options.streams) % max(1, options.shapes.count)]
        let (streamIndex, round) = (drawn % options.streams, drawn / options.streams)
        let angle = (random.uniform() - 0.5) * Double.pi / 9
        let scale = options.size / 2 * (0.8 + 0.4 * random.uniform())
        let (cosine, sine) = (cos(angle) * scale, sin(angle) * scale)
        // Samples are at least one microsecond apart.
        let period = max(1e6 / options.rateHz, 2 * Double(options.points))
        let length = min(0.5e6, period / 2).rounded()
        let deviation = options.noise * options.size
        let (places, counts) = places(of: shape)
        var samples: [Sample] = []
        samples.reserveCapacity(places.count)
        for place in places {
            let x = options.size / 2 + place.x * cosine - place.y * sine + deviation * random.normal()
            let y = options.size / 2 + place.x * sine + place.y * cosine + deviation * random.normal()
            samples.append(
                Sample(x: Self.rounded(x, steps), y: Self.rounded(y, steps), t: (place.u * length).rounded()))
        }
        drawn += 1
        let start = Timestamp(rawValue: Int64((Double(round) * period).rounded()))
        let stroke = Stroke(
            samples: samples, counts: counts, start: start, fields: .time, label: shape.rawValue)
        return Frame(
            stroke, at: stroke.end, stream: StreamID("pen/\(streamIndex + 1)"), sequence: Int64(round))
    }
}

extension DrawnStrokes {
    /// Returns the positions of a shape's samples and their times, `u` from 0 to 1, and the number of samples per stroke if there
    /// are several.
    private mutating func places(of shape: SyntheticShape) -> (
        places: [(x: Double, y: Double, u: Double)], counts: [Int]
    ) {
        let ways = shape.ways
        guard !ways.isEmpty else {
            let places = (0..<options.points).map { i in
                let u = Double(i) / Double(options.points - 1)
                let (x, y) = shape.place(at: u)
                return (x: x, y: y, u: u)
            }
            return (places, [])
        }
        let way = ways[random.below(ways.count)]
        let strokes = random.draw(way.count, of: way).map { random.below(2) == 0 ? $0 : $0.reversed() }
        let lengths = strokes.map(SyntheticShape.length(of:))
        let total = lengths.reduce(0, +)
        let pause = 0.1
        let speed = total / (1 - pause * Double(strokes.count - 1))
        var (places, counts): ([(x: Double, y: Double, u: Double)], [Int]) = ([], [])
        var (began, drawn) = (0.0, 0.0)
        for (index, stroke) in strokes.enumerated() {
            drawn += lengths[index]
            // The number of samples is proportional to the length of the stroke. It is at least two, and leaves at least two
            // samples for each remaining stroke.
            let share = Int((Double(options.points) * drawn / total).rounded()) - places.count
            let most = options.points - places.count - 2 * (strokes.count - 1 - index)
            let count = max(index == strokes.count - 1 ? most : min(share, most), 2)
            let duration = lengths[index] / speed
            for i in 0..<count {
                let u = Double(i) / Double(max(count - 1, 1))
                let (x, y) = SyntheticShape.along(stroke, u)
                places.append((x, y, began + u * duration))
            }
            counts.append(count)
            began += duration + pause
        }
        return (places, strokes.count > 1 ? counts : [])
    }
}

extension DrawnStrokes where P == Points {
    /// Cuts a gesture into pieces of one sample each. A stroke of one sample ends with an additional empty piece.
    static func pieces(_ frames: inout [Frame<Points>], _ gesture: Frame<Stroke>) {
        let stroke = gesture.payload
        let ranges = stroke.strokeRanges
        var last = Timestamp.beforeAll
        func add(_ phase: Points.Phase, _ number: Int, _ sample: Sample?, at time: Timestamp) {
            // Every piece has a later timestamp than the one before, however many samples there are per microsecond.
            last = max(time, last.advanced(byMicroseconds: 1))
            let samples = sample.map { [Sample(x: $0.x, y: $0.y, t: 0, p: $0.p)] } ?? []
            let points = Points(phase: phase, stroke: number, samples: samples, start: last, fields: .time)
            frames.append(Frame(points, at: last, stream: gesture.stream))
        }
        for (k, range) in ranges.enumerated() {
            let number = Int(gesture.sequence) * ranges.count + k
            for i in range {
                let phase: Points.Phase =
                    i == range.lowerBound ? .begin : i == range.upperBound - 1 ? .end : .move
                add(
                    phase, number, stroke.samples[i],
                    at: stroke.start.advanced(byMilliseconds: stroke.samples[i].t / 1000))
            }
            if range.count == 1 { add(.end, number, nil, at: last.advanced(byMicroseconds: 20_000)) }
        }
    }
}
