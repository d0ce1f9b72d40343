import Pipeline

/// The implementation of ``KafkaSource`` for one payload type.
struct KafkaReceiver<P: WirePayload>: Source {
    typealias Output = P

    private let options: KafkaSource.Options
    private let defaultStream: StreamID
    private let padded = PaddedCopy()
    private var stop: StopSignal?
    /// The clock that stamps messages without a timestamp, if they are stamped and Kafka does not say when they were written.
    private var stamps: (any RunClock)?
    private var consumer: KafkaConsumer?
    private var decoder: MessageDecoder<P>?
    private var intake: MessageIntake<P>?

    init(_ options: KafkaSource.Options, defaultStream: StreamID) {
        (self.options, self.defaultStream) = (options, defaultStream)
    }

    // A log keeps what is not read yet: nothing is lost by waiting.
    var timing: SourceTiming { options.until == .end ? .recorded : .live }
    var output: PortType { PortType(P.self, attributes: options.knownLandmarks.attributes) }
    var mayBlock: Bool { true }

    mutating func open(_ context: SourceContext) async throws {
        stop = context.stop
        stamps = options.decode.missingTime == .error ? nil : context.clock
        decoder = try MessageDecoder(options.decode, defaultStream: defaultStream, landmarks: options.landmarks)
        intake = MessageIntake(context, .never, defaultStream: defaultStream)
        let consumer = try KafkaConsumer(options, context)
        self.consumer = consumer
        let log = context.log
        context.whenAccountedFor {
            do { try consumer.commit() } catch let error as PipelineError {
                log(.error, error.message, code: error.code)
            } catch {}
            consumer.close()
        }
    }

    mutating func read(into batch: inout SourceBatch<P>) async throws -> Bool {
        guard let consumer, let stop else { return false }
        // The engine has taken everything that was read before.
        consumer.noteHandedOver()
        while batch.isEmpty {
            if stop.isRequested { return false }
            if options.until == .end, consumer.isAtEnd { return false }
            try consumer.read(atMost: batch.room, milliseconds: 100) { message in take(message, into: &batch) }
        }
        return true
    }

    mutating func close() async { consumer = nil }

    private mutating func take(_ message: borrowing KafkaMessage, into batch: inout SourceBatch<P>) {
        var stream: StreamID?
        var isDecoding = false
        do throws(PipelineError) {
            if options.stream == .key, let key = message.key {
                guard key.count <= MessageIntake<P>.longestName else { throw Self.tooLong(key.count) }
                stream = try decoder?.topic(named: key)
            }
            guard let value = message.value else {
                throw .frame(
                    "kafka.no_value", "the message has a key and no value", help: "on_error: skip passes over it")
            }
            isDecoding = true
            let payload = decoder?.needsPadding ?? true ? padded(value) : value
            let (written, stamps) = (message.time, stamps)
            guard
                let decoded = try decoder?.decode(
                    payload, stream: stream, receivedAt: stamps.map { written ?? $0.now / 1000 })
            else { return }
            let length = decoded.stream.name.utf8.count
            guard length <= MessageIntake<P>.longestName else { throw Self.tooLong(length) }
            try intake?.take(decoded, into: &batch)
        } catch {
            let unread = isDecoding && error.code != Self.tooLongCode ? decoder?.unread() : nil
            let failure = error.located(in: "\(message.topic)/\(message.partition), offset \(message.offset)")
            let known = stream ?? unread?.stream
            intake?.fail(failure, known, numbered: unread?.sequence, into: &batch)
        }
    }

    private static var tooLongCode: String { "kafka.stream_name" }

    private static func tooLong(_ length: Int) -> PipelineError {
        .frame(
            tooLongCode, "the stream's name has \(length) bytes, more than \(MessageIntake<P>.longestName)",
            help: "stream: message takes the name in the message, and not its key")
    }
}
