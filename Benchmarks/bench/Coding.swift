import Connectors
import Pipeline
import Stages

/// Measures canonical JSON: decoding it from memory line by line, and encoding it into memory. The fastest round counts, in
/// processor time.
enum Coding {
    /// Measures decoding.
    ///
    /// - Parameter arguments: `strokes` or `hands`, a file, and the number of rounds.
    static func decode(_ arguments: [String]) async throws -> Measured {
        let lines = try Lines(path: arguments.count > 1 ? arguments[1] : "")
        let rounds = arguments.integer(2, 2)
        if arguments.first == "hands" {
            return try decode(lines, rounds) { (hands: Hands) in
                hands.hands.reduce(0) { $0 + ($1.points.last?.y ?? 0) }
            }
        }
        return try decode(lines, rounds) { (stroke: Stroke) in stroke.samples.last?.y ?? 0 }
    }

    private static func decode<P: WirePayload>(
        _ lines: Lines, _ rounds: Int, _ value: (P) -> Double
    ) throws -> Measured {
        var decoder = try CanonicalDecoder<P>(defaultStream: "")
        var check = 0.0
        let time = try quickest(rounds) {
            check = 0
            for line in lines.ranges {
                let message = try decoder.decode(lines[line])
                if let frame = message.frame { check += value(frame.payload) }
            }
        }
        let count = lines.ranges.count
        return Measured(nanoseconds: time / Double(count), items: rounds * count, check: check)
    }

    /// Measures encoding. Reading the file is not measured.
    ///
    /// - Parameter arguments: `strokes` or `hands`, a file, and the number of rounds.
    static func encode(_ arguments: [String]) async throws -> Measured {
        let lines = try Lines(path: arguments.count > 1 ? arguments[1] : "")
        let rounds = arguments.integer(2, 2)
        return arguments.first == "hands"
            ? try encode(lines, rounds, as: Hands.self) : try encode(lines, rounds, as: Stroke.self)
    }

    private static func encode<P: WirePayload>(_ lines: Lines, _ rounds: Int, as: P.Type) throws -> Measured {
        var decoder = try CanonicalDecoder<P>(defaultStream: "")
        var frames: [Frame<P>] = []
        for line in lines.ranges.prefix(20_000) {
            if let frame = try decoder.decode(lines[line]).frame { frames.append(frame) }
        }
        let encoder = CanonicalEncoder()
        var text = TextBuffer()
        var bytes = 0
        let time = try quickest(rounds) {
            bytes = 0
            for frame in frames {
                text.clear()
                try encoder.encode(frame, into: &text)
                bytes += text.count
            }
        }
        return Measured(
            nanoseconds: time / Double(frames.count), items: rounds * frames.count, check: Double(bytes))
    }
}
