import CKafka

/// A message that was received. Its bytes are valid for as long as it exists.
struct KafkaMessage: ~Copyable {
    private let pointer: UnsafeMutablePointer<rd_kafka_message_t>

    init(_ pointer: UnsafeMutablePointer<rd_kafka_message_t>) { self.pointer = pointer }

    deinit { rd_kafka_message_destroy(pointer) }

    /// ``KafkaCode/none`` for a message, or else the event or error that librdkafka reports in place of a message.
    var code: KafkaCode { KafkaCode(pointer.pointee.err) }

    var topic: String {
        pointer.pointee.rkt.flatMap { rd_kafka_topic_name($0) }.map { String(cString: $0) } ?? ""
    }

    /// The client's object for the topic, and the number of the partition. They are cheaper to compare than the topic's name.
    var source: (topic: OpaquePointer?, partition: Int32) { (pointer.pointee.rkt, pointer.pointee.partition) }

    var partition: Int32 { pointer.pointee.partition }
    var offset: Int64 { pointer.pointee.offset }

    /// librdkafka's description of the error.
    var text: String { rd_kafka_message_errstr(pointer).map { String(cString: $0) } ?? code.message }

    /// The key; `nil` if the message has none.
    var key: UnsafeRawBufferPointer? {
        pointer.pointee.key.map { UnsafeRawBufferPointer(start: $0, count: pointer.pointee.key_len) }
    }

    /// The value; `nil` for a tombstone, a message with a key only.
    var value: UnsafeRawBufferPointer? {
        pointer.pointee.payload.map { UnsafeRawBufferPointer(start: $0, count: pointer.pointee.len) }
    }

    /// Returns the last header with a name; `nil` if the message has none.
    func header(_ name: String) -> UnsafeRawBufferPointer? {
        var headers: OpaquePointer?
        guard rd_kafka_message_headers(pointer, &headers).rawValue == 0, let headers else { return nil }
        var (value, size): (UnsafeRawPointer?, Int) = (nil, 0)
        guard rd_kafka_header_get_last(headers, name, &value, &size).rawValue == 0 else { return nil }
        return UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : size)
    }

    /// The time at which the message was written, in microseconds since 1970; `nil` if it is not known.
    var time: Int64? {
        var kind = RD_KAFKA_TIMESTAMP_NOT_AVAILABLE
        let milliseconds = rd_kafka_message_timestamp(pointer, &kind)
        guard kind != RD_KAFKA_TIMESTAMP_NOT_AVAILABLE, (0..<1_000_000_000_000_000).contains(milliseconds) else {
            return nil
        }
        return milliseconds * 1000
    }
}
