import CKafka
import Pipeline

/// The configuration of a client. A client that was created from it owns it.
final class KafkaConfiguration {
    /// The reason why librdkafka does not accept a property.
    struct Problem: Error {
        let message: String
        /// Whether there is no property of this name.
        let isUnknown: Bool
    }

    /// `nil` if a client owns the configuration.
    private(set) var pointer: OpaquePointer?

    init() { pointer = rd_kafka_conf_new() }

    deinit { if let pointer { rd_kafka_conf_destroy(pointer) } }

    /// Sets a property.
    func set(_ name: String, _ value: String) throws(Problem) {
        var text = [CChar](repeating: 0, count: 512)
        let result = rd_kafka_conf_set(pointer, name, value, &text, text.count)
        guard result == RD_KAFKA_CONF_OK else {
            throw Problem(message: Self.firstLine(of: text), isUnknown: result == RD_KAFKA_CONF_UNKNOWN)
        }
        // librdkafka reads the beginning of `12x`, takes `010` for 8, and only takes the last 32 bits of a large number. Names of
        // numbers, such as `all`, do not begin with a digit.
        var length = text.count
        guard value.first.map({ $0.isNumber || "+-".contains($0) }) == true,
            rd_kafka_conf_get(pointer, name, &text, &length) == RD_KAFKA_CONF_OK,
            let number = Int(Self.firstLine(of: text)), number != Int(value)
        else { return }
        throw Problem(message: "\(name) would be \(number) with the value \(quote(value))", isUnknown: false)
    }

    private static func firstLine(of text: [CChar]) -> String {
        let newline = CChar(bitPattern: UInt8(ascii: "\n"))
        return String(decoding: text.prefix { $0 != 0 && $0 != newline }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The names of all properties.
    var names: [String] {
        var count = 0
        guard let list = rd_kafka_conf_dump(pointer, &count) else { return [] }
        defer { rd_kafka_conf_dump_free(list, count) }
        return stride(from: 0, to: count, by: 2).compactMap { list[$0].map { String(cString: $0) } }
    }

    /// Returns the client that `body` creates from the configuration. If there is one, it owns the configuration from then on.
    func handOver(_ body: (OpaquePointer) -> OpaquePointer?) -> OpaquePointer? {
        guard let pointer, let client = body(pointer) else { return nil }
        self.pointer = nil
        return client
    }
}
