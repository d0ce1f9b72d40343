import Synchronization

/// Lets somebody look into a run from outside: at frames on their way, at drops, at the streams that come.
///
/// It is made before the run and given to ``Run/Options``. Nothing is noted until it is asked for: until then a frame that passes
/// costs one look at a number. What is noted waits in places that hold so many and no more, so that whoever looks never slows the run.
package final class RunWatch: Sendable {
    /// The places where frames can be seen: what each node puts out, by the node's place in the plan.
    package let points: [Int: WatchPoint]

    private let wantedDrops = Atomic<Int>(0)
    private let drops = Lock<[DropRecord]>([])
    private let onNews: @Sendable () -> Void

    /// Creates a watch that observes nothing yet.
    ///
    /// - Parameters:
    ///   - nodes: The positions in the plan of the nodes whose output may be watched; see ``Plan/producers``.
    ///   - onNews: Called from any task when something was noted, unless something was already waiting.
    package init(nodes: [Int], onNews: @escaping @Sendable () -> Void) {
        self.onNews = onNews
        points = Dictionary(uniqueKeysWithValues: nodes.map { ($0, WatchPoint(onNews: onNews)) })
    }

    /// Lets so many drops be noted.
    package func wantDrops(_ count: Int) { wantedDrops.store(count, ordering: .relaxed) }

    /// Takes the drops that were noted.
    package func takeDrops() -> [DropRecord] {
        drops.withLock { drops in
            defer { drops = [] }
            return drops
        }
    }

    /// Whether a drop would be noted.
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
