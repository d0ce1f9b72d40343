import CKafka
import Pipeline
import Synchronization

/// What the threads of a client report: errors and log lines.
final class KafkaEvents: Sendable {
    private struct State {
        var reason: String?
        var permanent: (code: KafkaCode, reason: String)?
        /// The errors that were logged since messages last came or went.
        var logged: Set<KafkaCode> = []
        var failure: PipelineError?
    }

    private let log: Log
    private let counts: Counts
    private let state = Lock(State())

    /// Receives the changes of the partitions that a consumer reads.
    let onRebalance = RebalanceHandler()

    init(_ log: Log, _ counts: Counts) { (self.log, self.counts) = (log, counts) }

    static func of(_ opaque: UnsafeMutableRawPointer?) -> KafkaEvents? {
        opaque.map { Unmanaged<KafkaEvents>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Records a line of librdkafka's log, with a level of syslog.
    func note(_ level: Int32, _ line: String) { log(.debug, line) }

    /// Records an error. librdkafka tries again after most of them. Each is logged once, until messages come or go again.
    func note(_ code: KafkaCode, _ reason: String) {
        let isNew = state.withLock { state in
            state.reason = reason
            if code.isPermanent, state.permanent == nil { state.permanent = (code, reason) }
            return state.logged.insert(code).inserted
        }
        counts.add("errors")
        if isNew { log(.warning, reason) }
    }

    /// Records that messages come or go.
    func noteProgress() {
        state.withLock { state in if !state.logged.isEmpty { state.logged = [] } }
    }

    /// What was said last about an error.
    var reason: String? { state.withLock { $0.reason } }

    /// Records an error after which the client cannot go on.
    func fail(_ error: PipelineError) { state.withLock { $0.failure = $0.failure ?? error } }

    /// The error after which the client cannot go on, if there was one.
    var failure: PipelineError? {
        let (failure, permanent) = state.withLock { ($0.failure, $0.permanent) }
        return failure ?? permanent.map { $0.code.error(about: "Kafka", $0.reason) }
    }
}

/// A function that the client's reading thread calls when the partitions of a consumer change.
final class RebalanceHandler: Sendable {
    typealias Body = @Sendable (KafkaPartitionList) -> Void

    private let body = Lock<Body?>(nil)
    private let assigned = Atomic<Bool>(false)

    /// Whether the consumer has ever been assigned partitions, be it none.
    var hasBeenAssigned: Bool { assigned.load(ordering: .relaxed) }

    /// Records that the consumer has been assigned partitions.
    func noteAssignment() { assigned.store(true, ordering: .relaxed) }

    var value: Body? { body.withLock { $0 } }

    func set(_ body: Body?) { self.body.withLock { $0 = body } }
}
