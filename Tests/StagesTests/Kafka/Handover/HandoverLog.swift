import Pipeline
import PipelineTesting
import Synchronization

@testable import Connectors

/// A log with partitions, from which runs read one after the other. It keeps what they have committed, and the results that were committed
/// together with it.
final class HandoverLog: Sendable {
    struct Message {
        let offset: Int64
        let stream: StreamID
        let time: Timestamp
        let value: Int
    }

    private struct State: Sendable {
        var commits: [Int: PartitionProgress.Commit] = [:]
        var results: [String: [String]] = [:]
    }

    /// The messages of each partition, with holes between their offsets.
    let partitions: [[Message]]
    private let state = Lock(State())

    /// Creates a log in which each partition has streams of its own.
    init(partitions count: Int, messages: Int, named name: String, _ dice: inout SeededGenerator) {
        partitions = (0..<count).map { partition in
            var offset: Int64 = 0
            return (0..<messages).map { index in
                offset += Int64.random(in: 1...3, using: &dice)
                // About every fourth number is a zero, which ends a sum.
                return Message(
                    offset: offset, stream: StreamID("\(name)\(partition)/\(Int.random(in: 0..<4, using: &dice))"),
                    time: .milliseconds(Int64(index + 1)), value: max(0, Int.random(in: -2...6, using: &dice)))
            }
        }
    }

    /// Returns the partition as a new owner takes it over.
    func partition(_ number: Int) -> KafkaPartition {
        let resumed = state.withLock { state in
            state.commits[number].map { PartitionProgress(from: $0.offset, metadata: $0.metadata) }
        }
        return KafkaPartition(KafkaPartitionID(topic: "log", number: Int32(number)), resumed: resumed, clamps: false)
    }

    func commit(_ commits: [Int: PartitionProgress.Commit]) {
        state.withLock { $0.commits.merge(commits) { _, new in new } }
    }

    func commit(_ results: [(place: String, text: String)]) {
        state.withLock { state in for (place, text) in results { state.results[place, default: []].append(text) } }
    }

    /// The results that were committed, by stream and sink.
    var results: [String: [String]] { state.withLock { $0.results } }
}

/// What the participants of a run decide by chance, and what disturbs it.
final class HandoverChance: Sendable {
    enum Disturbance: CaseIterable { case stop, cancel, failedWrite, failedCommit, stopWhileCommitting }

    private struct State: Sendable {
        var dice: SeededGenerator
        var run: Run?
        var countdown: Int
        var commitCountdown: Int
    }

    private let state: Lock<State>
    private let disturbance: Disturbance?

    /// - Parameter limit: The largest number of frames that are written before the run is disturbed.
    init(seed: UInt64, _ disturbance: Disturbance?, before limit: Int) {
        var dice = SeededGenerator(seed: seed)
        self.disturbance = disturbance
        let (frames, commits) = (Int.random(in: 0...limit, using: &dice), Int.random(in: 1...6, using: &dice))
        state = Lock(State(dice: dice, run: nil, countdown: frames, commitCountdown: commits))
    }

    func follow(_ run: Run) { state.withLock { $0.run = run } }

    func number(below limit: Int) -> Int { state.withLock { Int.random(in: 0..<limit, using: &$0.dice) } }

    /// Called for each frame that a sink writes.
    func write() throws {
        let run = state.withLock { state -> Run? in
            state.countdown -= 1
            return state.countdown == 0 ? state.run : nil
        }
        guard let run else { return }
        switch disturbance {
        case .stop: run.stop()
        case .cancel: run.cancel()
        case .failedWrite: throw PipelineError.environment("test.write", "the sink has failed")
        case .failedCommit, .stopWhileCommitting, nil: break
        }
    }

    /// Called at each commit.
    func commit() throws {
        let run = state.withLock { state -> Run? in
            state.commitCountdown -= 1
            return state.commitCountdown == 0 ? state.run : nil
        }
        guard let run else { return }
        switch disturbance {
        case .stopWhileCommitting: run.stop()
        case .failedCommit: throw PipelineError.environment("test.commit", "the commit was not accepted")
        case .stop, .cancel, .failedWrite, nil: break
        }
    }
}
