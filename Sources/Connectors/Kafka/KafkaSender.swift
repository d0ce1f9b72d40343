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
    /// The messages that only end a stream, which are no frames, among those that are not acknowledged.
    private var endings: Int64 = 0

    init(_ options: KafkaSink.Options) {
        self.options = options
        encoder = MessageEncoder(options.encode)
    }

    var unwritten: Int { Int(max(0, (producer?.unacknowledged ?? 0) - endings)) }

    mutating func open(_ context: SinkContext) async throws {
        streams = RecentStreams(capacity: context.maxStreams)
        patience = try Patience(context, lingerMs: options.lingerMs)
        producer = try KafkaProducer(options, context)
    }

    mutating func write(_ frame: Frame<P>) throws {
        try producer?.check()
        var stream = streams[frame.stream] ?? Stream()
        try encoder.encode(frame, sequence: stream.next)
        guard try send(frame.stream) else { throw Refusal("no_peer") }
        stream.next += 1
        stream.time = frame.timestamp
        if let evicted = streams.update(frame.stream, stream) { try sendEnd(of: evicted.stream, evicted.value) }
    }

    mutating func flush() throws {
        guard let producer else { return }
        while producer.unacknowledged > 0, !(patience?.isOver ?? false) {
            producer.wait(milliseconds: 100, all: true)
            try producer.check()
        }
        try producer.check()
        if producer.unacknowledged == 0 { endings = 0 }
    }

    mutating func discard() {
        producer?.discard()
        endings = 0
    }

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
        if try send(stream) { endings += 1 }
    }

    /// Sends the last encoded message. Returns `false` if there was no room for it in time.
    private mutating func send(_ stream: StreamID) throws -> Bool {
        guard let producer else { return false }
        while try !encoder.withMessage({ try producer.send(key: stream.name, $0) }) {
            if patience?.isOver ?? false { return false }
            producer.wait(milliseconds: 100, all: false)
            try producer.check()
        }
        return true
    }
}
