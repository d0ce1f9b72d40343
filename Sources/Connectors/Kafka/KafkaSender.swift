import Pipeline

/// The implementation of ``KafkaSink`` for one payload type.
struct KafkaSender<P: WireEncodable>: Sink {
    typealias Input = P

    private struct Stream {
        var next: Int64 = 0
        var time = Timestamp.zero
    }

    private let options: KafkaSink.Options
    private var encoder: MessageEncoder
    private var producer: KafkaProducer?
    private var patience: Patience?
    private var streams = RecentStreams<Stream>()

    init(_ options: KafkaSink.Options) {
        self.options = options
        encoder = MessageEncoder(options.encode)
    }

    var unwritten: Int { Int(producer?.unwritten ?? 0) }

    mutating func open(_ context: SinkContext) async throws {
        streams = RecentStreams(capacity: context.maxStreams)
        patience = try Patience(context, lingerMs: options.lingerMs)
        producer = try KafkaProducer(options, context)
    }

    mutating func write(_ frame: Frame<P>) throws {
        try producer?.check()
        var stream = streams[frame.stream] ?? Stream()
        try encoder.encode(frame, sequence: stream.next)
        guard try send(frame.stream, isFrame: true) else { throw Refusal("no_peer") }
        stream.next += 1
        stream.time = frame.timestamp
        if let evicted = streams.update(frame.stream, stream) { try sendEnd(of: evicted.stream, evicted.value) }
    }

    mutating func flush() throws {
        guard let producer else { return }
        while producer.isWaiting, !(patience?.isOver ?? false) {
            producer.wait(milliseconds: 100, all: true)
            try producer.check()
        }
        try producer.check()
    }

    mutating func discard() { producer?.discard() }

    mutating func end(_ stream: StreamID) throws {
        guard let state = streams.remove(stream) else { return }
        try sendEnd(of: stream, state)
    }

    mutating func close() async throws {
        defer { producer = nil }
        while let (stream, state) = streams.removeOldest() { try sendEnd(of: stream, state) }
        try flush()
        let left = unwritten
        guard left == 0 else {
            throw PipelineError.environment(
                "kafka.undelivered", "topic \(options.topic): \(left) messages were not acknowledged before the end",
                help: "linger_ms is the time that the brokers have after the run was stopped")
        }
    }

    private mutating func sendEnd(of stream: StreamID, _ state: Stream) throws {
        guard options.ends else { return }
        encoder.encodeEnd(of: stream, kind: P.kind, sequence: state.next, at: state.time)
        _ = try send(stream, isFrame: false)
    }

    /// Sends the last encoded message. Returns `false` if there was no room for it in time.
    private mutating func send(_ stream: StreamID, isFrame: Bool) throws -> Bool {
        guard let producer else { return false }
        while try !encoder.withMessage({ try producer.send(key: stream.name, $0, isFrame: isFrame) }) {
            if patience?.isOver ?? false { return false }
            producer.wait(milliseconds: 100, all: false)
            try producer.check()
        }
        return true
    }
}
