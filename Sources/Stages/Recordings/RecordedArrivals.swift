import Pipeline

/// A live source in a simulation: brings the frames of a recording when they came, on the run's clock.
///
/// Like a receiver it follows the numbers of its streams, so that what the wire had lost is counted again. A line that came
/// earlier than the one before it is brought with that one: a recorder writes in the order of arrival.
struct RecordedArrivals<P: WirePayload>: Source {
    typealias Output = P

    private let recording: Recording
    private let origin: Int64
    private let isShared: Bool
    private let defaultStream: StreamID
    private var context: SourceContext?
    private var lines: JSONLines<P>?
    private var size: Int64 = 0
    private var begin: Int64 = 0
    private var held: Frame<P>?
    private var numbers = WireNumbers()

    /// Brings a recording.
    ///
    /// - Parameters:
    ///   - origin: What time of arrival the beginning of the run stands for.
    ///   - isShared: Whether lines of other kinds belong to other sources, and are passed over.
    init(_ recording: Recording, origin: Int64, isShared: Bool, defaultStream: StreamID) {
        self.recording = recording
        self.origin = origin
        self.isShared = isShared
        self.defaultStream = defaultStream
    }

    var timing: SourceTiming { .live }
    var mayBlock: Bool { true }

    mutating func open(_ context: SourceContext) async throws {
        // A simulation may be run several times, and is made once.
        held = nil
        numbers = WireNumbers()
        self.context = context
        begin = context.clock.now
        if case .success(let status) = SystemCalls.status(recording.path) { size = status.size }
        lines = try JSONLines(
            LineReader(descriptor: try SystemCalls.openToRead(recording.path)), name: recording.path,
            defaultStream: defaultStream)
    }

    mutating func read(into batch: inout SourceBatch<P>) async throws -> Bool {
        guard let context, let lines else { return false }
        defer { context.progress.update(done: lines.lines.bytesRead, total: size) }
        while !batch.isFull, !context.stop.isRequested {
            guard let item = try held.take().map(ReadItem.frame) ?? next(lines) else { return false }
            switch item {
            case .frame(var frame):
                guard let due = due(frame) else {
                    batch.fail(
                        .frame(
                            "recording.arrival", "\"recv_us\" is missing, which the first line has",
                            location: "\(recording.path), line \(lines.lines.lineNumber)"),
                        stream: frame.stream)
                    continue
                }
                if due > context.clock.now {
                    held = frame
                    if !batch.isEmpty { return true }
                    try await context.clock.sleep(until: due)
                    continue
                }
                // It was received by another run; what this one makes of it must not tell.
                frame.origin = frame.origin?.withoutReceipt
                numbers.take(frame, numbered: frame.sequence, into: &batch)
            case .failure(let error, let stream):
                if isShared, error.code == "decode.kind" { continue }
                batch.fail(error, stream: stream)
            case .end(let stream):
                numbers.end(stream)
                batch.end(stream)
            }
        }
        return !context.stop.isRequested
    }

    mutating func close() async { lines = nil }

    private func next(_ lines: JSONLines<P>) throws -> ReadItem<P>? {
        do { return try lines.next() } catch { throw error.reading(recording.path) }
    }

    /// When a frame is due on the run's clock; `nil` when it does not say when it came.
    private func due(_ frame: Frame<P>) -> Int64? {
        let arrival: Int64
        switch recording.arrivals {
        case .receipt:
            guard let receivedAt = frame.origin?.receivedAt else { return nil }
            arrival = receivedAt
        case .timestamp: arrival = frame.timestamp.rawValue
        }
        // Three hundred years are as good as never, and far from what overflows.
        let limit: Int64 = 1 << 53
        let (elapsed, overflow) = arrival.subtractingReportingOverflow(origin)
        return begin + (overflow ? (arrival < origin ? 0 : limit) : max(0, min(elapsed, limit))) * 1000
    }
}

extension Origin {
    /// The same without the time of receipt; `nil` when nothing else is known.
    fileprivate var withoutReceipt: Origin? {
        if clock == nil, file == nil, unknown.isEmpty { return nil }
        return Origin(isStamped: isStamped, clock: clock, file: file, unknown: unknown)
    }
}
