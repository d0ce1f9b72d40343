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
        guard result != RD_KAFKA_CONF_OK else { return }
        let end = text.firstIndex(of: 0) ?? text.endIndex
        let message = String(decoding: text[..<end].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        throw Problem(message: message, isUnknown: result == RD_KAFKA_CONF_UNKNOWN)
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
