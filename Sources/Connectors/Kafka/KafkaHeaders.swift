import CKafka
import Pipeline

/// The headers that a sink adds to its messages: those in its configuration, and the number of each message.
///
/// The number consists of the frame's timestamp in microseconds and a count of the earlier frames of its stream with this
/// timestamp: `1500.0`. Within a stream, the numbers only increase, and a run that reads its input again gives each result the
/// same number as before. So a reader can discard repetitions: their numbers are not larger than the last one of the stream.
struct KafkaHeaders {
    /// The name of the header with the number.
    static let number = "pipeline-number"

    private let fixed: [(name: String, value: String)]
    private var text: [UInt8] = []

    init(_ fixed: [(name: String, value: String)]) { self.fixed = fixed }

    /// Sets the number of the next message. Messages have no number until it is called.
    mutating func number(_ number: OutputNumber) {
        text.removeAll(keepingCapacity: true)
        number.write(into: &text)
    }

    /// Sends a message with these headers.
    func send(
        to client: KafkaClient, _ topic: OpaquePointer, key: String, _ message: UnsafeRawBufferPointer,
        _ mark: UnsafeMutableRawPointer?
    ) -> KafkaCode {
        let headers = rd_kafka_headers_new(fixed.count + 1)
        for (name, value) in fixed { rd_kafka_header_add(headers, name, -1, value, value.utf8.count) }
        if !text.isEmpty {
            text.withUnsafeBytes { _ = rd_kafka_header_add(headers, Self.number, -1, $0.baseAddress, $0.count) }
        }
        var key = key
        let error = key.withUTF8 { key in
            pipeline_kafka_produce(
                client.pointer, topic, key.baseAddress, key.count, message.baseAddress, message.count, headers, mark)
        }
        guard error.rawValue != 0 else { return .none }
        // After an error, the client does not own the headers.
        rd_kafka_headers_destroy(headers)
        return KafkaCode(error)
    }
}
