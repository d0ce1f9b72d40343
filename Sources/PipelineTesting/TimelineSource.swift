import Pipeline

/// A live source that brings each frame at its moment on the run's clock: with a ``VirtualClock`` the whole of a live
/// run's timing is what a test says it is.
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

    public let timing = SourceTiming.live
    private let events: [Event]
    private var cursor = 0
    private var clock: (any RunClock)?
    private var begin: Int64 = 0

    /// Brings events; they must stand in the order of their moments.
    public init(_ events: [Event]) { self.events = events }

    public mutating func open(_ context: SourceContext) async throws {
        clock = context.clock
        begin = context.clock.now
    }

    public mutating func read(into batch: inout SourceBatch<Output>) async throws -> Bool {
        guard cursor < events.count else { return false }
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
