import Pipeline
import Testing

@testable import Connectors

@Suite("Kafka: the progress in a partition") struct PartitionProgressTests {
    private let limit = 4096

    private func progress(
        _ messages: [(Int64, StreamID?, Int64?)], from offset: Int64 = 0, clamps: Bool = false
    ) -> PartitionProgress {
        var progress = PartitionProgress(from: offset, metadata: nil, clamps: clamps)
        for (offset, stream, time) in messages { progress.note(offset, stream, time.map(Timestamp.microseconds)) }
        return progress
    }

    private func commit(_ progress: PartitionProgress, _ held: [StreamID: Int64] = [:]) throws
        -> PartitionProgress.Commit
    {
        try #require(progress.commit(HeldStreams(held.mapValues(Timestamp.microseconds)), metadataLimit: limit))
    }

    /// Returns the offsets of those messages that the next owner of the partition processes.
    private func readAgain(_ commit: PartitionProgress.Commit, _ messages: [(Int64, StreamID?, Int64?)]) -> [Int64] {
        let next = PartitionProgress(from: commit.offset, metadata: commit.metadata)
        return messages.filter { !next.isDone($0.0, of: $0.1) }.map(\.0)
    }

    @Test("Kafka progress: if no stream is held, the offset after the last message is committed, without metadata")
    func nothingHeld() throws {
        let commit = try commit(progress([(4, "a", 1), (5, nil, nil), (9, "b", 1)], from: 4))
        #expect(commit.offset == 10)
        #expect(commit.metadata.isEmpty)
    }

    @Test("Kafka progress: of a held stream, messages from the held frame on are read again, and none of other streams")
    func oneHeld() throws {
        let messages: [(Int64, StreamID?, Int64?)] = [
            (0, "a", 10), (1, "b", 10), (2, "a", 20), (3, "b", 20), (4, nil, nil), (5, "a", 30), (6, "b", 30),
        ]
        let commit = try commit(progress(messages), ["a": 20])
        #expect(commit.offset == 2)
        #expect(readAgain(commit, messages) == [2, 5])
    }

    @Test("Kafka progress: a stream that is held across restarts is read from its first held message")
    func severalRestarts() throws {
        var messages: [(Int64, StreamID?, Int64?)] = [(0, "a", 0), (1, "b", 0)]
        var commit = try commit(progress(messages), ["a": 0])
        for round in 1...5 as ClosedRange<Int64> {
            var next = PartitionProgress(from: commit.offset, metadata: commit.metadata)
            messages += [(round * 2, "b", round), (round * 2 + 1, "a", round)]
            for (offset, stream, time) in messages where !next.isDone(offset, of: stream) {
                next.note(offset, stream, time.map(Timestamp.microseconds))
            }
            commit = try self.commit(next, ["a": 0])
            #expect(commit.offset == 0)
            #expect(readAgain(commit, messages) == messages.filter { $0.1 == "a" }.map(\.0))
        }
    }

    @Test(
        "Kafka progress: after a commit in the middle of repeated messages, the other repeated messages are still read")
    func midway() throws {
        let messages: [(Int64, StreamID?, Int64?)] = (0..<10).map { ($0, $0 % 2 == 0 ? "a" : "b", $0) }
        let first = try commit(progress(messages), ["a": 2, "b": 5])
        var next = PartitionProgress(from: first.offset, metadata: first.metadata)
        for offset in [2, 4, 5] as [Int64] {
            next.note(offset, offset % 2 == 0 ? "a" : "b", Timestamp.microseconds(offset))
        }
        // The first stroke of a is done; b is still held.
        let second = try commit(next, ["b": 5])
        #expect(second.offset == 5)
        #expect(readAgain(second, messages) == [5, 6, 7, 8, 9])
        let third = try commit(next)
        #expect(readAgain(third, messages) == [6, 7, 8, 9])
    }

    @Test(
        "Kafka progress: a stream that ended and began anew is read from the frame after its end that has the timestamp"
    )
    func endedStream() throws {
        var progress = progress([(0, "a", 0), (1, "a", 5)])
        progress.noteEnd(2, of: "a")
        for offset in 3...5 as ClosedRange<Int64> { progress.note(offset, "a", .microseconds((offset - 3) * 5)) }
        #expect(try commit(progress, ["a": 0]).offset == 3)
        #expect(try commit(progress, ["a": 5]).offset == 4)
    }

    @Test("Kafka progress: output that will be made again is stored until everything that was not done is read again")
    func written() throws {
        let keys = [1, 2].map { OutputKey(hash: $0) }
        func held(_ since: Int64?, _ last: Int64) -> HeldStreams {
            HeldStreams(
                since.map { ["a": .microseconds($0)] } ?? [:],
                written: [
                    "a": [
                        keys[0]: WrittenOutput(last: OutputNumber(time: 15), madeUntil: .microseconds(19)),
                        keys[1]: WrittenOutput(last: OutputNumber(time: last), madeUntil: .microseconds(last)),
                    ]
                ])
        }
        var first = progress([(0, "a", 10), (1, "a", 20), (2, "b", 20), (3, "a", 30), (4, "b", 30)])
        let commit = try #require(first.commit(held(20, 30), metadataLimit: limit))
        #expect(commit.offset == 1)
        // The output that was made from frames up to 19 is not made again from the frame at 20.
        var second = PartitionProgress(from: commit.offset, metadata: commit.metadata)
        #expect(second.written == [keys[1]: OutputNumber(time: 30)])
        // In the middle of the repeated frames, nothing is held, but the output of the other ones is still to come again.
        second.note(1, "a", .microseconds(20))
        let middle = try #require(second.commit(held(nil, 20), metadataLimit: limit))
        #expect(
            PartitionProgress(from: middle.offset, metadata: middle.metadata).written
                == [keys[1]: OutputNumber(time: 30)])
        second.note(3, "a", .microseconds(30))
        second.note(5, "a", .microseconds(40))
        let last = try #require(second.commit(held(40, 40), metadataLimit: limit))
        #expect(last.offset == 5)
        #expect(
            PartitionProgress(from: last.offset, metadata: last.metadata).written
                == [keys[1]: OutputNumber(time: 40)])
        first.noteCommitted(commit)
        #expect(try #require(first.commit(held(nil, 30), metadataLimit: limit)).metadata.isEmpty)
    }

    @Test("Kafka progress: timestamps that were raised by clamp are found")
    func clamped() throws {
        var progress = progress([(0, "a", 10), (1, "a", 3), (2, "a", 5), (3, "a", 11), (4, "a", 20)], clamps: true)
        #expect(try commit(progress, ["a": 11]).offset == 1)
        #expect(try commit(progress, ["a": 12]).offset == 2)
        #expect(try commit(progress, ["a": 13]).offset == 3)
        progress.noteCommitted(try commit(progress, ["a": 12]))
        #expect(try commit(progress, ["a": 13]).offset == 3)
        // After the stream was forgotten, its last timestamp is unknown.
        for _ in 1...2 { progress.noteCommitted(try commit(progress)) }
        for (offset, time) in [(5, 3), (6, 4), (7, 22)] as [(Int64, Int64)] {
            progress.note(offset, "a", .microseconds(time))
        }
        #expect(try commit(progress, ["a": 22]).offset == 5)
    }

    @Test("Kafka progress: if no message has the timestamp, the stream's messages since the last commit are read again")
    func unknownTime() throws {
        var progress = progress([(0, "a", 10), (1, "b", 10)])
        progress.noteCommitted(try commit(progress))
        for offset in 2...5 as ClosedRange<Int64> { progress.note(offset, "a", .microseconds(offset * 10)) }
        #expect(try commit(progress, ["a": 33]).offset == 2)
        #expect(try commit(progress, ["a": 1000]).offset == 2)
    }

    @Test("Kafka progress: if two streams have the same hash, their messages are listed, and none is read twice")
    func sharedHash() throws {
        let messages: [(Int64, StreamID?, Int64?)] = (0..<20).map { ($0, $0 % 2 == 0 ? "a" : "b", $0) }
        var progress = PartitionProgress(from: 0, metadata: nil, hashBits: 0)
        for (offset, stream, time) in messages { progress.note(offset, stream, time.map(Timestamp.microseconds)) }
        let commit = try commit(progress, ["a": 6])
        let next = PartitionProgress(from: commit.offset, metadata: commit.metadata, hashBits: 0)
        #expect(messages.filter { !next.isDone($0.0, of: $0.1) }.map(\.0) == [6, 8, 10, 12, 14, 16, 18])
    }

    @Test("Kafka progress: a message without a frame among held messages is not read again")
    func unreadable() throws {
        let messages: [(Int64, StreamID?, Int64?)] = [(0, "a", 0), (1, "a", nil), (2, "a", 2)]
        #expect(readAgain(try commit(progress(messages), ["a": 0]), messages) == [0, 2])
    }

    @Test(
        "Kafka progress: if the metadata has no room for all held streams, only a commit with repetitions is possible")
    func tooMany() throws {
        let messages: [(Int64, StreamID?, Int64?)] = (0..<5000).map { ($0, StreamID("pen \($0)"), 1) }
        // Every second stream is held, so the offsets to skip are not one contiguous run.
        let held = HeldStreams(
            Dictionary(uniqueKeysWithValues: (0..<2500).map { (StreamID("pen \(2 * $0)"), .microseconds(1)) }))
        var progress = progress(messages)
        #expect(progress.commit(held, metadataLimit: limit) == nil)
        let plain = try #require(progress.commitWithRepetitions(held))
        #expect(plain.offset == 0)
        progress.noteCommitted(plain)
        #expect(progress.streams.count == 2500)
        #expect(progress.commit(held, metadataLimit: 1 << 20) != nil)
    }

    @Test("Kafka progress: only streams that are held or have messages since the last commit are remembered")
    func memory() throws {
        var progress = PartitionProgress(from: 0, metadata: nil)
        progress.note(0, "held", .microseconds(1))
        for offset in 1...10_000 as ClosedRange<Int64> {
            progress.note(offset, StreamID("pen \(offset)"), .microseconds(offset))
            if offset % 100 == 0 { progress.noteCommitted(try commit(progress, ["held": 1])) }
            #expect(progress.log.count <= 101)
            #expect(progress.places.count <= 201)
        }
        #expect(progress.streams == ["held"])
    }

    @Test("Kafka progress: messages that are noted after a commit was computed survive that commit")
    func lateCommit() throws {
        var progress = progress([(0, "a", 0), (1, "b", 0)])
        let commit = try commit(progress, ["b": 0])
        progress.note(2, "a", .microseconds(7))
        progress.noteCommitted(commit)
        #expect(try self.commit(progress, ["a": 7, "b": 0]).offset == 1)
        #expect(try self.commit(progress, ["a": 7]).offset == 2)
    }

    @Test("Kafka progress: without a committed offset, nothing is committed until a message was read")
    func noOffset() throws {
        var progress = PartitionProgress(from: -1001, metadata: nil)
        #expect(progress.commit(HeldStreams(), metadataLimit: limit) == nil)
        progress.note(57, "a", .zero)
        #expect(try commit(progress).offset == 58)
    }
}
