@testable import Connectors

/// What the brokers of a simulated cluster store: the results, the committed offsets, and transactions.
final class GroupBrokers {
    /// An answer to a producer or a committing member.
    enum Answer {
        case done
        /// Another process has taken over the producer's name, or the producer's transaction took too long.
        case fenced
        /// The member has left the group, or the group has rebalanced since the member joined.
        case notAMember
    }

    struct Stored {
        var offset: Int64
        var metadata: String
    }

    private enum State { case open, committed, aborted }

    private struct Transaction {
        var records: [Int] = []
        var offsets: [Int: Stored] = [:]
        let start: Int64
    }

    private struct Producer {
        var epoch = 0
        var lastSequence = 0
        var transaction: Transaction?
    }

    private let events: VirtualEvents
    private let group: GroupCoordinator
    private let sabotage: GroupSimulation.Sabotage
    private let transactionMs: Int64 = 8000
    private var records: [(result: GroupLog.Result, state: State)] = []
    private var producers: [Int: Producer] = [:]
    private(set) var committed: [Int: Stored] = [:]
    private(set) var fencings = 0
    private(set) var aborts = 0

    init(_ events: VirtualEvents, _ group: GroupCoordinator, _ sabotage: GroupSimulation.Sabotage) {
        (self.events, self.group, self.sabotage) = (events, group, sabotage)
    }

    /// The results that a consumer of committed records sees, in order.
    var visible: [GroupLog.Result] { records.filter { $0.state == .committed }.map(\.result) }

    // MARK: Producers

    /// Gives a producer's name to a process, aborts the transaction of the previous process, and returns the new epoch.
    func begin(_ producer: Int) -> Int {
        finish(producer, commits: false)
        producers[producer, default: Producer()].epoch += 1
        producers[producer]?.lastSequence = 0
        return producers[producer]?.epoch ?? 0
    }

    /// Stores a batch of results, unless the batch is stored already.
    func produce(
        _ producer: Int, _ epoch: Int, _ sequence: Int, _ results: [GroupLog.Result], isTransactional: Bool
    ) -> Answer {
        guard isCurrent(producer, epoch) else { return .fenced }
        guard sequence > producers[producer]?.lastSequence ?? 0 else { return .done }
        producers[producer]?.lastSequence = sequence
        for result in results {
            if isTransactional { open(producer) { $0.records.append(records.count) } }
            records.append((result, isTransactional ? .open : .committed))
        }
        return .done
    }

    /// Adds offsets to a transaction.
    func add(
        _ offsets: [Int: Stored], to producer: Int, _ epoch: Int, _ member: GroupCoordinator.Membership?
    ) -> Answer {
        guard isCurrent(producer, epoch) else { return .fenced }
        guard isMember(member) else { return .notAMember }
        open(producer) { $0.offsets.merge(offsets) { $1 } }
        return .done
    }

    /// Ends a transaction. Accepts repetitions of the request.
    func end(_ producer: Int, _ epoch: Int, commits: Bool) -> Answer {
        guard isCurrent(producer, epoch) else { return .fenced }
        finish(producer, commits: commits)
        return .done
    }

    private func finish(_ producer: Int, commits: Bool) {
        guard let transaction = producers[producer]?.transaction else { return }
        producers[producer]?.transaction = nil
        for index in transaction.records { records[index].state = commits ? .committed : .aborted }
        if commits { committed.merge(transaction.offsets) { $1 } } else { aborts += 1 }
    }

    private func open(_ producer: Int, _ body: (inout Transaction) -> Void) {
        var transaction = producers[producer]?.transaction ?? Transaction(start: events.now)
        body(&transaction)
        producers[producer]?.transaction = transaction
    }

    /// Aborts transactions that take too long, and fences their producers.
    func expire() {
        for (producer, state) in producers {
            guard let start = state.transaction?.start, events.now - start > transactionMs else { continue }
            finish(producer, commits: false)
            producers[producer]?.epoch += 1
        }
    }

    private func isCurrent(_ producer: Int, _ epoch: Int) -> Bool {
        if producers[producer]?.epoch == epoch || sabotage == .noFencing { return true }
        fencings += 1
        return false
    }

    private func isMember(_ member: GroupCoordinator.Membership?) -> Bool {
        if group.isCurrent(member) || sabotage == .noFencing { return true }
        fencings += 1
        return false
    }

    // MARK: Offsets

    /// Stores offsets without a transaction.
    func commit(_ offsets: [Int: Stored], _ member: GroupCoordinator.Membership?) -> Answer {
        guard isMember(member) else { return .notAMember }
        committed.merge(offsets) { $1 }
        return .done
    }

    /// Returns the stored offsets of partitions; `nil` while a transaction may change them.
    func offsets(of partitions: [Int]) -> [Int: Stored]? {
        let isChanging = producers.values.contains { producer in
            producer.transaction.map { transaction in partitions.contains { transaction.offsets[$0] != nil } } ?? false
        }
        if isChanging && sabotage != .unstableOffsets { return nil }
        return committed.filter { partitions.contains($0.key) }
    }
}
