import Pipeline

/// A source that emits each frame at a given time of the run's clock. With a `VirtualClock`, a test controls the timing of a live
/// run completely.
public struct TimelineSource<Output: Payload>: Source {
    /// An item of a source and the time at which it arrives.
    public struct Event: Sendable {
        /// The arrival time, in microseconds after the start of the run.
        public var at: Int64

        /// The item that arrives.
        public var item: FramesSource<Output>.Item

        /// Creates an event for the arrival of a frame.
        public init(at: Int64, _ frame: Frame<Output>) { (self.at, item) = (at, .frame(frame)) }

        /// Creates an event for the arrival of any item.
        public init(at: Int64, item: FramesSource<Output>.Item) { (self.at, self.item) = (at, item) }
    }

    public let output: PortType
    public let timing: SourceTiming
    private let events: [Event]
    private let end: Int64?
    private var cursor = 0
    private var clock: (any RunClock)?
    private var begin: Int64 = 0

    /// Creates a source that emits events.
    ///
    /// - Parameters:
    ///   - events: The events, in order of time.
    ///   - end: The time at which the source ends, in microseconds after the start of the run. By default, the source ends right
    ///     after the last event.
    ///   - output: The port type of the payloads.
    ///   - timing: Whether the frames are live or recorded.
    public init(
        _ events: [Event], end: Int64? = nil, output: PortType = PortType(Output.self), timing: SourceTiming = .live
    ) {
        self.events = events
        self.end = end
        self.output = output
        self.timing = timing
    }

    /// Creates a source that emits a payload for every letter of a timeline. Each frame's timestamp is its arrival time, and
    /// frames are numbered from 0.
    ///
    /// - Parameters:
    ///   - timeline: The times of arrival, with a letter for each frame.
    ///   - tick: The length of a tick, in microseconds.
    ///   - stream: The stream of all frames.
    ///   - legend: The payload that each letter represents. Letters that are missing here emit nothing.
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
