import Synchronization

/// Observes a run from outside: frames in flight, drops, and the current streams.
///
/// Create it before the run and pass it in ``Run/Options``. Nothing is recorded until it is requested. Until then, a frame costs
/// one atomic load at each watched point, and a few atomic loads and stores right after a source. Records wait in lists of limited
/// size, so that an observer never slows the run.
package final class RunWatch: Sendable {
    private let known: Lock<[String: WatchPoint]>
    private let wantedDrops = Atomic<Int>(0)
    private let drops = Lock<[DropRecord]>([])
    private let onNews: @Sendable () -> Void

    /// Creates a watch that observes nothing yet.
    ///
    /// - Parameters:
    ///   - nodes: The nodes whose output may be watched; see ``Plan/producers``.
    ///   - onNews: Called from any task when something was recorded and no earlier record is waiting.
    package init(nodes: [String], onNews: @escaping @Sendable () -> Void) {
        self.onNews = onNews
        known = Lock(Dictionary(uniqueKeysWithValues: nodes.map { ($0, WatchPoint(onNews: onNews)) }))
    }

    /// The points where frames can be observed: the output of each node, by the node's `id`.
    package var points: [String: WatchPoint] { known.withLock { $0 } }

    /// Returns the point where the output of a node can be observed, and creates it for a node that a reload has added.
    func point(of node: String) -> WatchPoint {
        known.withLock { known in
            if let point = known[node] { return point }
            let point = WatchPoint(onNews: onNews)
            known[node] = point
            return point
        }
    }

    /// Requests records of the next `count` drops.
    package func wantDrops(_ count: Int) { wantedDrops.store(count, ordering: .relaxed) }

    /// Returns the recorded drops and removes them.
    package func takeDrops() -> [DropRecord] {
        drops.withLock { drops in
            defer { drops = [] }
            return drops
        }
    }

    /// Whether the next drop would be recorded.
    var wantsDrops: Bool { wantedDrops.load(ordering: .relaxed) > 0 }

    func note(_ drop: DropRecord) {
        guard wantsDrops else { return }
        wantedDrops.subtract(1, ordering: .relaxed)
        let isFirst = drops.withLock { drops in
            drops.append(drop)
            return drops.count == 1
        }
        if isFirst { onNews() }
    }
}
