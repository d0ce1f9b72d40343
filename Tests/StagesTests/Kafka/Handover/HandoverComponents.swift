import Pipeline
import PipelineTesting
import Synchronization

@testable import Connectors

/// Reads partitions of a log as the `kafka` source does, and gives partitions up and takes them back at random moments.
struct HandoverSource: Source {
    typealias Output = TestNumber

    private let reader: HandoverReader
    private let chance: HandoverChance
    private var context: SourceContext?
    private var hasLeft = false

    init(_ log: HandoverLog, _ chance: HandoverChance) {
        (reader, self.chance) = (HandoverReader(log), chance)
    }

    var commits: Bool { true }

    mutating func open(_ context: SourceContext) async throws {
        self.context = context
        reader.begin(context)
        context.commits { [reader] in reader.position($0) }
    }

    mutating func read(into batch: inout SourceBatch<TestNumber>) async throws -> Bool {
        guard let context else { return false }
        while batch.isEmpty {
            if context.stop.isRequested {
                hasLeft = try await context.commit(releasing: reader.streams) { [reader] in reader.giveUpAll() }
                return false
            }
            switch chance.number(below: 30) {
            case 0: try await giveUp(context)
            case 1: reader.takeBack()
            case 2...8: _ = try await context.commit()
            default: break
            }
            if context.stop.isRequested { continue }
            guard reader.read(atMost: 1 + chance.number(below: 5), into: &batch) else { return false }
            if batch.isEmpty { reader.takeOver() }
        }
        return true
    }

    private func giveUp(_ context: SourceContext) async throws {
        guard let (number, streams) = reader.partitionToGiveUp(chance) else { return }
        while !(try await context.commit(releasing: streams, onRelease: { [reader] in reader.giveUp(number) })) {
            if context.stop.isRequested { return }
            await Task.yield()
        }
    }

    mutating func noteTaken() { reader.takeOver() }

    mutating func close() async { if hasLeft { context?.endCommits() } }
}

/// The partitions that a source reads. The source uses it while it reads, and the run at a commit point of another source.
private final class HandoverReader: Sendable {
    private let log: HandoverLog
    private let partitions = Lock<[Int: KafkaPartition]>([:])
    private let context = Lock<SourceContext?>(nil)

    init(_ log: HandoverLog) { self.log = log }

    func begin(_ context: SourceContext) {
        self.context.withLock { $0 = context }
        takeBack()
    }

    var streams: Set<StreamID> {
        partitions.withLock { $0.values.reduce(into: []) { $0.formUnion($1.streams) } }
    }

    func takeOver() {
        partitions.withLock { for partition in $0.values { partition.takeOver() } }
    }

    func partitionToGiveUp(_ chance: HandoverChance) -> (Int, Set<StreamID>)? {
        partitions.withLock { partitions in
            let numbers = partitions.keys.sorted()
            guard !numbers.isEmpty else { return nil }
            let number = numbers[chance.number(below: numbers.count)]
            return (number, partitions[number]?.streams ?? [])
        }
    }

    func giveUpAll() { for number in log.partitions.indices { giveUp(number) } }

    func giveUp(_ number: Int) {
        context.withLock { $0?.forgetWritten(of: "\(number)") }
        partitions.withLock { $0[number] = nil }
    }

    /// Takes over the partitions that were given up.
    func takeBack() {
        partitions.withLock { partitions in
            for number in log.partitions.indices where partitions[number] == nil {
                let partition = log.partition(number)
                context.withLock { $0?.noteWritten(partition.progress?.written ?? [:], of: "\(number)") }
                partitions[number] = partition
            }
        }
    }

    /// Reads messages of each partition. Returns `false` at the ends of all partitions of the log.
    func read(atMost count: Int, into batch: inout SourceBatch<TestNumber>) -> Bool {
        if isAtEnd { takeBack() }
        if isAtEnd { return false }
        for number in log.partitions.indices { read(number, atMost: count, into: &batch) }
        return true
    }

    private var isAtEnd: Bool {
        partitions.withLock { partitions in
            partitions.allSatisfy { (log.partitions[$0].last?.offset ?? -1) < $1.next }
        }
    }

    private func read(_ number: Int, atMost count: Int, into batch: inout SourceBatch<TestNumber>) {
        let frames = partitions.withLock { partitions -> [Frame<TestNumber>] in
            guard let partition = partitions[number] else { return [] }
            var frames: [Frame<TestNumber>] = []
            for message in log.partitions[number].filter({ $0.offset >= partition.next }).prefix(count) {
                partition.next = message.offset + 1
                var reading = KafkaReading(offset: message.offset)
                reading.stream = message.stream
                if !partition.isDone(reading) {
                    reading.time = message.time
                    frames.append(
                        Frame(
                            TestNumber(message.value), at: message.time, stream: message.stream,
                            sequence: message.offset))
                }
                partition.pending.append(reading)
            }
            return frames
        }
        for frame in frames { batch.append(frame) }
    }

    func position(_ held: HeldStreams) -> HandoverPosition {
        partitions.withLock { partitions in
            var commits: [Int: PartitionProgress.Commit] = [:]
            for (number, partition) in partitions {
                commits[number] = partition.commit(held, metadataBytes: 100_000)?.commit
            }
            return HandoverPosition(log: log, commits: commits, reader: self)
        }
    }

    func noteCommitted(_ commits: [Int: PartitionProgress.Commit]) {
        partitions.withLock { for (number, commit) in commits { $0[number]?.noteCommitted(commit) } }
    }
}

/// The offsets of one source.
struct HandoverPosition: CommitPosition {
    let log: HandoverLog
    let commits: [Int: PartitionProgress.Commit]
    fileprivate let reader: HandoverReader

    func commit() { log.commit(commits) }

    func noteCommitted() { reader.noteCommitted(commits) }
}

/// Keeps results until they are committed together with the offsets of all sources, as in a transaction that all sinks share.
struct HandoverSink: Sink {
    private let log: HandoverLog
    private let chance: HandoverChance
    private var results: HandoverResults?
    private var numbers: OutputNumbers?
    private var name = ""

    init(_ log: HandoverLog, _ chance: HandoverChance) { (self.log, self.chance) = (log, chance) }

    var mayBlock: Bool { true }

    mutating func open(_ context: SinkContext) async throws {
        name = context.id
        numbers = context.numbers()
        results = context.shared("results") {
            let results = HandoverResults(log)
            context.commits { [chance] positions in
                try chance.commit()
                results.commit()
                for position in positions.compactMap({ $0 as? HandoverPosition }) {
                    position.commit()
                    position.noteCommitted()
                }
                return []
            }
            return results
        }
    }

    func write(_ frame: Frame<TestNumber>) throws {
        try chance.write()
        let isRepetition = numbers?.next(frame.stream, at: frame.timestamp).isRepetition ?? false
        if isRepetition { throw Refusal("duplicate") }
        results?.add("\(frame.stream.name) at \(name)", "\(frame.timestamp) \(frame.payload.value)")
    }

    func end(_ stream: StreamID) { numbers?.end(stream) }

    func release(_ stream: StreamID) { numbers?.release(stream) }
}

/// The results of a run that are not committed yet.
final class HandoverResults: Sendable {
    private let log: HandoverLog
    private let pending = Lock<[(place: String, text: String)]>([])

    init(_ log: HandoverLog) { self.log = log }

    func add(_ place: String, _ text: String) { pending.withLock { $0.append((place, text)) } }

    func commit() {
        log.commit(
            pending.withLock { pending in
                defer { pending = [] }
                return pending
            })
    }
}

/// Sums numbers up to the next zero, and emits the sum then.
struct HandoverSum: Stage {
    private var sum = 0
    private var since: Timestamp?

    var heldSince: Timestamp? { since }

    mutating func process(
        _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) {
        if since == nil { since = header.timestamp }
        sum += number.value
        guard number.value % 5 == 0 else { return }
        emitter.emit(TestNumber(sum))
        (sum, since) = (0, nil)
    }

    mutating func finish(into emitter: borrowing Emitter<TestNumber>) {
        if since != nil { emitter.emit(TestNumber(-sum)) }
    }
}

/// Gives each stream another name.
struct HandoverRename: Stage {
    var renamesStreams: Bool { true }

    mutating func process(
        _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) { emitter.emit(number, stream: StreamID("new/\(header.stream.name)")) }
}

/// Emits each number.
struct HandoverPass: Stage {
    mutating func process(
        _ number: TestNumber, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) { emitter.emit(number) }
}

/// Emits the sum of each set.
struct HandoverJoin: AlignedStage {
    typealias Element = TestNumber
    var alignment: Alignment { Alignment() }

    mutating func process(
        _ set: Aligned<TestNumber>, _ header: borrowing Header, into emitter: borrowing Emitter<TestNumber>
    ) { emitter.emit(TestNumber(set.values.reduce(1) { 7 * $0 + ($1?.value ?? 3) })) }
}
