import CKafka
import Pipeline
import Synchronization

/// Collects the errors and log lines that the threads of a client report.
final class KafkaEvents: Sendable {
    private struct State {
        var reason: String?
        var permanent: (code: KafkaCode, place: String, reason: String)?
        /// The errors that were logged since a message was last received or delivered.
        var logged: Set<KafkaCode> = []
        var failure: PipelineError?
    }

    private let log: Log
    private let counts: Counts
    private let state = Lock(State())

    /// Handles the rebalances of a consumer.
    let onRebalance = RebalanceHandler()

    init(_ log: Log, _ counts: Counts) { (self.log, self.counts) = (log, counts) }

    static func of(_ opaque: UnsafeMutableRawPointer?) -> KafkaEvents? {
        opaque.map { Unmanaged<KafkaEvents>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Logs a line of librdkafka. All lines are logged as debug output, whatever their syslog level.
    func note(_ level: Int32, _ line: String) { log(.debug, line) }

    /// Records an error. librdkafka retries after most errors and reports them again, so each error is logged only once, until a
    /// message is received or delivered.
    ///
    /// - Parameter place: What the error concerns, if that is known.
    func note(_ code: KafkaCode, _ reason: String, about place: String? = nil) {
        let isNew = state.withLock { state in
            // That all brokers are down follows the error of the last one, which says why.
            if code != .allBrokersDown || state.reason == nil { state.reason = reason }
            if code.isPermanent, state.permanent == nil { state.permanent = (code, place ?? "Kafka", reason) }
            return state.logged.insert(code).inserted
        }
        counts.add("errors")
        if isNew { log(.warning, reason) }
    }

    /// Records that a message was received or delivered.
    func noteProgress() {
        state.withLock { state in if !state.logged.isEmpty { state.logged = [] } }
    }

    /// librdkafka's description of the last error, or of the one before if that says only that all brokers are down.
    var reason: String? { state.withLock { $0.reason } }

    /// Records an error after which the client cannot continue.
    func fail(_ error: PipelineError) { state.withLock { $0.failure = $0.failure ?? error } }

    /// The error after which the client cannot continue, if there was one.
    var failure: PipelineError? {
        let (failure, permanent) = state.withLock { ($0.failure, $0.permanent) }
        return failure ?? permanent.map { $0.code.error(about: $0.place, $0.reason) }
    }
}

/// Holds the function that a consumer's reading thread calls at a rebalance.
final class RebalanceHandler: Sendable {
    typealias Body = @Sendable (KafkaPartitionList) -> Void

    private let body = Lock<Body?>(nil)
    private let assigned = Atomic<Bool>(false)

    /// Whether the consumer has ever received an assignment, even an empty one.
    var hasBeenAssigned: Bool { assigned.load(ordering: .relaxed) }

    /// Records that the consumer has received an assignment.
    func noteAssignment() { assigned.store(true, ordering: .relaxed) }

    var value: Body? { body.withLock { $0 } }

    func set(_ body: Body?) { self.body.withLock { $0 = body } }
}
