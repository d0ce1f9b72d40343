/// The end of a segment: collects what comes out of it and moves it to the edges in batches.
///
/// Fan-out: each branch has an edge of its own. What fits is offered to all of them before anybody waits, so that a full
/// branch never holds back one that has room.
final class EdgeOutlet<Payload: Pipeline.Payload>: Inlet<Payload>, AnyOutlet {
    private final class Branch {
        let edge: Edge<Payload>
        var pending: [EdgeItem<Payload>] = []
        var cursor = 0

        init(edge: Edge<Payload>) { self.edge = edge }
    }

    private let branches: [Branch]
    private let threshold: Int
    private let wantsBounds: Bool
    /// Whether frames imply nothing of the time of their stream, so that every bound must be passed on.
    private let isExplicit: Bool
    private var lastStream = StreamID("")
    private var lastTime = Timestamp.beforeAll

    /// How many items wait to be moved.
    private(set) var count = 0

    init(edges: [Edge<Payload>], isExplicit: Bool = false) {
        self.isExplicit = isExplicit
        branches = edges.map { Branch(edge: $0) }
        threshold = edges.map { max(1, min($0.policy.capacity, 256)) }.min() ?? 64
        wantsBounds = edges.contains { $0.wantsBounds }
        super.init()
    }

    override func receive(_ frame: Frame<Payload>) {
        count += 1
        if wantsBounds, !isExplicit {
            lastStream = frame.stream
            lastTime = frame.timestamp
        }
        for branch in branches { branch.pending.append(.frame(frame)) }
    }

    var isReady: Bool { count >= threshold }

    func bound(_ stream: StreamID?, _ time: Timestamp) {
        guard wantsBounds else { return }
        if let stream, !isExplicit {
            if stream == lastStream, time <= lastTime { return }
            lastStream = stream
            lastTime = time
        }
        for branch in branches where branch.edge.wantsBounds {
            branch.pending.appendBound(.bound(stream, time))
        }
        count += 1
    }

    func receipt(_ stream: StreamID, _ time: Timestamp) {
        count += 1
        for branch in branches { branch.pending.appendBound(.receipt(stream, time)) }
    }

    func end(_ stream: StreamID) {
        count += 1
        for branch in branches { branch.pending.append(.end(stream)) }
        if lastStream == stream { lastTime = .beforeAll }
    }

    func offer() -> String? {
        var full: Branch?
        for branch in branches where !branch.pending.isEmpty {
            let hasRoom = branch.edge.offer(&branch.pending, from: &branch.cursor)
            if !hasRoom, full == nil || full?.edge.isConsumedOutside == false { full = branch }
        }
        guard let full else {
            count = 0
            return nil
        }
        // A reader outside the run may come at any time: waiting for it is no part of a deadlock.
        return full.edge.isConsumedOutside ? "" : "room on \(full.edge.name)"
    }

    func discard() {
        for branch in branches { branch.edge.abandon() }
        _ = offer()
    }

    func finish() {
        for branch in branches { branch.edge.finish() }
    }
}

/// The end of a segment, whatever it carries.
protocol AnyOutlet: AnyObject {
    /// Whether enough waits to be moved now.
    var isReady: Bool { get }

    /// Notes that a stream's time (or with `nil` every stream's) has come to `time`.
    func bound(_ stream: StreamID?, _ time: Timestamp)

    /// Notes that all of a stream up to `time` has passed under other names.
    func receipt(_ stream: StreamID, _ time: Timestamp)

    /// Notes that a stream has ended.
    func end(_ stream: StreamID)

    /// Moves what fits. Returns what must be waited for if something is left; an empty text for something outside.
    func offer() -> String?

    /// Drops what is left, and all that will come.
    func discard()

    /// Says that nothing more will come.
    func finish()
}

extension AnyOutlet {
    /// Moves everything, waiting for room.
    func flush(_ waker: Waker, _ monitor: RunMonitor, at place: String) async {
        while let reason = offer() {
            if monitor.isCancelled { return discard() }
            await waker.wait(for: reason.isEmpty ? nil : "\(place) waits for \(reason)")
        }
    }
}
