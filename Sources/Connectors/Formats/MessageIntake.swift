import Pipeline

/// Converts decoded messages into the items of a source batch. It tracks the sequence numbers and the ends of the streams.
struct MessageIntake<P: WirePayload>: Sendable {
    /// When a source ends by itself.
    enum Ending: Sendable {
        /// Never.
        case never
        /// When every stream that was seen has ended.
        case withStreams
        /// After a number of messages that end a stream; 0 for never.
        case after(Int)
    }

    /// The maximum length of a stream name, in bytes. A limit is needed because a name is stored for as long as its stream is
    /// known.
    static var longestName: Int { 4096 }

    /// Whether the source has ended.
    private(set) var isOver = false

    private let ending: Ending
    private let defaultStream: StreamID
    private let log: Log
    private let counts: Counts
    private var numbers: WireNumbers
    private var ends = 0
    private var mixed = 0

    /// Creates an intake.
    ///
    /// - Parameters:
    ///   - context: The context of the source.
    ///   - ending: When the source ends by itself.
    ///   - defaultStream: The stream of an unreadable message whose own stream is unknown.
    init(_ context: SourceContext, _ ending: Ending, defaultStream: StreamID) {
        (self.ending, log, counts) = (ending, context.log, context.counts)
        self.defaultStream = defaultStream
        numbers = WireNumbers(capacity: context.maxStreams)
    }

    /// Adds a message to `batch`.
    ///
    /// - Throws: A frame error if the message has no time although earlier messages of its stream had one.
    mutating func take(
        _ message: consuming DecodedMessage<P>, into batch: inout SourceBatch<P>
    ) throws(PipelineError) {
        let restarts = numbers.restarts
        defer {
            if numbers.restarts != restarts { counts.add("restarts") }
            for stream in numbers.takeMixed() { tellMixed(stream) }
        }
        if message.isQuiet, !message.endsStream {
            return numbers.takeQuiet(message.stream, numbered: message.sequence, into: &batch)
        }
        // A repeated end, meant for receivers that missed the first one.
        if message.isQuiet, !numbers.isOpen(message.stream, for: message.end) { return }
        // Moves the frame instead of copying it.
        if let frame = message.frame.take() {
            try numbers.checkClock(of: frame)
            numbers.take(consume frame, numbered: message.sequence, into: &batch)
        } else if let time = message.emptyAt {
            numbers.takeEmpty(of: message.stream, at: time, numbered: message.sequence, into: &batch)
        } else {
            numbers.takeEnd(of: message.stream, numbered: message.sequence, into: &batch)
        }
        if message.endsStream { end(message.stream, message.end, in: &batch) }
    }

    private mutating func end(_ stream: StreamID, _ end: StreamEnd, in batch: inout SourceBatch<P>) {
        numbers.end(stream, end)
        if end == .restarts { batch.newEpoch(stream) } else { batch.end(stream) }
        ends += 1
        isOver =
            switch ending {
            case .never: false
            case .withStreams: numbers.open == 0
            case .after(let count): ends == count
            }
    }

    /// Forgets a stream that another process continues.
    mutating func forget(_ stream: StreamID) { numbers.end(stream) }

    /// Adds a message that could not be read.
    ///
    /// - Parameters:
    ///   - error: The error, with its location.
    ///   - message: What is known of the message.
    mutating func fail(_ error: PipelineError, _ message: UnreadMessage, into batch: inout SourceBatch<P>) {
        numbers.takeUnread(of: message.stream, numbered: message.sequence, into: &batch)
        batch.fail(error, stream: message.stream ?? defaultStream)
        if message.endsStream { end(message.stream ?? defaultStream, message.end, in: &batch) }
    }

    /// Warns that several senders use one stream name. Only the first few streams are logged.
    private mutating func tellMixed(_ stream: StreamID) {
        counts.add("mixed_senders")
        mixed += 1
        guard mixed <= 5 else { return }
        log(
            .warning,
            "several senders send the stream \(quote(stream.name)): their sequence numbers are mixed, and their frames are taken for one stream. Give each sender its own stream name, or its own source with map_stream after it"
        )
    }
}
