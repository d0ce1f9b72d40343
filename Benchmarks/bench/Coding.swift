import Pipeline
import Stages

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Canonical JSON, decoded from memory line by line and written into memory: the quickest round, in processor time.
enum Coding {
    /// Arguments: `strokes` or `hands`, a file, how many rounds.
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

    /// Arguments: `strokes` or `hands`, a file, how many rounds. Reading it is not measured.
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

/// The lines of a file in memory, with the room behind them that the parser wants.
private final class Lines {
    private let bytes: UnsafeMutableRawBufferPointer
    private(set) var ranges: [Range<Int>] = []

    init(path: String) throws {
        guard let file = fopen(path, "rb") else { throw PipelineError.environment("bench.file", "cannot open \(path)") }
        defer { fclose(file) }
        fseek(file, 0, SEEK_END)
        let size = ftell(file)
        rewind(file)
        bytes = .allocate(byteCount: size + JSONReader.padding, alignment: 16)
        bytes.initializeMemory(as: UInt8.self, repeating: 0)
        guard fread(bytes.baseAddress, 1, size, file) == size else {
            throw PipelineError.environment("bench.file", "cannot read \(path)")
        }
        var start = 0
        for i in 0..<size where bytes[i] == 0x0A {
            if i > start { ranges.append(start..<i) }
            start = i + 1
        }
    }

    deinit { bytes.deallocate() }

    subscript(range: Range<Int>) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[range]) }
}
