import Pipeline

/// The implementation of ``KafkaSource`` for one payload type.
struct KafkaReceiver<P: WirePayload>: Source {
    typealias Output = P

    private let options: KafkaSourceOptions
    private let defaultStream: StreamID
    private let padded = PaddedCopy()
    private var context: SourceContext?
    /// The clock that stamps a message without a timestamp, if Kafka does not say when it was written. `nil` if a message without a
    /// timestamp is an error.
    private var stamps: (any RunClock)?
    private var consumer: KafkaConsumer?
    private var decoder: MessageDecoder<P>?
    private var watch: PathWatch?
    private var intake: MessageIntake<P>?
    /// The number of the last message of each stream that another pipeline has written.
    private var numbers = RecentStreams<OutputNumber>()
    /// The time of the next commit, in nanoseconds.
    private var commitAt: Int64 = 0
    /// Whether everything was committed and released, so that other members can continue all streams.
    private var hasLeft = false

    init(_ options: KafkaSourceOptions, defaultStream: StreamID) {
        (self.options, self.defaultStream) = (options, defaultStream)
    }

    // A source that ends counts as recorded: Kafka keeps messages until they are read, so nothing is lost by waiting.
    var timing: SourceTiming { options.until == .stopped ? .live : .recorded }
    var output: PortType { PortType(P.self, attributes: options.knownLandmarks.attributes) }
    var mayBlock: Bool { true }
    var commits: Bool { true }

    mutating func open(_ context: SourceContext) async throws {
        self.context = context
        stamps = options.decode.missingTime == .error ? nil : context.clock
        watch = PathWatch(options.decode, context.log, isLive: options.until == .stopped)
        decoder = try MessageDecoder(
            options.decode, defaultStream: defaultStream, landmarks: options.landmarks, watch: watch)
        intake = MessageIntake(context, .never, defaultStream: defaultStream)
        numbers = RecentStreams(capacity: context.maxStreams)
        let consumer = try KafkaConsumer(options, context)
        self.consumer = consumer
        context.commits { consumer.position($0) }
        commitAt = context.clock.now + interval
    }

    mutating func read(into batch: inout SourceBatch<P>) async throws -> Bool {
        guard let consumer, let context else { return false }
        while batch.isEmpty {
            if context.stop.isRequested {
                try await leave(consumer, context)
                return false
            }
            if let streams = consumer.revokedStreams {
                try await giveUp(streams, consumer, context)
            } else if context.clock.now >= commitAt {
                if consumer.hasUncommitted { _ = try await context.commit() }
                consumer.noteLag()
                commitAt = context.clock.now + interval
            }
            if options.until != .stopped, consumer.isAtEnd {
                // If the streams end with the topic, the engine commits at the end of the run. Released frames that wait for frames of
                // another source would wait again in every later run, so the streams also end if sources meet.
                if options.until == .end, !context.meetsOtherSources { try await leave(consumer, context) }
                return false
            }
            try consumer.read(atMost: batch.room, milliseconds: 100) { message, partition in
                partition.pending.append(take(message, partition, into: &batch))
            }
            // Messages that add nothing to the batch, such as the end of an unknown stream, are accounted for.
            if batch.isEmpty { consumer.noteHandedOver() }
        }
        return true
    }

    mutating func noteTaken() { consumer?.noteHandedOver() }

    mutating func close() async {
        // If the member has not left, the engine commits the rest at the end of the run.
        if hasLeft {
            context?.endCommits()
            consumer?.close()
        }
        consumer = nil
        watch?.finish()
        watch = nil
    }

    private var interval: Int64 { Int64(options.commitMs) * 1_000_000 }

    /// Commits and releases all streams, so that other members or later runs can continue them.
    private mutating func leave(_ consumer: KafkaConsumer, _ context: SourceContext) async throws {
        consumer.willLeave()
        hasLeft = try await context.commit(releasing: consumer.streams) { consumer.forgetAll() }
    }

    /// Commits and releases the streams of the revoked partitions, so that another member can continue them, and gives up the
    /// partitions.
    private mutating func giveUp(
        _ streams: Set<StreamID>, _ consumer: KafkaConsumer, _ context: SourceContext
    ) async throws {
        // Retry, because a sink that waits for its brokers can delay the commit.
        while !(try await context.commit(releasing: streams, onRelease: { consumer.forgetRevoked() })) {
            // After a stop request, `read(into:)` commits and releases all streams.
            if context.stop.isRequested { return }
            try? await context.clock.sleep(until: context.clock.now + 10_000_000)
        }
        for stream in streams {
            intake?.forget(stream)
            numbers.remove(stream)
        }
        consumer.giveUp()
    }

    /// Adds the content of a message to a batch, unless the message is done or a repetition.
    private mutating func take(
        _ message: borrowing KafkaMessage, _ partition: KafkaPartition, into batch: inout SourceBatch<P>
    ) -> KafkaReading {
        var reading = KafkaReading(offset: message.offset)
        var isDecoding = false
        do throws(PipelineError) {
            if let name = name(of: message) {
                guard name.count <= MessageIntake<P>.longestName else { throw Self.tooLong(name.count) }
                reading.stream = try decoder?.topic(named: name)
                if reading.stream != nil, partition.isDone(reading) { return reading }
            }
            guard let value = message.value else {
                throw .frame("kafka.no_value", "the message has no value", help: "on_error: skip ignores such messages")
            }
            isDecoding = true
            let payload = decoder?.needsPadding ?? true ? padded(value) : value
            let (written, offset, clock) = (message.time, message.offset, stamps)
            func stamp(_ clock: any RunClock) -> Int64 {
                written.map { partition.stamp($0, at: offset) } ?? clock.now / 1000
            }
            guard
                var decoded = try decoder?.decode(payload, stream: reading.stream, receivedAt: clock.map(stamp))
            else { return reading }
            let length = decoded.stream.name.utf8.count
            guard length <= MessageIntake<P>.longestName else { throw Self.tooLong(length) }
            reading.stream = decoded.stream
            if partition.isDone(reading) { return reading }
            let time = decoded.frame?.timestamp
            if let number = message.header(KafkaHeaders.number).flatMap({ OutputNumber($0) }) {
                if isRepeated(number, decoded.stream) {
                    if let time {
                        batch.drop(stream: decoded.stream, at: time, sequence: decoded.sequence ?? 0, "duplicate")
                    }
                    return reading
                }
                // The sequence numbers of results are those of the frames that caused them. They have gaps and repetitions, which
                // do not mean that anything is lost.
                decoded.sequence = nil
            }
            reading.isEnd = decoded.endsStream && time == nil
            try intake?.take(decoded, into: &batch)
            reading.time = time
            return reading
        } catch {
            let isKnown = isDecoding && error.code != Self.tooLongCode
            var unread = (isKnown ? decoder?.unread() : nil) ?? UnreadMessage()
            unread.stream = reading.stream ?? unread.stream
            reading.stream = unread.stream
            if partition.isDone(reading) { return reading }
            reading.isEnd = unread.endsStream
            let failure = error.located(in: "\(message.topic)/\(message.partition), offset \(message.offset)")
            intake?.fail(failure, unread, into: &batch)
            return reading
        }
    }

    /// Returns the bytes that name the stream of a message, or `nil` if only the payload can name it.
    private func name(of message: borrowing KafkaMessage) -> UnsafeRawBufferPointer? {
        if let header = options.streamHeader { return message.header(header) }
        return options.stream == .key ? message.key : nil
    }

    /// Returns whether a message from another pipeline is a repetition, because its number is not larger than the last one of its
    /// stream. Otherwise, stores the number as the last one.
    private mutating func isRepeated(_ number: OutputNumber, _ stream: StreamID) -> Bool {
        guard options.repetitions == .drop else { return false }
        if let last = numbers[stream], number <= last { return true }
        _ = numbers.update(stream, number)
        return false
    }

    private static var tooLongCode: String { "kafka.stream_name" }

    private static func tooLong(_ length: Int) -> PipelineError {
        .frame(
            tooLongCode, "the stream's name has \(length) bytes, more than \(MessageIntake<P>.longestName)",
            help: "stream: message uses the name in the message instead of its key")
    }
}
