import Pipeline

/// A source that brings each frame at its moment on the run's clock: with a `VirtualClock` the whole of a live run's
/// timing is what a test says it is.
public struct TimelineSource<Output: Payload>: Source {
    /// A frame and the moment it comes, in microseconds after the run has begun.
    public struct Event: Sendable {
        /// When it comes.
        public var at: Int64

        /// What comes.
        public var item: FramesSource<Output>.Item

        /// A frame that comes at a moment.
        public init(at: Int64, _ frame: Frame<Output>) { (self.at, item) = (at, .frame(frame)) }

        /// Anything that comes at a moment.
        public init(at: Int64, item: FramesSource<Output>.Item) { (self.at, self.item) = (at, item) }
    }

    public let output: PortType
    public let timing: SourceTiming
    private let events: [Event]
    private let end: Int64?
    private var cursor = 0
    private var clock: (any RunClock)?
    private var begin: Int64 = 0

    /// Brings events.
    ///
    /// - Parameters:
    ///   - events: What comes, in the order of the moments.
    ///   - end: When the source ends, in microseconds after the run has begun; by default right after the last event.
    ///   - output: The kind of payload, with its attributes.
    ///   - timing: Whether the frames are live or recorded.
    public init(
        _ events: [Event], end: Int64? = nil, output: PortType = PortType(Output.self), timing: SourceTiming = .live
    ) {
        self.events = events
        self.end = end
        self.output = output
        self.timing = timing
    }

    /// Brings a payload for every letter of a timeline, stamped with the moment at which it comes and numbered from 0.
    ///
    /// - Parameters:
    ///   - timeline: The moments, a letter for each event.
    ///   - tick: How long a tick is, in microseconds.
    ///   - stream: The stream of all events.
    ///   - legend: What the letters stand for; one that is not there brings nothing.
    public init(_ timeline: Timeline, every tick: Int64, stream: StreamID = "", _ legend: [Character: Output]) {
        let payloads = timeline.marks.compactMap { mark in legend[mark.letter].map { ($0, mark.tick * tick) } }
        self.init(
            payloads.enumerated().map { index, item in
                Event(
                    at: item.1,
                    Frame(item.0, at: .microseconds(item.1), stream: stream, sequence: Int64(index)))
            }, end: timeline.end.map { $0 * tick })
    }

    public mutating func open(_ context: SourceContext) async throws {
        clock = context.clock
        begin = context.clock.now
    }

    public mutating func read(into batch: inout SourceBatch<Output>) async throws -> Bool {
        guard cursor < events.count else {
            if let end { try await clock?.sleep(until: begin + end * 1000) }
            return false
        }
        let moment = events[cursor].at
        try await clock?.sleep(until: begin + moment * 1000)
        while cursor < events.count, events[cursor].at <= moment {
            switch events[cursor].item {
            case .frame(let frame): batch.append(frame)
            case .failure(let error): batch.fail(error)
            case .bound(let time): batch.advance(to: time)
            case .end(let stream): batch.end(stream)
            case .lost(let number, let stream): batch.lost(number, of: stream)
            }
            cursor += 1
        }
        return true
    }
}
