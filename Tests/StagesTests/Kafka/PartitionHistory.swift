import Pipeline
import PipelineTesting

@testable import Connectors

/// One partition that several processes read, one after another. All processes but the last one end in the middle of their work.
/// Results and offsets are committed together.
struct PartitionHistory {
    /// A deliberate error in a process, which the tests must notice.
    enum Sabotage { case none, oneFrameTooMany, noText, oneMessageTooFar }

    /// How the timestamps of a stream continue.
    enum Times: CaseIterable { case increasing, restarting, repeated, clamped }

    struct Message {
        enum Kind { case begin, move, end, unreadable, streamEnd }
        let offset: Int64
        let stream: StreamID?
        let kind: Kind
        let time: Int64
    }

    /// The state of a stage for one stream, which collects the messages of a gesture from `begin` to `end`.
    private struct Gesture {
        var last: Int64 = -1
        var since: Int64?
        var offsets: [Int64] = []
    }

    private let log: [Message]
    private let times: Times
    private let sabotage: Sabotage
    private let hashBits: Int
    /// The maximum size of a commit's metadata, in bytes. If the metadata is longer, nothing is committed.
    private var limit = 4096
    private var dice: SeededGenerator

    init(seed: UInt64, times: Times, sabotage: Sabotage = .none) {
        var dice = SeededGenerator(seed: seed)
        (self.times, self.sabotage) = (times, sabotage)
        // Some streams share a hash.
        hashBits = seed % 3 == 0 ? 2 : HeldMessages.hashBits
        log = Self.log(times, &dice)
        self.dice = dice
    }

    private static func log(_ times: Times, _ dice: inout SeededGenerator) -> [Message] {
        var (open, time) = ([Int: Bool](), [Int: Int64]())
        var (messages, offset) = ([Message](), Int64.random(in: 0...1000, using: &dice))
        let streams = Int.random(in: 1...12, using: &dice)
        for _ in 0..<Int.random(in: 20...400, using: &dice) {
            // Offsets have gaps, because the broker also uses them for other purposes.
            offset += Int.random(in: 0..<8, using: &dice) == 0 ? 2 : 1
            let number = Int.random(in: 0..<streams, using: &dice)
            let roll = Int.random(in: 0..<20, using: &dice)
            let step: Int64 =
                switch times {
                case .increasing, .restarting: Int64.random(in: 1...5, using: &dice)
                case .repeated: Int64.random(in: -2...3, using: &dice)
                case .clamped: Int64.random(in: -4...4, using: &dice)
                }
            time[number] = max(0, time[number, default: 0] + step)
            var kind = Message.Kind.move
            switch roll {
            case 0: kind = .unreadable
            case 1 where times == .restarting:
                (kind, time[number], open[number]) = (.streamEnd, -1, false)
            case 2..<8:
                open[number, default: false].toggle()
                kind = open[number] == true ? .begin : .end
            default: break
            }
            let stream = roll == 0 && number % 2 == 0 ? nil : StreamID("pen \(number)")
            messages.append(Message(offset: offset, stream: stream, kind: kind, time: time[number] ?? 0))
        }
        return messages
    }

    /// Processes one message. Returns the result that it causes, if any.
    private func process(_ message: Message, _ stages: inout [StreamID: Gesture]) -> String? {
        guard let stream = message.stream, message.kind != .unreadable else { return "unreadable \(message.offset)" }
        var stage = stages[stream] ?? Gesture()
        defer { stages[stream] = stage }
        var time = message.time
        switch message.kind {
        case .unreadable: return nil
        case .streamEnd:
            stage = Gesture()
            return nil
        case .begin, .move, .end: break
        }
        if time <= stage.last {
            guard times == .clamped else { return nil }
            time = stage.last + 1
        }
        stage.last = time
        if message.kind == .begin { (stage.since, stage.offsets) = (time, []) }
        guard stage.since != nil else { return nil }
        stage.offsets.append(message.offset)
        guard message.kind == .end else { return nil }
        stage.since = nil
        return "\(stream): \(stage.offsets)"
    }

    /// The results of a single process that never ends early.
    var expected: [String] {
        var stages: [StreamID: Gesture] = [:]
        return log.compactMap { process($0, &stages) }.sorted()
    }

    /// Returns the results that all processes write together.
    mutating func written() -> [String] {
        var written: [String] = []
        var committed: (offset: Int64, text: String?) = (log.first?.offset ?? 0, nil)
        // The last process reads to the end.
        for life in 0..<12 {
            var progress = PartitionProgress(
                from: committed.offset, metadata: committed.text, clamps: times == .clamped,
                hashBits: hashBits)
            var (stages, pending) = ([StreamID: Gesture](), [String]())
            let length = life == 11 ? log.count : Int.random(in: 0...log.count, using: &dice)
            let pace = Int.random(in: 1...40, using: &dice)
            let notesSkipped = Bool.random(using: &dice)
            limit = Bool.random(using: &dice) ? 40 : 4096
            for message in log.filter({ $0.offset >= committed.offset }).prefix(length) {
                if progress.isDone(message.offset, of: message.stream) {
                    if notesSkipped { progress.note(message.offset, message.stream, nil) }
                    continue
                }
                if let result = process(message, &stages) { pending.append(result) }
                note(message, &progress)
                guard Int.random(in: 0..<pace, using: &dice) == 0 else { continue }
                commit(&progress, stages, &pending, &written, &committed)
            }
            limit = 4096
            if life == 11 { commit(&progress, stages, &pending, &written, &committed) }
        }
        return written.sorted()
    }

    private func note(_ message: Message, _ progress: inout PartitionProgress) {
        switch message.kind {
        case .unreadable: progress.note(message.offset, message.stream, nil)
        case .streamEnd:
            if let stream = message.stream { progress.noteEnd(message.offset, of: stream) }
        default: progress.note(message.offset, message.stream, .microseconds(message.time))
        }
    }

    private func commit(
        _ progress: inout PartitionProgress, _ stages: [StreamID: Gesture], _ pending: inout [String],
        _ written: inout [String], _ committed: inout (offset: Int64, text: String?)
    ) {
        let extra: Int64 = sabotage == .oneFrameTooMany ? 1 : 0
        let held = HeldStreams(stages.compactMapValues { $0.since.map { Timestamp.microseconds($0 + extra) } })
        let commit = progress.commit(held, metadataLimit: limit)
        guard let commit else { return }
        committed = (commit.offset, commit.metadata)
        switch sabotage {
        case .none, .oneFrameTooMany: break
        case .noText: committed.text = nil
        case .oneMessageTooFar: committed.offset += 1
        }
        written += pending
        pending = []
        progress.noteCommitted(commit)
    }
}
