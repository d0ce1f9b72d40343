import Synchronization

/// What is counted at one node. Every frame that reaches it ends in exactly one of `passed`, `absorbed`, `dropped` and
/// `failed`; `received` is counted where the frame comes in, the others where it ends.
@usableFromInline
package final class NodeMetrics: Sendable {
    /// The node's `id`.
    let id: String

    @usableFromInline let received = Counter()
    @usableFromInline let passed = Counter()
    let absorbed = Counter()
    let failed = Counter()
    @usableFromInline let emitted = Counter()
    let dropped = ReasonCounts()

    /// Frames known to have been lost on the way to a source; they stand in no equation.
    let lost = Counter()

    /// The time one frame takes, measured for one in 64 (stages) or a batch at a time (sinks).
    let time = Histogram()

    /// How old the frame written last was, in nanoseconds: at sinks of live runs.
    let age = Counter()

    /// How old frames were, measured once for all that are written together.
    let ages = Histogram()

    /// What the component counts beside its frames.
    let counts = Counts()

    /// How many of what it could not process have been told of.
    let told = Counter()

    /// What its stage has told a person.
    let said: SaidMatters

    /// What is counted of the whole node, where this is what one of its workers counts.
    let whole: NodeMetrics?

    /// What its workers count, if it has such.
    private let workers = Lock<[NodeMetrics]>([])

    init(id: String) { (self.id, said, whole) = (id, SaidMatters(), nil) }

    private init(of whole: NodeMetrics) { (id, said, self.whole) = (whole.id, whole.said, whole) }

    /// What one more worker counts.
    func makeWorker() -> NodeMetrics {
        let worker = NodeMetrics(of: self)
        workers.withLock { $0.append(worker) }
        return worker
    }

    /// A count, of all workers together.
    func sum(_ count: (NodeMetrics) -> Int64) -> Int64 { parts.reduce(0) { $0 + count($1) } }

    /// The drops of all workers together, by reason.
    var allDropped: [DropReason: Int64] { parts.reduce(into: [:]) { $0.merge($1.dropped.values) { $0 + $1 } } }

    /// The time that frames take, of all workers together.
    var service: HistogramCounts { HistogramCounts(parts.map(\.time.now)) }

    private var parts: [NodeMetrics] { [self] + workers.withLock { $0 } }
}
