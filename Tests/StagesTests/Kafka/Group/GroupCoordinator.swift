/// The broker that divides the partitions of a topic among the members of a simulated group.
final class GroupCoordinator {
    struct Membership: Equatable {
        let member: Int
        let generation: Int
    }

    struct Joined {
        let membership: Membership
        let partitions: Set<Int>
    }

    enum Heartbeat { case fine, rebalancing, notAMember }

    private struct Member {
        var partitions: Set<Int> = []
        var seen: Int64
        /// Answers the request to join.
        var answer: ((Joined?) -> Void)?
    }

    private let events: VirtualEvents
    private let partitionCount: Int
    private let isCooperative: Bool
    let sessionMs: Int64 = 4000
    private let rebalanceMs: Int64 = 6000
    private var members: [Int: Member] = [:]
    private var lastMember = 0
    private var generation = 0
    /// When members that have not joined again are excluded; `nil` if no rebalance is in progress.
    private var deadline: Int64?
    private(set) var rebalances = 0
    private(set) var exclusions = 0

    init(_ events: VirtualEvents, partitions: Int, isCooperative: Bool) {
        (self.events, partitionCount, self.isCooperative) = (events, partitions, isCooperative)
    }

    /// The number of members.
    var count: Int { members.count }

    func isCurrent(_ membership: Membership?) -> Bool {
        guard let membership else { return false }
        return membership.generation == generation && members[membership.member] != nil
    }

    func heartbeat(_ membership: Membership) -> Heartbeat {
        guard isCurrent(membership) else { return .notAMember }
        members[membership.member]?.seen = events.now
        return deadline == nil ? .fine : .rebalancing
    }

    /// Lets a process join, or join again. Calls `answer` when all members have joined or are excluded, or at once with `nil` if
    /// the process itself has been excluded.
    ///
    /// - Parameter partitions: The partitions that the process keeps meanwhile.
    func join(_ known: Int?, keeping partitions: Set<Int>, _ answer: @escaping (Joined?) -> Void) {
        if let known, members[known] == nil { return answer(nil) }
        let member = known ?? lastMember + 1
        lastMember = max(lastMember, member)
        let others = members.filter { $0.key != member }.values.reduce(into: Set<Int>()) { $0.formUnion($1.partitions) }
        members[member, default: Member(seen: events.now)].partitions = partitions.subtracting(others)
        members[member]?.seen = events.now
        members[member]?.answer = answer
        rebalance()
    }

    func leave(_ membership: Membership) {
        guard isCurrent(membership) else { return }
        members[membership.member] = nil
        rebalance()
    }

    /// Excludes members that have been silent for too long, and those that have not joined in time.
    func expire() {
        let late = members.filter { member in
            member.value.answer == nil
                && (events.now - member.value.seen > sessionMs || deadline.map { events.now > $0 } ?? false)
        }
        for member in late.keys { members[member] = nil }
        exclusions += late.count
        if !late.isEmpty { rebalance() }
    }

    private func rebalance() {
        if deadline == nil { deadline = events.now + rebalanceMs }
        if members.values.allSatisfy({ $0.answer != nil }) { divide() }
    }

    private func divide() {
        deadline = nil
        generation += 1
        rebalances += 1
        guard !members.isEmpty else { return }
        let names = members.keys.sorted()
        let kept = isCooperative ? members.mapValues(\.partitions) : [:]
        let target = target(names, kept)
        let taken = kept.values.reduce(into: Set<Int>()) { $0.formUnion($1) }
        for name in names {
            // With the cooperative protocol, a partition that another member still keeps is assigned only after that member has
            // given it up and joined again.
            let own = kept[name] ?? []
            let partitions = (target[name] ?? []).filter { own.contains($0) || !taken.contains($0) }
            let answer = members[name]?.answer
            members[name] = Member(partitions: partitions, seen: events.now)
            answer?(Joined(membership: Membership(member: name, generation: generation), partitions: partitions))
        }
    }

    /// Divides the partitions evenly. Members keep as many of their partitions as possible.
    private func target(_ names: [Int], _ kept: [Int: Set<Int>]) -> [Int: Set<Int>] {
        let share = (partitionCount + names.count - 1) / names.count
        var target: [Int: Set<Int>] = [:]
        var free = Set(0..<partitionCount)
        for name in names {
            target[name] = Set((kept[name] ?? []).sorted().prefix(share))
            free.subtract(target[name] ?? [])
        }
        var rest = free.sorted()[...]
        if !isCooperative, !rest.isEmpty {
            // Eager: each rebalance may move everything.
            let turn = generation % rest.count
            rest = (rest[turn...] + rest[..<turn])[...]
        }
        for name in names {
            while target[name]?.count ?? 0 < share, let partition = rest.popFirst() {
                target[name]?.insert(partition)
            }
        }
        return target
    }
}
