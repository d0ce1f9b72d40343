import Pipeline

/// A live source in a simulation: brings the frames of a recording when they came, on the run's clock.
///
/// Like a receiver it follows the numbers of its streams, so that what the wire had lost is counted again. Within a stream
/// times of receipt do not go back: a line whose does is an error. What several streams brought may have been put in the
/// order of their timestamps before it was written; a line that came before one of another stream above it is brought with
/// that one.
struct RecordedArrivals<P: WirePayload>: Source {
    typealias Output = P

    private let recording: Recording
    private let origin: Int64
    private let isShared: Bool
    private let defaultStream: StreamID
    private var context: SourceContext?
    private var lines: InputMessages<P>?
    private var size: Int64 = 0
    private var begin: Int64 = 0
    private var held: Frame<P>?
    private var numbers = WireNumbers()
    /// When the last frame of each stream came, as the recording says.
    private var arrivals = RecentStreams<Int64>()

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
        arrivals = RecentStreams()
        self.context = context
        begin = context.clock.now
        if case .success(let status) = SystemCalls.status(recording.path) { size = status.size }
        lines = try InputMessages(
            LineReader(descriptor: try SystemCalls.openToRead(recording.path)), name: recording.path,
            defaultStream: defaultStream)
    }

    mutating func read(into batch: inout SourceBatch<P>) async throws -> Bool {
        guard let context, let lines else { return false }
        defer { context.progress.update(done: lines.lines.bytesRead, total: size) }
        while !batch.isFull, !context.stop.isRequested {
            if held == nil, try !readFrame(lines, into: &batch) { return false }
            guard var frame = held.take() else { continue }
            let moment = due(frame)
            if moment > context.clock.now {
                held = frame
                if !batch.isEmpty { return true }
                try await context.clock.sleep(until: moment)
                continue
            }
            // It was received by another run; what this one makes of it must not tell.
            frame.origin = frame.origin?.withoutReceipt
            numbers.take(frame, numbered: frame.sequence, into: &batch)
        }
        return !context.stop.isRequested
    }

    mutating func close() async { lines = nil }

    /// Reads on up to the next frame, which is held. Returns false at the end.
    private mutating func readFrame(_ lines: InputMessages<P>, into batch: inout SourceBatch<P>) throws -> Bool {
        let item: ReadItem<P>?
        do { item = try lines.next() } catch { throw error.reading(recording.path) }
        switch item {
        case .frame(let frame):
            if let wrong = wrongArrival(of: frame) {
                numbers.takeUnread(of: frame.stream, numbered: frame.sequence, into: &batch)
                batch.fail(
                    .frame(
                        "recording.arrival", wrong, location: "\(recording.path), line \(lines.lines.lineNumber)"),
                    stream: frame.stream)
            } else {
                held = frame
            }
        case .empty(let stream, let time, let number):
            batch.drop(stream: stream, at: time, sequence: number, .empty)
        case .failure(let error, let stream):
            if isShared, error.code == "decode.kind" { break }
            numbers.takeUnread(of: lines.unread.stream, numbered: lines.unread.sequence, into: &batch)
            batch.fail(error, stream: stream)
        case .end(let stream):
            numbers.end(stream)
            batch.end(stream)
        case nil: return false
        }
        return true
    }

    /// What is wrong with the time at which a frame came, in words; takes note of it.
    private mutating func wrongArrival(of frame: Frame<P>) -> String? {
        guard recording.arrivals == .receipt else { return nil }
        guard let arrival = frame.origin?.receivedAt else { return "\"recv_us\" is missing, which the first line has" }
        if let last = arrivals[frame.stream], arrival < last {
            return
                "\"recv_us\" goes back: the frame of this stream before it came at \(last), and this one at \(arrival)"
        }
        arrivals.update(frame.stream, arrival)
        return nil
    }

    /// When a frame is due on the run's clock. What came before the first frame comes with it.
    private func due(_ frame: Frame<P>) -> Int64 {
        let arrival = recording.arrivals == .receipt ? frame.origin?.receivedAt : nil
        // Both lie between 0 and 2^53: three hundred years are far from what overflows.
        return begin + max(0, (arrival ?? frame.timestamp.rawValue) - origin) * 1000
    }
}

extension Origin {
    /// The same without the time of receipt; `nil` when nothing else is known.
    fileprivate var withoutReceipt: Origin? {
        if clock == nil, file == nil, unknown.isEmpty { return nil }
        return Origin(isStamped: isStamped, clock: clock, file: file, unknown: unknown)
    }
}
