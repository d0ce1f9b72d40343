import Pipeline

@testable import Connectors
@testable import Stages

/// Generates random payloads and frames from a seed, including unusual ones.
struct PayloadGenerator {
    /// SplitMix64 (Steele, Lea, Flood 2014), so that a seed gives the same payloads everywhere.
    struct Random: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }
    }

    var random: Random

    init(seed: UInt64) { random = Random(state: seed) }

    static let names = [
        "", "pen/1", "a stream whose name is longer than fifteen bytes", "quote \" back \\ slash /",
        "tab\tline\nreturn\r",
        "null \u{0} bell \u{7} delete \u{7F}", "Grüße 手 👩🏽‍🚀 \u{2028}", "~08", "None",
    ]

    mutating func name() -> String { Self.names.randomElement(using: &random) ?? "" }

    mutating func maybe<T>(_ value: T) -> T? { Bool.random(using: &random) ? value : nil }

    mutating func number() -> Double {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: Double(Int.random(in: -500...500, using: &random))
        case 1: Double(Int.random(in: -50000...50000, using: &random)) / 100
        case 2:
            [
                0.0, -0.0, .leastNonzeroMagnitude, -2.2250738585072014e-308, 1.7976931348623157e308, 1e15, 1e16, 1e-7,
                0.1, 1 / 3,
            ]
            .randomElement(using: &random) ?? 0
        case 3: Double(Float.random(in: -1...1, using: &random))
        case 4:
            // Any bit pattern that is a finite number.
            { (bits: Double) in bits.isFinite ? bits : 0.5 }(Double(bitPattern: random.next()))
        default: Double.random(in: -1000...1000, using: &random)
        }
    }

    mutating func time() -> Timestamp {
        Timestamp(rawValue: Int64.random(in: 0...9_007_199_254_740_991, using: &random))
    }

    mutating func fields() -> SampleFields { SampleFields(rawValue: UInt8.random(in: 0...3, using: &random)) }

    mutating func samples(_ fields: SampleFields, count: Int) -> [Sample] {
        (0..<count).map { _ in
            Sample(
                x: number(), y: number(), t: fields.contains(.time) ? number() : 0,
                p: fields.contains(.pressure) ? number() : 0)
        }
    }

    mutating func stroke() -> Stroke {
        let fields = fields()
        let counts = (0..<Int.random(in: 0...3, using: &random)).map { _ in Int.random(in: 0...5, using: &random) }
        let total = counts.isEmpty ? Int.random(in: 0...70, using: &random) : counts.reduce(0, +)
        return Stroke(
            samples: samples(fields, count: total), counts: counts, start: time(), fields: fields,
            label: maybe(name()), subject: maybe(name()))
    }

    mutating func points() -> Points {
        // At least one sample: the reader of mapped messages does not keep the fields of a piece without samples.
        let count = Int.random(in: 1...9, using: &random)
        let fields = fields()
        return Points(
            phase: Points.Phase.allCases.randomElement(using: &random) ?? .move,
            stroke: Int.random(in: 0...9, using: &random), samples: samples(fields, count: count), start: time(),
            fields: fields)
    }

    mutating func landmarks() -> Landmarks {
        let count = [0, 1, 21].randomElement(using: &random) ?? 21
        let hasDepth = Bool.random(using: &random)
        func places(_ generator: inout PayloadGenerator, depth: Bool) -> [Landmarks.Point] {
            (0..<count).map { _ in
                .init(x: generator.number(), y: generator.number(), z: depth ? generator.number() : 0)
            }
        }
        return Landmarks(
            topology: name(), space: maybe("pixels"), points: places(&self, depth: hasDepth), hasDepth: hasDepth,
            confidences: maybe((0..<count).map { _ in 0.5 }) ?? [], world: maybe(places(&self, depth: true)) ?? [],
            handedness: maybe("Left"), handednessScore: maybe(number()), score: maybe(number()),
            presence: maybe(number()),
            track: maybe(Int.random(in: 0...99, using: &random)), doubt: maybe("held"))
    }

    mutating func hands() -> Hands {
        Hands(hands: (0..<Int.random(in: 0...3, using: &random)).map { _ in landmarks() })
    }

    mutating func results() -> HandResults {
        HandResults(
            hands: (0..<Int.random(in: 0...3, using: &random)).map { _ in
                .init(landmarks: landmarks(), gestures: maybe(recognition().categories) ?? [])
            })
    }

    mutating func subject() -> Subject? {
        switch Int.random(in: 0..<3, using: &random) {
        case 0: nil
        case 1: .stroke(stroke())
        default: .landmarks(landmarks())
        }
    }

    mutating func vector() -> FeatureVector {
        FeatureVector(
            values: (0..<Int.random(in: 0...32, using: &random)).map { _ in number() }, start: time(), end: time(),
            label: maybe(name()), subject: subject())
    }

    mutating func bitmap() -> Bitmap {
        Bitmap(bits: random.next(), start: time(), end: time(), label: maybe(name()), subject: subject())
    }

    mutating func recognition() -> Recognition {
        let categories = (0..<Int.random(in: 1...4, using: &random)).map { i in
            Recognition.Category(name: name(), displayName: maybe(name()), index: i - 1, score: number())
        }
        return Recognition(
            categories: categories, margin: number(), matcher: "protractor", start: time(), end: time(),
            label: maybe(name()), subject: subject())
    }

    mutating func ink() -> Ink {
        func counts(_ generator: inout PayloadGenerator) -> [Int] {
            let strokes = Int.random(in: 0...3, using: &generator.random)
            return strokes < 2 ? [] : (0..<strokes).map { _ in Int.random(in: 0...5, using: &generator.random) }
        }
        let (counts, meshCounts) = (counts(&self), counts(&self))
        let isTimed = Bool.random(using: &random)
        let points = (0..<(counts.isEmpty ? Int.random(in: 0...9, using: &random) : counts.reduce(0, +))).map { _ in
            Ink.Point(x: number(), y: number(), t: isTimed ? number() : 0, width: number())
        }
        // Without vertices, there is no mesh.
        let corners = meshCounts.reduce(0, +)
        let mesh = (0..<corners).map { _ in Ink.Vertex(x: number(), y: number()) }
        return Ink(
            phase: Ink.Phase.allCases.randomElement(using: &random) ?? .whole,
            stroke: Int.random(in: 0...9, using: &random), points: points, counts: counts, mesh: mesh,
            meshCounts: corners == 0 ? [] : meshCounts, start: time(), isTimed: isTimed, label: maybe(name()),
            subject: maybe(name()))
    }

    mutating func frame<P: Payload>(_ payload: P) -> Frame<P> {
        let unknown = maybe([Origin.Unknown(key: "zz", json: #"{"a":[1,2,{"b":null}],"c":"é"}"#)]) ?? []
        let origin = Origin(receivedAt: maybe(time().rawValue), clock: maybe("unix"), unknown: unknown)
        return Frame(
            payload, at: time(), stream: StreamID(name()), sequence: Int64.random(in: 0...1000, using: &random),
            origin: maybe(origin))
    }
}

/// Calls `body` with bytes that are followed by a reader's padding. The padding consists of digits, so that reading it changes
/// the result.
func withPadded<R>(_ bytes: some Collection<UInt8>, _ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    let padded = Array(bytes) + [UInt8](repeating: UInt8(ascii: "9"), count: JSONReader.padding)
    return try padded.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[0..<bytes.count])) }
}

/// Returns the result of decoding a text with a new decoder.
func decode<P: WirePayload>(_ type: P.Type, _ text: some StringProtocol) throws -> DecodedMessage<P> {
    try decode(type, bytes: Array(text.utf8))
}

/// Returns the result of decoding bytes with a new decoder.
func decode<P: WirePayload>(_ type: P.Type, bytes: [UInt8]) throws -> DecodedMessage<P> {
    var decoder = try CanonicalDecoder<P>(defaultStream: "unnamed")
    return try withPadded(bytes) { try decoder.decode($0) }
}

/// Returns the canonical text of a frame.
func encode<P: WireEncodable>(_ frame: Frame<P>) throws -> String {
    var text = TextBuffer()
    try CanonicalEncoder().encode(frame, into: &text)
    return text.text
}
