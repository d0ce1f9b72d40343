import Pipeline

@testable import Connectors

/// How a simulated member commits.
extension GroupMember {
    /// Commits results and offsets. Nothing is processed until that is done.
    ///
    /// - Parameters:
    ///   - isLast: Whether partitions are given up afterwards. If not, a commit whose metadata is too long can wait.
    ///   - body: Called with `false` if the commit was not accepted. The uncommitted state of this member is then invalid.
    func commit(isLast: Bool = true, _ body: @escaping (Bool) -> Void) {
        lastCommit = simulation.events.now
        var commits: [Int: PartitionProgress.Commit] = [:]
        for (number, partition) in partitions where partition.progress.position != partition.committed {
            guard let commit = position(of: partition) else {
                // The metadata is too long. It becomes shorter when gestures end.
                return body(!isLast)
            }
            commits[number] = commit
        }
        guard !commits.isEmpty else { return body(results.isEmpty && membership != nil) }
        isCommitting = true
        sequence += 1
        let offsets = commits.mapValues { GroupBrokers.Stored(offset: $0.offset, metadata: $0.metadata) }
        let finish = { (isAccepted: Bool) in
            self.isCommitting = false
            if isAccepted {
                self.results = []
                for (number, commit) in commits {
                    self.partitions[number]?.progress.noteCommitted(commit)
                    self.partitions[number]?.committed = commit.next
                }
            }
            // The group may have excluded this member just after it accepted the offsets.
            body(isAccepted && self.membership != nil)
        }
        let (batch, sequence, isExact) = (results, sequence, simulation.isExact)
        insist({
            self.brokers.produce(self.producer, self.epoch, sequence, batch, isTransactional: isExact)
        }) {
            // Reads the membership only now: since the commit began, the member may have joined again and kept its partitions.
            self.insist(
                { [membership = self.membership] in
                    isExact
                        ? self.brokers.add(offsets, to: self.producer, self.epoch, membership)
                        : self.brokers.commit(offsets, membership)
                },
                refused: {
                    // The group has excluded this member, which therefore has no partitions any more.
                    self.assigned = []
                    finish(false)
                }
            ) {
                guard isExact else { return finish(true) }
                self.insist({ self.brokers.end(self.producer, self.epoch, commits: true) }) { finish(true) }
            }
        }
    }

    private func position(of partition: Partition) -> PartitionProgress.Commit? {
        let extra: Int64 = simulation.sabotage == .oneFrameTooMany ? 1 : 0
        let held = HeldStreams(
            partition.stages.compactMapValues { $0.heldSince.map { $0.advanced(byMicroseconds: extra) } })
        let exact = partition.progress.commit(held, metadataLimit: simulation.metadataLimit)
        return simulation.isExact ? exact : exact ?? partition.progress.commitWithRepetitions(held)
    }

    /// Aborts the transaction, forgets all uncommitted state, and reads again from the committed offsets.
    func startOver(_ body: @escaping () -> Void = {}) {
        isCommitting = true
        assignment += 1
        partitions = [:]
        results = []
        let goOn = {
            self.isCommitting = false
            // While the abort was in flight, the member may have taken over partitions and lost them again.
            self.partitions = [:]
            if self.assigned.isEmpty { self.join() } else { self.takeOver(self.assigned) }
            body()
        }
        guard simulation.isExact else { return goOn() }
        insist({ self.brokers.end(self.producer, self.epoch, commits: false) }, goOn)
    }

    /// Sends a request until it is answered. A process that is fenced fails.
    private func insist(
        _ handle: @escaping () -> GroupBrokers.Answer, refused: @escaping () -> Void = {}, _ body: @escaping () -> Void
    ) {
        request({ $0(handle()) }) { answer in
            switch answer {
            case .done: body()
            case .fenced: self.fail()
            case .notAMember: refused()
            case nil: self.insist(handle, refused: refused, body)
            }
        }
    }
}
