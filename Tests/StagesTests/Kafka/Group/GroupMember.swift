import Pipeline
import PipelineTesting

@testable import Connectors

/// A process of a simulated group. It reads its partitions, runs a stage for each stream, and commits results and offsets.
///
/// `GroupMember+Group.swift` joins and leaves the group; `GroupMember+Commit.swift` commits.
final class GroupMember {
    struct Partition {
        var progress: PartitionProgress
        var stages: [StreamID: GroupLog.Stage] = [:]
        /// The index of the next message to process, and the index after the last received message.
        var next: Int
        var received: Int
        /// The offset after the last message that the last commit covers.
        var committed: Int64 = -1
    }

    /// Not a strong reference, because the simulation keeps its members.
    unowned let simulation: GroupSimulation
    /// The name of its producer. With transactions, a process that replaces this one gets the same name.
    let producer: Int
    var epoch = 0
    var sequence = 0
    var membership: GroupCoordinator.Membership?
    /// The partitions that the group has assigned to this member, and the state of those that it has begun to read.
    var assigned: Set<Int> = []
    var partitions: [Int: Partition] = [:]
    var results: [GroupLog.Result] = []
    /// Counts the changes of the assignment, so that answers that belong to an earlier assignment are recognized.
    var assignment = 0
    var isCommitting = false
    var isJoining = false
    /// Whether the group has asked its members to join again.
    var isAsked = false
    var wantsToLeave = false
    var lastCommit: Int64 = 0
    private(set) var isAlive = true
    private(set) var hangsUntil: Int64 = 0
    /// The time up to which the brokers cannot be reached.
    private var cutUntil: Int64 = 0
    private var lastArrival: Int64 = 0

    init(_ simulation: GroupSimulation, producer: Int) {
        (self.simulation, self.producer) = (simulation, producer)
    }

    var brokers: GroupBrokers { simulation.brokers }
    private var events: VirtualEvents { simulation.events }

    func start() {
        request({ $0(self.brokers.begin(self.producer)) }) { epoch in
            guard let epoch else { return self.start() }
            self.epoch = epoch
            self.join()
            self.beat()
            self.work()
        }
    }

    // MARK: Faults

    /// Ends the process at once.
    func kill() { isAlive = false }

    /// Ends the process. Another process replaces it.
    func fail() {
        guard isAlive else { return }
        kill()
        simulation.replace(self)
    }

    /// Suspends the process for a while, without its noticing.
    func hang(_ milliseconds: Int64) { hangsUntil = max(hangsUntil, events.now + milliseconds) }

    /// Cuts the process off from all brokers.
    func cut(_ milliseconds: Int64) { cutUntil = max(cutUntil, events.now + milliseconds) }

    // MARK: The network

    /// Runs `body` in this process after a delay, or when the process no longer hangs; never if the process has ended.
    func inside(after milliseconds: Int64, _ body: @escaping () -> Void) {
        events.after(milliseconds) {
            guard self.isAlive else { return }
            if self.hangsUntil > self.events.now {
                self.inside(after: self.hangsUntil - self.events.now, body)
            } else {
                body()
            }
        }
    }

    /// Sends a request to a broker. Requests of one process arrive in order, if they arrive.
    ///
    /// - Parameters:
    ///   - handle: Lets the broker process the request, and passes it a function that sends the answer.
    ///   - body: Called with the answer, or with `nil` if none came in time. Even then, the broker may have processed the request.
    func request<Answer>(_ handle: @escaping (@escaping (Answer) -> Void) -> Void, _ body: @escaping (Answer?) -> Void)
    {
        guard simulation.isDelivered, cutUntil <= events.now else { return inside(after: 1500) { body(nil) } }
        let arrival = max(lastArrival, events.now + simulation.latency)
        lastArrival = arrival
        events.at(arrival) {
            handle { answer in
                if self.simulation.isDelivered, self.cutUntil <= self.events.now {
                    self.inside(after: self.simulation.latency) { body(answer) }
                } else {
                    self.inside(after: 1500) { body(nil) }
                }
            }
        }
    }

    // MARK: Work

    /// Reads and processes messages, again and again.
    private func work() {
        inside(after: 400 + simulation.random(400)) {
            defer { self.work() }
            // During a commit, nothing is processed.
            guard !self.isCommitting else { return }
            for partition in self.partitions.keys.sorted() { self.process(partition) }
            self.receive()
            if self.wantsToLeave {
                self.leave()
            } else if self.isAsked, !self.isJoining {
                self.rejoin()
            } else if self.events.now - self.lastCommit > 1500 {
                self.commit(isLast: false) { isAccepted in if !isAccepted { self.startOver() } }
            }
        }
    }

    private func process(_ number: Int) {
        // The partition is not in the dictionary during the loop, so that it is modified without being copied.
        guard var partition = partitions.removeValue(forKey: number) else { return }
        let messages = simulation.log.partitions[number]
        let end = min(partition.received, partition.next + 1 + Int(simulation.random(40)))
        while partition.next < end {
            let message = messages[partition.next]
            partition.next += 1
            guard !partition.progress.isDone(message.offset, of: message.stream) else { continue }
            if let result = partition.stages[message.stream, default: GroupLog.Stage()].process(message, in: number) {
                results.append(result)
            }
            let time = message.kind == .unreadable ? nil : Timestamp.milliseconds(message.time)
            partition.progress.note(message.offset, message.stream, time)
        }
        partitions[number] = partition
    }

    /// Requests messages. Received messages wait in this process, even while it hangs.
    private func receive() {
        guard !partitions.isEmpty else { return }
        let (log, events, assignment) = (simulation.log, events, assignment)
        let starts = partitions.mapValues(\.received)
        request({ answer in
            answer(
                starts.reduce(into: [Int: Int]()) { ends, start in
                    let messages = log.partitions[start.key]
                    var end = start.value
                    while end < messages.count, messages[end].time <= events.now { end += 1 }
                    if end > start.value { ends[start.key] = end }
                })
        }) { ends in
            guard self.assignment == assignment else { return }
            for (partition, end) in ends ?? [:] { self.partitions[partition]?.received = end }
        }
    }
}
