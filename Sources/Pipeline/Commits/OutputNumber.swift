/// The number of a frame among the output of its stream: its timestamp, and a count of the earlier frames with this timestamp.
///
/// Within a stream, the numbers only increase. A run that reads its input again gives the output the same numbers as before.
public struct OutputNumber: Comparable, Hashable, Sendable {
    /// The timestamp in microseconds.
    public let time: Int64
    /// The number of earlier frames of the stream with this timestamp.
    public let count: Int64

    /// Creates a number.
    public init(time: Int64, count: Int64 = 0) { (self.time, self.count) = (time, count) }

    /// Returns the number of the stream's next frame, which has the given timestamp.
    public func next(at time: Timestamp) -> OutputNumber {
        OutputNumber(time: time.rawValue, count: time.rawValue == self.time ? count + 1 : 0)
    }

    public static func < (a: OutputNumber, b: OutputNumber) -> Bool { (a.time, a.count) < (b.time, b.count) }
}

/// The last frame that a sink has written of a stream.
public struct WrittenOutput: Hashable, Sendable {
    /// The number of the frame.
    public let last: OutputNumber
    /// The latest possible timestamp of the frames from which it was made.
    public let madeUntil: Timestamp

    /// Creates the value.
    public init(last: OutputNumber, madeUntil: Timestamp) { (self.last, self.madeUntil) = (last, madeUntil) }
}

/// Identifies the output of one stream at one sink. It is the same in every run of a configuration.
public struct OutputKey: Hashable, Comparable, Sendable {
    /// A hash of the sink's `id` and the stream's name (FNV-1a, mixed). It is stored with committed positions, so it must never
    /// change.
    public let hash: UInt64

    /// Creates a key from its stored form.
    public init(hash: UInt64) { self.hash = hash }

    init(sink: String, stream: StreamID) {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in sink.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        // No `id` contains this byte, and no text in UTF-8 does.
        hash = (hash ^ 0xFF) &* 0x0000_0100_0000_01B3
        for byte in stream.name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        hash = (hash ^ (hash >> 32)) &* 0x9E37_79B9_7F4A_7C15
        self.hash = hash ^ (hash >> 29)
    }

    public static func < (a: OutputKey, b: OutputKey) -> Bool { a.hash < b.hash }
}
