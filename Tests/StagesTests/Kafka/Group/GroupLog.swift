import Pipeline
import PipelineTesting

/// The topic that a simulated group reads: points of gestures, in partitions.
struct GroupLog {
    struct Message {
        enum Kind { case begin, move, end, unreadable }
        let offset: Int64
        /// The time at which it was written, in milliseconds.
        let time: Int64
        let stream: StreamID
        let kind: Kind
    }

    /// The result that a process writes for a gesture, or for a message that cannot be read.
    struct Result: Hashable {
        let key: String
        /// The offsets of the points.
        let points: [Int64]
        /// The position of the message that caused the result. The offsets of a key's results increase.
        let partition: Int
        let offset: Int64
    }

    /// A stage for one stream. A gesture goes from `begin` to `end`.
    struct Stage {
        private(set) var heldSince: Timestamp?
        private var points: [Int64] = []

        mutating func process(_ message: Message, in partition: Int) -> Result? {
            switch message.kind {
            case .unreadable:
                return Result(
                    key: "unreadable \(partition)", points: [], partition: partition, offset: message.offset)
            case .begin: (heldSince, points) = (.milliseconds(message.time), [message.offset])
            case .move: if heldSince != nil { points.append(message.offset) }
            case .end:
                guard heldSince != nil else { return nil }
                heldSince = nil
                return Result(
                    key: message.stream.name, points: points + [message.offset], partition: partition,
                    offset: message.offset)
            }
            return nil
        }
    }

    let partitions: [[Message]]

    /// Creates messages that are written during `milliseconds`.
    init(
        partitions count: Int, streams: Int, messages: Int, milliseconds: Int64, _ dice: inout SeededGenerator
    ) {
        var partitions = [[Message]](repeating: [], count: count)
        let times = (0..<messages).map { _ in Int64.random(in: 0..<milliseconds, using: &dice) }.sorted()
        var isOpen = [Bool](repeating: false, count: streams)
        var last = [Int64](repeating: -1, count: streams)
        for time in times {
            let stream = Int.random(in: 0..<streams, using: &dice)
            // Kafka puts all messages of a key into one partition.
            let partition = stream % count
            let isUnreadable = Int.random(in: 0..<50, using: &dice) == 0
            guard isUnreadable || time > last[stream] else { continue }
            var kind = Message.Kind.unreadable
            if !isUnreadable {
                last[stream] = time
                kind = .move
                if Int.random(in: 0..<3, using: &dice) == 0 {
                    kind = isOpen[stream] ? .end : .begin
                    isOpen[stream].toggle()
                }
            }
            // Offsets have gaps, because brokers also use them for the ends of transactions.
            let gap: Int64 = Int.random(in: 0..<10, using: &dice) == 0 ? 2 : 1
            partitions[partition].append(
                Message(
                    offset: (partitions[partition].last?.offset ?? -1) + gap, time: time,
                    stream: StreamID("pen \(stream)"), kind: kind))
        }
        // Ends the gestures that are still open.
        for stream in 0..<streams where isOpen[stream] {
            let offset = (partitions[stream % count].last?.offset ?? -1) + 1
            partitions[stream % count].append(
                Message(offset: offset, time: milliseconds, stream: StreamID("pen \(stream)"), kind: .end))
        }
        self.partitions = partitions
    }

    /// Returns the index of the first message of a partition at or after an offset.
    func index(of offset: Int64, in partition: Int) -> Int {
        let messages = partitions[partition]
        var (low, high) = (0, messages.count)
        while low < high {
            let middle = (low + high) / 2
            if messages[middle].offset < offset { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The results, by key, of a single process that reads everything and never fails.
    var expected: [String: [Result]] {
        var results: [String: [Result]] = [:]
        for (partition, messages) in partitions.enumerated() {
            var stages: [StreamID: Stage] = [:]
            for message in messages {
                guard let result = stages[message.stream, default: Stage()].process(message, in: partition) else {
                    continue
                }
                results[result.key, default: []].append(result)
            }
        }
        return results
    }
}
