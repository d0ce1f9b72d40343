import Pipeline

/// The number of a message in its stream; see ``KafkaHeaders``.
struct KafkaNumber: Comparable, Sendable {
    let time: Int64
    let count: Int64

    /// Creates the number of the first frame with a timestamp.
    init(at time: Timestamp) { (self.time, count) = (time.rawValue, 0) }

    private init(_ time: Int64, _ count: Int64) { (self.time, self.count) = (time, count) }

    /// Reads a number. Returns `nil` if the bytes are not a number.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count <= 40, let point = bytes.firstIndex(of: UInt8(ascii: ".")),
            let time = Int64(String(decoding: bytes[..<point], as: UTF8.self)),
            let count = Int64(String(decoding: bytes[(point + 1)...], as: UTF8.self)), time >= 0, count >= 0
        else { return nil }
        (self.time, self.count) = (time, count)
    }

    /// Returns the number of the stream's next frame, which has the given timestamp.
    func next(at time: Timestamp) -> KafkaNumber {
        time.rawValue == self.time ? KafkaNumber(self.time, count + 1) : KafkaNumber(at: time)
    }

    func write(into text: inout [UInt8]) {
        text.append(contentsOf: String(time).utf8)
        text.append(UInt8(ascii: "."))
        text.append(contentsOf: String(count).utf8)
    }

    static func < (a: KafkaNumber, b: KafkaNumber) -> Bool { (a.time, a.count) < (b.time, b.count) }
}
