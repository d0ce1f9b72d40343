import MCAP
import Pipeline

/// Measures many small messages written to and read from an MCAP file, in processor time from opening the file to closing it.
///
/// `Benchmarks/Yardsticks/mcap.cpp` and `Benchmarks/record.py` do the same with the same messages.
enum Recordings {
    /// The number of streams, to which the messages belong in turn.
    private static let streams = 4
    /// The time between two messages, in nanoseconds.
    private static let pause: UInt64 = 5_000_000

    /// Measures writing.
    ///
    /// - Parameter arguments: A file with one message per line, the recording, and `none` or `zstd`.
    static func write(_ arguments: [String]) async throws -> Measured {
        guard arguments.count > 2 else { throw PipelineError.environment("bench.arguments", "expected three") }
        let lines = try Lines(path: arguments[0])
        var options = WriterOptions()
        options.compression = arguments[2] == "zstd" ? .zstd : .none
        var sum = MessageSum()
        let clock = Stopwatch(.processor)
        do {
            let writer = try Writer(FileOutput(path: arguments[1]), options)
            try writer.add(Schema(id: 1, name: "message", encoding: "jsonschema", data: Array("{}".utf8)))
            for id in 0..<streams {
                try writer.add(
                    Channel(id: UInt16(id), schemaID: 1, topic: "pen/\(id + 1)", messageEncoding: "json"))
            }
            for (number, line) in lines.ranges.enumerated() {
                let data = lines[line]
                let time = UInt64(number) * pause
                try writer.write(
                    channel: UInt16(number % streams), sequence: UInt32(number / streams), logTime: time,
                    publishTime: time, data: data)
                sum.add(data)
            }
            try writer.finish()
        }
        return sum.measured(clock.nanoseconds)
    }

    /// Measures reading.
    ///
    /// - Parameter arguments: The recording, and `streaming` for file order or `indexed` for log-time order by the index.
    static func read(_ arguments: [String]) async throws -> Measured {
        let path = arguments.first ?? ""
        var sum = MessageSum()
        let clock = Stopwatch(.processor)
        if arguments.dropFirst().first == "indexed" {
            var cursor = try IndexedReader(FileInput(path: path)).messages()
            while let message = try cursor.next() { message.data.withUnsafeBytes { sum.add($0) } }
        } else {
            var reader = StreamingReader(try FileInput(path: path))
            while let message = try reader.nextMessage() { message.data.withUnsafeBytes { sum.add($0) } }
        }
        return sum.measured(clock.nanoseconds)
    }
}

/// The check value of all messages, which must be the same for every reader and writer.
private struct MessageSum {
    private var messages = 0
    private var sum = 0

    @inline(__always)
    mutating func add(_ data: UnsafeRawBufferPointer) {
        messages += 1
        sum += data.count + Int(data[data.count / 2])
    }

    func measured(_ nanoseconds: Double) -> Measured {
        Measured(nanoseconds: nanoseconds / Double(max(1, messages)), items: messages, check: Double(sum))
    }
}
