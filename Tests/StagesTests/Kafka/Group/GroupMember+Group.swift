@testable import Connectors

/// How a simulated member joins its group, gives partitions up, and takes them over.
extension GroupMember {
    /// Tells the group regularly that this member is alive.
    func beat() {
        inside(after: 800 + simulation.random(200)) {
            defer { self.beat() }
            guard let membership = self.membership, !self.isJoining else { return }
            self.request({ $0(self.simulation.group.heartbeat(membership)) }) { answer in
                guard membership == self.membership else { return }
                switch answer {
                case .rebalancing: self.isAsked = true
                case .notAMember: self.lose()
                case .fine, nil: break
                }
            }
        }
    }

    /// Notes that the group has excluded this member.
    func lose() {
        membership = nil
        assigned = []
        assignment += 1
        // If a commit is in flight, brokers will refuse it, and the member starts over then. If an abort is in flight, it starts
        // over anyway.
        if !isCommitting { startOver() }
    }

    /// Joins the group. With the cooperative protocol, the member keeps its partitions while it joins.
    func join() {
        guard !isJoining else { return }
        isJoining = true
        isAsked = false
        let member = membership?.member
        // The partitions that the member has begun to read, and those that it is about to read.
        let kept = simulation.isCooperative ? assigned.union(partitions.keys) : []
        request({ self.simulation.group.join(member, keeping: kept, $0) }) { (answer: GroupCoordinator.Joined??) in
            self.isJoining = false
            switch answer {
            case .some(.some(let joined)): self.note(joined, kept)
            case .some(nil): self.lose()
            case nil: self.join()
            }
        }
    }

    /// Joins the group again, because the group is rebalancing.
    func rejoin() {
        if simulation.isCooperative { return join() }
        commit { isAccepted in
            guard isAccepted else { return self.startOver() }
            self.release(self.assigned)
            self.assigned = []
            self.join()
        }
    }

    /// Commits, leaves the group, and ends the process.
    func leave() {
        commit { isAccepted in
            guard isAccepted, let membership = self.membership else { return self.startOver() }
            self.request({ (answer: @escaping (Bool) -> Void) in
                self.simulation.group.leave(membership)
                answer(true)
            }) { _ in }
            self.fail()
        }
    }

    /// Notes the assignment after a join, in which this member kept some partitions.
    private func note(_ joined: GroupCoordinator.Joined, _ kept: Set<Int>) {
        membership = joined.membership
        assigned = joined.partitions
        assignment += 1
        // If this member kept a partition, the group waits until this member has joined again before another member gets the
        // partition. So all kept partitions count here, even those that this member no longer reads because it has started
        // over.
        let revoked = kept.union(partitions.keys).subtracting(assigned)
        guard !revoked.isEmpty else { return takeOver(assigned) }
        giveUp(revoked)
    }

    /// Commits the state of partitions, gives them up, and joins again, so that another member gets them.
    private func giveUp(_ revoked: Set<Int>) {
        // A commit that is in flight comes first.
        guard !isCommitting else { return inside(after: 50) { self.giveUp(revoked) } }
        commit { isAccepted in
            guard isAccepted else { return self.startOver { self.join() } }
            self.release(revoked)
            self.takeOver(self.assigned)
            self.join()
        }
    }

    private func release(_ released: Set<Int>) {
        assignment += 1
        for partition in released { partitions[partition] = nil }
    }

    /// Begins to read partitions that this member does not read yet, from their committed offsets.
    func takeOver(_ wanted: Set<Int>) {
        let added = wanted.subtracting(partitions.keys).sorted()
        guard !added.isEmpty else { return }
        let assignment = assignment
        request({ $0(self.brokers.offsets(of: added)) }) { (answer: [Int: GroupBrokers.Stored]??) in
            guard assignment == self.assignment else { return }
            guard let stored = answer ?? nil else {
                return self.inside(after: 200) {
                    if assignment == self.assignment { self.takeOver(wanted) }
                }
            }
            for partition in added where self.partitions[partition] == nil { self.begin(partition, stored[partition]) }
        }
    }

    private func begin(_ partition: Int, _ stored: GroupBrokers.Stored?) {
        let offset = stored?.offset ?? 0
        let metadata = simulation.sabotage == .noText ? nil : stored?.metadata
        let index = simulation.log.index(of: offset, in: partition)
        partitions[partition] = Partition(
            progress: PartitionProgress(from: offset, metadata: metadata), next: index, received: index)
    }
}
