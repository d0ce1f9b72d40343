import Connectors
import Pipeline
import Stages

/// Measures the decoding of messages from memory, in one of the shapes that senders use. The fastest round counts, in processor
/// time. The canonical shape is the yardstick of the other shapes.
enum Shapes {
    /// A shape of the points of one stroke or hand.
    private enum Shape: String, CaseIterable {
        /// The shape that our own sinks write.
        case canonical
        /// `[x, y, x, y]`.
        case flat
        /// `[[x, y], [x, y]]`.
        case lists
        /// `[{"x": 1, "y": 2}]`.
        case objects
        /// `{"x": [1, 2], "y": [1, 2]}`.
        case columns
        /// `{"WRIST": [x, y]}`. The samples of a stroke have their indices as names.
        case names
        /// `{"WRIST": {"x": 1, "y": 2}}`.
        case namedObjects = "named-objects"
    }

    /// Measures decoding.
    ///
    /// - Parameter arguments: `strokes` or `hands`, a file, `json` or `msgpack`, a shape, and the number of
    ///   rounds.
    static func decode(_ arguments: [String]) async throws -> Measured {
        guard arguments.count > 3, let shape = Shape(rawValue: arguments[3]) else {
            let shapes = Shape.allCases.map(\.rawValue).joined(separator: " | ")
            throw PipelineError.environment(
                "bench.shape", "usage: bench shapes WHAT FILE json|msgpack \(shapes) ROUNDS")
        }
        let lines = try Lines(path: arguments[1])
        let isPacked = arguments[2] == "msgpack"
        let rounds = arguments.integer(4, 5)
        if arguments[0] == "hands" {
            return try decode(
                lines, shape, isPacked, rounds, { $0.hands.reduce(0) { $0 + ($1.points.last?.y ?? 0) } }, write: hands)
        }
        return try decode(lines, shape, isPacked, rounds, { $0.samples.last.map { $0.y + $0.t } ?? 0 }, write: stroke)
    }

    private static func decode<P: WirePayload>(
        _ lines: Lines, _ shape: Shape, _ isPacked: Bool, _ rounds: Int, _ value: (P) -> Double,
        write: (Frame<P>, Shape, inout TextBuffer) -> Void
    ) throws -> Measured {
        var reader = try CanonicalDecoder<P>(defaultStream: "")
        let packer = MessagePackWriter()
        var (text, all) = (TextBuffer(), TextBuffer())
        var ranges: [Range<Int>] = []
        for line in lines.ranges.prefix(10_000) {
            guard let frame = try reader.decode(lines[line]).frame else { continue }
            text.clear()
            if shape == .canonical {
                try CanonicalEncoder().encode(frame, into: &text)
            } else {
                write(frame, shape, &text)
            }
            let start = all.count
            if isPacked {
                try text.withPaddedBytes { try packer.write($0) { all.plain($0) } }
            } else {
                text.withBytes { all.plain($0) }
            }
            ranges.append(start..<all.count)
        }
        let syntax = isPacked ? DocumentSyntax.messagePack : .json
        guard shape != .canonical else {
            var decoder = try CanonicalDecoder<P>(syntax, defaultStream: "")
            return try measure(all, ranges, rounds, value) { bytes in try decoder.decode(bytes) }
        }
        var decoder = try MappedDecoder<P>(
            options(of: shape, isPacked, isHands: P.self == Hands.self), defaultStream: "",
            landmarks: LandmarkTraits(), numbering: StreamCounters())
        return try measure(all, ranges, rounds, value) { bytes in try decoder.decode(bytes) }
    }

    private static func measure<P: Payload>(
        _ all: TextBuffer, _ ranges: [Range<Int>], _ rounds: Int, _ value: (P) -> Double,
        _ decode: (UnsafeRawBufferPointer) throws -> DecodedMessage<P>
    ) throws -> Measured {
        var padded = all
        for _ in 0..<JSONReader.padding { padded.byte(0) }
        return try padded.withBytes { bytes in
            var check = 0.0
            let time = try quickest(rounds) {
                check = 0
                for range in ranges {
                    let message = try decode(UnsafeRawBufferPointer(rebasing: bytes[range]))
                    if let frame = message.frame { check += value(frame.payload) }
                }
            }
            return Measured(nanoseconds: time / Double(ranges.count), items: rounds * ranges.count, check: check)
        }
    }

    private static func options(of shape: Shape, _ isPacked: Bool, isHands: Bool) throws -> DecodeOptions {
        var options = DecodeOptions()
        options.format = isPacked ? .msgpack : .json
        (options.t, options.tUnit) = ([try FieldPath("time")], .us)
        (options.seq, options.stream) = ([try FieldPath("id")], [try FieldPath("device")])
        if isHands {
            options.points = [try FieldPath("hands[*].points")]
            options.handedness = [try FieldPath("hands[*].side")]
            options.score = [try FieldPath("hands[*].confidence")]
            options.topology = [try FieldPath("hands[*].model")]
            options.space = [try FieldPath("hands[*].space")]
        } else {
            options.points = [try FieldPath("points")]
            (options.start, options.label) = ([try FieldPath("begin")], [try FieldPath("class")])
        }
        if [.flat, .lists, .names].contains(shape) { options.fields = try PointFields(isHands ? "xyz" : "xyt") }
        return options
    }

    private static func stroke(_ frame: Frame<Stroke>, _ shape: Shape, into text: inout TextBuffer) {
        let stroke = frame.payload
        text.plain("{\"device\":\"\(frame.stream)\",\"id\":\(frame.sequence),\"time\":\(frame.timestamp.rawValue)")
        text.plain(",\"begin\":\(stroke.start.rawValue),\"points\":")
        let points = stroke.samples.map { [$0.x, $0.y, $0.t] }
        write(points, shape, letters: ["x", "y", "t"], names: points.indices.map(String.init), into: &text)
        text.plain(",\"class\":\"\(stroke.label ?? "")\"}")
    }

    private static func hands(_ frame: Frame<Hands>, _ shape: Shape, into text: inout TextBuffer) {
        text.plain("{\"device\":\"\(frame.stream)\",\"id\":\(frame.sequence),\"time\":\(frame.timestamp.rawValue)")
        text.plain(",\"hands\":[")
        for (number, hand) in frame.payload.hands.enumerated() {
            if number > 0 { text.literal(",") }
            text.plain("{\"model\":\"\(hand.topology)\",\"space\":\"\(hand.space ?? "")\",\"points\":")
            write(
                hand.points.map { [$0.x, $0.y, $0.z] }, shape, letters: ["x", "y", "z"],
                names: Topology.hand21.otherNames, into: &text)
            text.plain(",\"side\":\"\(hand.handedness ?? "")\",\"confidence\":")
            text.number(hand.score ?? 0)
            text.literal("}")
        }
        text.literal("]}")
    }

    private static func write(
        _ points: [[Double]], _ shape: Shape, letters: [String], names: [String], into text: inout TextBuffer
    ) {
        func list<Element>(
            _ elements: [Element], _ brackets: (StaticString, StaticString), _ write: (Int, Element) -> Void
        ) {
            text.literal(brackets.0)
            for (index, element) in elements.enumerated() {
                if index > 0 { text.literal(",") }
                write(index, element)
            }
            text.literal(brackets.1)
        }
        let (list_, object): ((StaticString, StaticString), (StaticString, StaticString)) = (("[", "]"), ("{", "}"))
        func member(_ name: String, _ number: Double) {
            text.plain("\"\(name)\":")
            text.number(number)
        }
        func point(_ numbers: [Double]) {
            if [.objects, .namedObjects].contains(shape) {
                list(numbers, object) { member(letters[$0], $1) }
            } else {
                list(numbers, list_) { text.number($1) }
            }
        }
        switch shape {
        case .canonical, .flat: list(points.flatMap { $0 }, list_) { text.number($1) }
        case .lists, .objects: list(points, list_) { point($1) }
        case .columns:
            list(letters, object) { slot, letter in
                text.plain("\"\(letter)\":")
                list(points, list_) { text.number($1[slot]) }
            }
        case .names, .namedObjects:
            list(points, object) { index, numbers in
                text.plain("\"\(names[index])\":")
                point(numbers)
            }
        }
    }
}
