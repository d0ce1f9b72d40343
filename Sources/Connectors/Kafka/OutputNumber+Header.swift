import Pipeline

/// Numbers of output as text; see ``KafkaHeaders``.
extension OutputNumber {
    /// Reads a number. Returns `nil` if the bytes are not a number.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count <= 40, let point = bytes.firstIndex(of: UInt8(ascii: ".")),
            let time = Int64(String(decoding: bytes[..<point], as: UTF8.self)),
            let count = Int64(String(decoding: bytes[(point + 1)...], as: UTF8.self)), time >= 0, count >= 0
        else { return nil }
        self.init(time: time, count: count)
    }

    func write(into text: inout [UInt8]) {
        text.append(contentsOf: String(time).utf8)
        text.append(UInt8(ascii: "."))
        text.append(contentsOf: String(count).utf8)
    }
}
