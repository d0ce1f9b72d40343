import PipelineTesting

@testable import Connectors

/// A consumer group in virtual time. Processes crash, hang, are cut off from the brokers, and are replaced; answers of brokers are
/// late or lost; and partitions move between members.
final class GroupSimulation {
    /// A deliberate error, which the tests must notice.
    enum Sabotage { case none, oneFrameTooMany, noFencing, noText, unstableOffsets }

    struct Scale {
        let members: Int
        let partitions: Int
        let streams: Int
        let messages: Int

        static let small = Scale(members: 7, partitions: 12, streams: 60, messages: 1200)
        static let large = Scale(members: 100, partitions: 300, streams: 3000, messages: 12_000)
    }

    let events = VirtualEvents()
    let group: GroupCoordinator
    private(set) var brokers: GroupBrokers
    let log: GroupLog
    let isExact: Bool
    let isCooperative: Bool
    let sabotage: Sabotage
    let metadataLimit: Int
    private let scale: Scale
    private var dice: SeededGenerator
    private var members: [GroupMember] = []
    /// The faults that happened, by name.
    private(set) var faults: [String: Int] = [:]
    /// Messages are written, and faults happen, up to this time.
    private let troubleMs: Int64 = 40_000

    init(seed: UInt64, _ scale: Scale, isExact: Bool, sabotage: Sabotage = .none) {
        var dice = SeededGenerator(seed: seed)
        (self.scale, self.isExact, self.sabotage) = (scale, isExact, sabotage)
        isCooperative = Bool.random(using: &dice)
        // The metadata of a commit sometimes exceeds the small limit.
        metadataLimit = Int.random(in: 0..<4, using: &dice) == 0 ? 60 : 4096
        log = GroupLog(
            partitions: scale.partitions, streams: scale.streams, messages: scale.messages, milliseconds: troubleMs,
            &dice)
        group = GroupCoordinator(events, partitions: scale.partitions, isCooperative: isCooperative)
        brokers = GroupBrokers(events, group, sabotage)
        self.dice = dice
    }

    // MARK: Chance

    func random(_ limit: Int64) -> Int64 { Int64.random(in: 0..<max(1, limit), using: &dice) }

    private var isTroubled: Bool { events.now < troubleMs }

    /// How long a request or an answer takes to arrive, in milliseconds.
    var latency: Int64 { isTroubled && random(200) == 0 ? 1000 + random(7000) : 2 + random(20) }

    /// Whether a request or an answer arrives.
    var isDelivered: Bool { !isTroubled || random(150) != 0 }

    // MARK: Running

    /// Runs until everything is read and committed, or for 400 s of virtual time. Returns whether everything was committed.
    func run() -> Bool {
        // Events that are left refer to this simulation. Without this, it would never be released.
        defer { events.removeAll() }
        for producer in 0..<scale.members {
            events.after(random(5000)) { self.begin(producer) }
        }
        watch()
        trouble()
        while events.now < 400_000 {
            if !isTroubled, isFinished { return true }
            let next = events.now + 1000
            while events.now < next, events.step() {}
        }
        return false
    }

    private func begin(_ producer: Int) {
        // Without transactions, each process has a producer of its own.
        let member = GroupMember(self, producer: isExact ? producer : producer + scale.members * members.count)
        members.append(member)
        member.start()
    }

    /// Starts another process in the place of one that has ended.
    func replace(_ member: GroupMember) {
        events.after(100 + random(8000)) { self.begin(member.producer % self.scale.members) }
    }

    private func watch() {
        group.expire()
        brokers.expire()
        events.after(250) { self.watch() }
    }

    /// Causes a fault, about once in ten seconds for each member.
    private func trouble() {
        guard isTroubled else { return }
        events.after(random(20_000) / Int64(scale.members)) { self.trouble() }
        let alive = members.filter(\.isAlive)
        guard let member = alive.randomElement(using: &dice) else { return }
        let fault: String
        switch random(5) {
        case 0:
            fault = "killed"
            member.fail()
        case 1:
            fault = "hung for a moment"
            member.hang(random(group.sessionMs))
        case 2:
            fault = "hung"
            member.hang(group.sessionMs + random(15_000))
        case 3:
            fault = "cut off"
            member.cut(random(15_000))
        default:
            fault = "left"
            member.wantsToLeave = true
        }
        faults[fault, default: 0] += 1
    }

    private var isFinished: Bool { log.partitions.indices.allSatisfy(isFinished) }

    private func isFinished(_ partition: Int) -> Bool {
        guard let last = log.partitions[partition].last else { return true }
        guard let stored = brokers.committed[partition] else { return false }
        return PartitionProgress(from: stored.offset, metadata: stored.metadata).next == last.offset + 1
    }

    /// The partitions that are not finished, and the members, for messages.
    var state: String {
        let rest = log.partitions.indices.filter { !isFinished($0) }.map { partition in
            "\(partition): \(brokers.committed[partition].map { "\($0.offset) \($0.metadata)" } ?? "nothing") of \(log.partitions[partition].last?.offset ?? -1)"
        }
        let alive = members.filter(\.isAlive).map { member in
            "producer \(member.producer), member \(member.membership.map { "\($0.member) of \($0.generation)" } ?? "none"), assigned \(member.assigned.sorted()), reads \(member.partitions.mapValues { "\($0.next)/\($0.received), \($0.committed)" }.sorted { $0.key < $1.key }), isCommitting \(member.isCommitting), isJoining \(member.isJoining), isAsked \(member.isAsked), results \(member.results.count)"
        }
        return (rest + alive + ["members of the group: \(group.count)"]).joined(separator: "\n")
    }

    // MARK: Results

    /// The results that a consumer accepts, by key. Without transactions, the consumer skips repetitions: results whose offset is
    /// not higher than the offset of the last result of their key.
    var results: [String: [GroupLog.Result]] {
        var results: [String: [GroupLog.Result]] = [:]
        for result in brokers.visible {
            if !isExact, let last = results[result.key]?.last, result.offset <= last.offset { continue }
            results[result.key, default: []].append(result)
        }
        return results
    }

    /// The number of results that were written again.
    var repetitions: Int { brokers.visible.count - Set(brokers.visible).count }

    /// The number of results that have the key and offset of another result, but different points.
    var contradictions: Int {
        Set(brokers.visible).count - Set(brokers.visible.map { "\($0.key) \($0.offset)" }).count
    }
}
