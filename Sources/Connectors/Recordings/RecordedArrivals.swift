import Pipeline

/// A live source in a simulation: emits the frames of a recording at their arrival times, on the run's clock.
///
/// Like a receiver, the source checks the sequence numbers of its streams, so that frames that were lost on the wire count as lost
/// again. The lines of a recording need not be in the order of arrival, for example because they were sorted by timestamp. A frame
/// that arrived earlier than the frame of a line above it is emitted right after that frame. If several runs were appended to the
/// recording, its streams start a new epoch with each run.
struct RecordedArrivals<P: WirePayload>: Source {
    typealias Output = P

    private let recording: Recording
    private let origin: Int64
    private let sessions: [SessionOfRecording]
    private let others: Set<PayloadKind>
    private let defaultStream: StreamID
    private var context: SourceContext?
    private var frames: RecordingFrames<P>?
    private var size: Int64 = 0
    /// The beginning of the run, in nanoseconds of the run's clock.
    private var begin: Int64 = 0
    /// The next frame, which is not due yet, and its due time on the run's clock in nanoseconds.
    private var held: (frame: Frame<P>, moment: Int64)?
    private var numbers = WireNumbers()
    /// The index of the current session, and the streams that have occurred in it.
    private var session = 0
    private var streams: Set<StreamID> = []

    /// Creates a source that replays a recording.
    ///
    /// - Parameters:
    ///   - sessions: The sessions of the recording, in order. The first session starts at the beginning of the recording.
    ///   - origin: The arrival time that corresponds to the beginning of the run, in microseconds.
    ///   - others: The kinds of frames that other sources emit from the same recording. This source skips them.
    init(
        _ recording: Recording, sessions: [SessionOfRecording], origin: Int64, others: Set<PayloadKind>,
        defaultStream: StreamID
    ) {
        self.recording = recording
        self.sessions = sessions
        self.origin = origin
        self.others = others
        self.defaultStream = defaultStream
    }

    var timing: SourceTiming { .live }
    var mayBlock: Bool { true }

    mutating func open(_ context: SourceContext) async throws {
        // A simulation is created once but may run several times, so the state starts over.
        held = nil
        numbers = WireNumbers()
        session = 0
        streams = []
        self.context = context
        begin = context.clock.now
        if case .success(let status) = SystemCalls.status(recording.path) { size = status.size }
        frames = try RecordingFrames(recording, defaultStream: defaultStream, log: context.log)
    }

    mutating func read(into batch: inout SourceBatch<P>) async throws -> Bool {
        guard let context, let frames else { return false }
        defer { context.progress.update(done: frames.bytesRead, total: size) }
        while !batch.isFull, !context.stop.isRequested {
            if held == nil, try !readFrame(frames, into: &batch) { return false }
            guard let next = held.take() else { continue }
            var frame = next.frame
            if next.moment > context.clock.now {
                held = next
                if !batch.isEmpty { return true }
                try await context.clock.sleep(until: next.moment)
                continue
            }
            // The recorded arrival time belongs to another run, so it must not appear in the results of this run.
            frame.origin = frame.origin?.withoutReceipt
            numbers.take(frame, numbered: frame.sequence, into: &batch)
        }
        return !context.stop.isRequested
    }

    mutating func close() async { frames = nil }

    /// Reads the next item. Holds a frame until it is due, and adds anything else to the batch. Returns `false` at the end.
    private mutating func readFrame(_ frames: RecordingFrames<P>, into batch: inout SourceBatch<P>) throws -> Bool {
        let item: ReadItem<P>?
        do { item = try frames.next() } catch { throw error.reading(recording.path) }
        beginSession(line: frames.lineNumber, &batch)
        switch item {
        case .frame(let frame):
            streams.insert(frame.stream)
            if recording.arrivals == .receipt, frame.origin?.receivedAt == nil {
                numbers.takeUnread(of: frame.stream, numbered: frame.sequence, into: &batch)
                batch.fail(
                    .frame(
                        "recording.arrival", "\"recv_us\" is missing, but the first line has it",
                        location: "\(recording.path), line \(frames.lineNumber)"),
                    stream: frame.stream)
            } else {
                held = (frame, due(recording.arrivals == .timestamp ? nil : frames.arrival(of: frame), frame))
            }
        case .empty(let stream, let time, let number):
            batch.drop(stream: stream, at: time, sequence: number, .empty)
        case .failure(let error, let stream):
            if let kind = frames.unread.kind, others.contains(where: { $0.name == kind }) { break }
            numbers.takeUnread(of: frames.unread.stream, numbered: frames.unread.sequence, into: &batch)
            batch.fail(error, stream: stream)
        case .end(let stream, let end):
            numbers.end(stream)
            batch.append(.end(stream, end))
        case nil: return false
        }
        return true
    }

    /// Starts a new epoch of every stream if a line is the first of a session.
    private mutating func beginSession(line: Int, _ batch: inout SourceBatch<P>) {
        while session + 1 < sessions.count, sessions[session + 1].firstLine <= line {
            session += 1
            for stream in streams.sorted() { batch.newEpoch(stream) }
            streams = []
            numbers = WireNumbers()
        }
    }

    /// Returns when a frame is due on the run's clock, in nanoseconds. A frame that arrived before the beginning of the run is due
    /// at the beginning.
    private func due(_ arrival: Int64?, _ frame: Frame<P>) -> Int64 {
        let shift = sessions.isEmpty ? 0 : sessions[session].shift
        // The limit of about a hundred years prevents an overflow. No recording is that long.
        return begin + min(
            max(0, (arrival ?? frame.timestamp.rawValue).addingSaturated(shift).subtractingSaturated(origin)),
            3_000_000_000_000_000) * 1000
    }
}

/// The beginning of the part of a recording that one run wrote, and the time shift of that part.
struct SessionOfRecording: Sendable {
    /// The number of the session's first line, from 1. 0 in MCAP, which has no lines.
    let firstLine: Int
    /// The number of microseconds that is added to the session's times.
    let shift: Int64
}

extension Origin {
    /// The same origin without the time of receipt; `nil` if nothing else is known.
    fileprivate var withoutReceipt: Origin? {
        if clock == nil, file == nil, line == nil, unknown.isEmpty { return nil }
        return Origin(isStamped: isStamped, clock: clock, file: file, line: line, unknown: unknown)
    }
}
