/// Where edges come together, as the edges with slots before it know it.
struct JoinPoint: Sendable {
    /// What it is told apart by.
    let number: Int

    /// The reporters behind it, which see of a frame only what has gone on from here.
    let ends: Set<Int>
}

/// Tells the edges with slots that stand before a place where edges come together which of their frames wait there for what
/// another edge brings, so that such a frame holds no slot.
///
/// A frame waits when its stream's time has come to it on every way that leads here, and has not come to it in what went
/// on. Belongs to the task whose input it is about.
final class JoinReports {
    /// An edge with slots, and the lanes here that stand behind it.
    struct Before {
        let edge: any FlightEdge
        let lanes: [Int]
    }

    private struct Stream {
        /// How far each lane has brought it.
        var arrived: [Timestamp]
        /// How far it has gone on.
        var passed = Timestamp.beforeAll
        /// Whether some edge was told that frames wait.
        var isWaiting = false
        /// Whether it stands in `changed`.
        var hasChanged = false
    }

    private let point: JoinPoint
    private let before: [Before]
    private let count: Int
    private let maxStreams: Int
    private var streams: [StreamID: Stream] = [:]
    /// The streams of which there is something to tell, in the order in which they changed: a slot that becomes free goes to
    /// the first that wants it.
    private var changed: [StreamID] = []
    private var passedOfAll: Timestamp?

    init(_ point: JoinPoint, before: [Before], lanes: Int, maxStreams: Int) {
        self.point = point
        self.before = before
        self.maxStreams = maxStreams
        count = lanes
    }

    /// Whether so many frames of a lane wait as its edge with slots allows, and no more.
    func isLimiting(_ lane: Int) -> Bool { before.contains { $0.lanes.contains(lane) } }

    /// Notes what a lane has brought.
    func arrived<E: EdgeElement>(_ item: EdgeItem<E>, on lane: Int) {
        switch item {
        case .bound(let stream?, let time), .receipt(let stream, let time):
            if streams[stream] == nil, streams.count >= maxStreams {
                // Of those that wait, an edge still has to hear when they go on.
                streams = streams.filter { $0.value.isWaiting || $0.value.hasChanged }
            }
            // A receipt may say more than the bound that comes behind it.
            let arrived = streams[stream]?.arrived[lane] ?? .beforeAll
            streams[stream, default: makeStream()].arrived[lane] = max(arrived, time)
            note(stream)
        case .end(let stream): streams[stream]?.arrived[lane] = .beforeAll
        case .frame, .bound(nil, _), .progress: break
        }
    }

    /// Notes what has gone on.
    func passed<E: EdgeElement>(_ item: EdgeItem<E>) {
        switch item {
        case .bound(let stream?, let time), .receipt(let stream, let time):
            guard let passed = streams[stream]?.passed else { return }
            streams[stream]?.passed = max(passed, time)
            note(stream)
        case .bound(nil, let time): passedOfAll = time
        case .end(let stream):
            streams[stream]?.passed = .beforeAll
            if streams[stream]?.arrived.allSatisfy({ $0 == .beforeAll }) ?? false { streams[stream] = nil }
        case .frame, .progress: break
        }
    }

    /// Tells what has changed since it was last called.
    func tell() {
        if let time = passedOfAll {
            passedOfAll = nil
            for stream in streams.keys.sorted(by: { $0.name < $1.name }) {
                guard let passed = streams[stream]?.passed, passed < time else { continue }
                streams[stream]?.passed = time
                note(stream)
            }
        }
        guard !changed.isEmpty else { return }
        for stream in changed { tell(stream) }
        changed.removeAll(keepingCapacity: true)
    }

    private func note(_ stream: StreamID) {
        guard streams[stream]?.hasChanged == false else { return }
        streams[stream]?.hasChanged = true
        changed.append(stream)
    }

    private func tell(_ stream: StreamID) {
        streams[stream]?.hasChanged = false
        guard let known = streams[stream] else { return }
        if known.isWaiting { for place in before { place.edge.goesOn(stream, upTo: known.passed, from: point) } }
        var isWaiting = false
        for place in before {
            let time = place.lanes.lazy.map { known.arrived[$0] }.min() ?? .beforeAll
            guard time > known.passed else { continue }
            place.edge.waits(stream, after: known.passed, upTo: time, at: point)
            isWaiting = true
        }
        streams[stream]?.isWaiting = isWaiting
    }

    private func makeStream() -> Stream { Stream(arrived: Array(repeating: .beforeAll, count: count)) }
}
