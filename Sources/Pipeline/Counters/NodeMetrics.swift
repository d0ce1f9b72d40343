import Synchronization

/// The counters of one node. Every frame that reaches the node ends in exactly one of `passed`, `absorbed`, `dropped` and `failed`.
/// `received` is counted where the frame enters the node, the others where the frame ends.
@usableFromInline
package final class NodeMetrics: Sendable {
    /// The node's `id`.
    let id: String

    @usableFromInline let received = Counter()
    @usableFromInline let passed = Counter()
    let absorbed = Counter()
    /// The number of absorbed frames that count as dropped instead, because their outcome was known only later.
    let droppedLater = Counter()
    let failed = Counter()
    @usableFromInline let emitted = Counter()
    let dropped = ReasonCounts()

    /// The number of frames that are known to have been lost before they reached the source. No ledger equation contains them.
    let lost = Counter()

    /// The service time of a frame, measured for one frame in 64 (stages) or for a whole batch (sinks).
    let time = Histogram()

    /// The age of the last written frame, in nanoseconds. For sinks of live runs.
    let age = Counter()

    /// The ages of written frames. Of the frames that are written together, only the age of the last one is recorded.
    let ages = Histogram()

    /// Further counts of the component.
    let counts = Counts()

    /// The number of frames whose failure was reported so far.
    let reportedFailures = Counter()

    /// The subjects that the node's stage has already logged.
    private let loggedSubjects = Lock<Set<String>>([])

    /// The metrics of the whole node if these are the metrics of one of its workers; otherwise `nil`. Weak, because the whole
    /// node owns the metrics of its workers.
    weak let whole: NodeMetrics?

    /// The metrics of the node's workers, if it has any.
    private let workers = Lock<[NodeMetrics]>([])

    init(id: String) { (self.id, whole) = (id, nil) }

    private init(of whole: NodeMetrics) { (id, self.whole) = (whole.id, whole) }

    /// Records that the node's stage logs a subject. Returns whether neither it nor another worker has logged the subject before;
    /// see ``Emitter/logOnce(_:about:_:)``.
    func noteLogged(_ subject: String) -> Bool {
        (whole ?? self).loggedSubjects.withLock { $0.insert(subject).inserted }
    }

    /// Returns the counters of one of several workers. After a reload, the worker with the same number continues to use them.
    func worker(_ number: Int) -> NodeMetrics {
        workers.withLock { workers in
            while workers.count <= number { workers.append(NodeMetrics(of: self)) }
            return workers[number]
        }
    }

    /// Returns the sum of a counter over all workers.
    func sum(_ count: (NodeMetrics) -> Int64) -> Int64 { parts.reduce(0) { $0 + count($1) } }

    /// The drops of all workers, by reason.
    var allDropped: [DropReason: Int64] { parts.reduce(into: [:]) { $0.merge($1.dropped.values) { $0 + $1 } } }

    /// The service times of all workers.
    var service: HistogramCounts { HistogramCounts(parts.map(\.time.now)) }

    private var parts: [NodeMetrics] { [self] + workers.withLock { $0 } }
}
