import Pipeline

/// The implementation of ``KafkaSink`` for one payload type.
struct KafkaSender<P: WireEncodable>: Sink {
    typealias Input = P

    private struct Stream {
        var number: OutputNumber
        /// The number of the frame in its source.
        var sequence: Int64
        var time: Timestamp
    }

    private let options: KafkaSinkOptions
    private var encoder: MessageEncoder
    private var producer: KafkaProducer?
    private var patience: Patience?
    private var context: SinkContext?
    private var streams = RecentStreams<Stream>()
    private var numbers: OutputNumbers?
    private var headers: KafkaHeaders

    /// Whether messages have numbers. Failed frames have none, because their timestamps do not increase: a frame that could not be decoded
    /// has the timestamp 0.
    private static var isNumbered: Bool { P.self != FailedFrame.self }

    init(_ options: KafkaSinkOptions) {
        self.options = options
        headers = KafkaHeaders(options.headers.pairs)
        encoder = MessageEncoder(options.encode)
    }

    var unwritten: Int { Int(producer?.unwritten ?? 0) }

    mutating func open(_ context: SinkContext) async throws {
        self.context = context
        streams = RecentStreams(capacity: context.maxStreams)
        numbers = Self.isNumbered ? context.numbers() : nil
        try Self.checkDelivery(options, context)
        let patience = try Patience(context, lingerMs: options.lingerMs)
        let producer = try KafkaProducer(options, context)
        (self.patience, self.producer) = (patience, producer)
        // The commit of a transaction waits for its messages.
        guard options.delivery == .atLeastOnce else { return }
        // Positions wait for the next commit point if brokers have not acknowledged everything.
        context.commits { positions in producer.hasDelivered ? positions : [] }
    }

    mutating func write(_ frame: Frame<P>) throws {
        try producer?.check()
        let numbered = numbers?.next(frame.stream, at: frame.timestamp)
        let stream = Stream(
            number: numbered?.number ?? OutputNumber(time: frame.timestamp.rawValue), sequence: frame.sequence,
            time: frame.timestamp)
        let isRepetition = numbered?.isRepetition ?? false
        if !isRepetition {
            try encoder.encode(frame)
            if Self.isNumbered { headers.number(stream.number) }
            guard try send(frame.stream, isFrame: true) else { throw Refusal("no_peer") }
        }
        if let evicted = streams.update(frame.stream, stream) { try sendEnd(of: evicted.key, evicted.value, .restarts) }
        if isRepetition { throw Refusal("duplicate") }
    }

    /// Makes the client send its queued messages. Does not wait for the brokers, so that the next frames are not delayed.
    mutating func flush() throws {
        producer?.wait(milliseconds: 1, all: true)
        try producer?.check()
        try producer?.checkSizes()
    }

    mutating func drain() throws {
        if let patience { producer?.awaitDelivery(patience) }
        try flush()
    }

    /// Waits until brokers have acknowledged all messages, or for as long as the sink may wait.
    private func awaitDelivery() throws {
        guard let producer else { return }
        while producer.isWaiting, !(patience?.isOver ?? false) {
            producer.wait(milliseconds: 100, all: true)
            try producer.check()
        }
        try producer.check()
    }

    mutating func discard() { producer?.discard() }

    mutating func end(_ stream: StreamID, _ end: StreamEnd) throws {
        guard let state = streams.remove(stream) else { return }
        try sendEnd(of: stream, state, end)
    }

    mutating func release(_ stream: StreamID) {
        streams.remove(stream)
        numbers?.release(stream)
    }

    mutating func close() async throws {
        // After a failure, the streams are not ended, because the next process continues them.
        if context?.isCutShort ?? false { streams = RecentStreams() }
        while let (stream, state) = streams.removeOldest() { try sendEnd(of: stream, state) }
        try awaitDelivery()
        let left = Int64(unwritten) - (producer?.refusedFrames ?? 0)
        guard left == 0 else {
            throw PipelineError.environment(
                "kafka.undelivered", "topic \(options.topic): \(left) messages were not acknowledged before the end",
                help: "linger_ms is the time that the brokers have to acknowledge messages after the run was stopped")
        }
        try producer?.checkSizes()
        // After an error, it still knows which frames are not written.
        producer = nil
    }

    /// Throws a configuration error if another `kafka` sink of the run has another delivery, other brokers or another identity.
    /// Offsets are committed together with the output of all sinks, and can be in only one transaction.
    private static func checkDelivery(_ options: KafkaSinkOptions, _ context: SinkContext) throws {
        var own = options.delivery.rawValue
        if options.delivery == .exactlyOnce {
            own += ", brokers \(options.kafka.brokers.joined(separator: ", "))"
            if let identity = options.transactionalId { own += ", transactional_id \(identity)" }
        }
        let first = context.shared("kafka.delivery") { own }
        guard first == own else {
            throw PipelineError(
                .configuration, "kafka.delivery",
                "another kafka sink of the pipeline has the delivery \(first), and this one \(own)",
                help: "give all kafka sinks the same delivery, brokers and transactional_id, or use several pipelines")
        }
    }

    private mutating func sendEnd(of stream: StreamID, _ state: Stream, _ end: StreamEnd = .over) throws {
        numbers?.end(stream)
        guard options.ends else { return }
        encoder.encodeEnd(of: stream, kind: P.kind, sequence: state.sequence &+ 1, at: state.time, end)
        if Self.isNumbered { headers.number(state.number.next(at: state.time)) }
        _ = try send(stream, isFrame: false)
    }

    /// Sends the last encoded message. Returns `false` if there was no room for it in time.
    private mutating func send(_ stream: StreamID, isFrame: Bool) throws -> Bool {
        guard let producer else { return false }
        while try !encoder.withMessage({ try producer.send(key: stream.name, $0, headers, isFrame: isFrame) }) {
            if patience?.isOver ?? false { return false }
            producer.wait(milliseconds: 100, all: false)
            try producer.check()
        }
        return true
    }
}
