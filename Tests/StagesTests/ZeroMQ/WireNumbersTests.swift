import Pipeline
import PipelineTesting
import Testing

@testable import Connectors
@testable import Stages

@Suite struct WireNumbersTests {
    /// Checks the verdicts for messages, each given by its number, its time and the expected verdict.
    private func judge(_ messages: [(Int64?, Int64?, WireNumbers.Verdict)]) {
        var numbers = WireNumbers()
        for (index, (sequence, time, wanted)) in messages.enumerated() {
            let found = numbers.judge("a", sequence, at: time.map { Timestamp.microseconds($0) })
            #expect(found == wanted, "message \(index)")
        }
    }

    @Test("Sequence numbers over ZeroMQ: gaps count as losses, but not before the first message of a stream")
    func holes() {
        judge([(41, 0, .next), (42, 1, .next), (45, 2, .lost(2)), (46, 3, .next), (48, nil, .lost(1))])
    }

    @Test(
        "Sequence numbers over ZeroMQ: a repeated number and time is a duplicate; any other number that goes back is a restart"
    )
    func goingBack() {
        judge([
            (7, 10, .next), (7, 10, .duplicate), (8, 11, .next), (7, 10, .duplicate), (6, 9, .restart), (7, 12, .next),
            (0, 13, .restart), (1, 14, .next), (1, 15, .restart), (0, nil, .duplicate),
        ])
    }

    @Test(
        "Sequence numbers over ZeroMQ: a sender that restarts with its own clock is noticed, and none of its messages is a duplicate"
    )
    func ownClock() {
        let before: [(Int64?, Int64?, WireNumbers.Verdict)] = (0..<100).map { ($0, 5_000_000 + $0 * 1000, .next) }
        let after: [(Int64?, Int64?, WireNumbers.Verdict)] = (0..<100).map {
            ($0, 7 + $0 * 1000, $0 == 0 ? .restart : .next)
        }
        judge(before + after)
        // The same messages again, with exactly the same clock and numbers as the first time.
        judge(before + before.map { ($0.0, $0.1, $0.0 == 0 ? .restart : .next) })
    }

    @Test(
        "Sequence numbers over ZeroMQ: two senders with one name cause one restart, are followed separately, and are reported once",
        arguments: 0..<20)
    func twoSenders(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var numbers = WireNumbers()
        // Numbers that are far apart, or similar; clocks that are far apart, or the same.
        var next: [Int64] = [seed % 2 == 0 ? 4000 : 0, 0]
        let clocks: [Int64] = [1_000_000, seed % 4 < 2 ? 1_000_000 : 90_000_000_000]
        var (restarts, lost, mixed, skipped) = (0, Int64(0), 0, Int64(0))
        for step in 0..<2000 {
            let sender = step < 2 ? step : Int.random(in: 0...1, using: &random)
            if step > 100, Int.random(in: 0..<10, using: &random) == 0 {
                next[sender] += 1
                skipped += 1
            }
            switch numbers.judge("a", next[sender], at: .microseconds(clocks[sender] + Int64(step) * 1000)) {
            case .next: break
            case .restart: restarts += 1
            case .lost(let count): lost += count
            case .duplicate: Issue.record("a duplicate at \(step)")
            }
            next[sender] += 1
            mixed += numbers.takeMixed().count
        }
        #expect(mixed == 1)
        // Similar numbers cannot always be distinguished.
        guard seed % 2 == 0 else {
            #expect(restarts < 100)
            return
        }
        #expect(restarts == 1)
        // A loss shows with the sender's next message, so losses after its last message are not counted.
        #expect((skipped - 2...skipped).contains(lost))
    }

    @Test(
        "Sequence numbers over ZeroMQ: messages from before a restart may arrive after it, and do not count as a second sender"
    )
    func stragglers() {
        var numbers = WireNumbers()
        for number in 0..<50 { _ = numbers.judge("a", Int64(number), at: .microseconds(Int64(number))) }
        var verdicts: [WireNumbers.Verdict] = []
        for (number, time) in [(0, 1000), (50, 50), (1, 1001), (51, 51), (2, 1002), (3, 1003)] as [(Int64, Int64)] {
            verdicts.append(numbers.judge("a", number, at: .microseconds(time)))
        }
        #expect(verdicts == [.restart, .next, .next, .next, .next, .next])
        #expect(numbers.takeMixed() == [])
    }

    @Test(
        "Sequence numbers over ZeroMQ: a restarted sender whose loss passes its last number from before has lost all missing numbers"
    )
    func lossAcrossRestart() {
        let before: [(Int64?, Int64?, WireNumbers.Verdict)] = (0...5).map { ($0, $0, .next) }
        judge(
            before + [
                (0, 1000, .restart), (1, 1001, .next), (7, 1002, .lost(5)), (8, 1003, .next), (10, 1004, .lost(1)),
            ])
        var numbers = WireNumbers()
        for (number, time, _) in before + [(0, 1000, .restart), (1, 1001, .next)] {
            _ = numbers.judge("a", number, at: time.map { .microseconds($0) })
        }
        #expect(numbers.reached(7, by: "a") == 6)
        #expect(numbers.judge("a", 8, at: .microseconds(1003)) == .next)
    }

    @Test(
        "Sequence numbers over ZeroMQ: a sender is remembered during 64 messages of another sender with the same name",
        arguments: [64, 65])
    func silentSender(count: Int64) {
        judge(
            [(4000, 0, .next)] + (0..<count).map { ($0, 1 + $0, $0 == 0 ? .restart : .next) }
                + [(4001, 1000, count == 64 ? .next : .lost(4000 - 64)), (count, 1001, count == 64 ? .next : .restart)])
    }

    @Test(
        "Sequence numbers over ZeroMQ: the repeated number of a quiet stream shows once what is missing at its end"
    )
    func quiet() {
        var numbers = WireNumbers()
        _ = numbers.judge("a", 10, at: .microseconds(10))
        #expect(numbers.reached(10, by: "a") == 0)
        #expect(numbers.reached(15, by: "a") == 5)
        #expect(numbers.reached(15, by: "a") == 0)
        #expect(numbers.judge("a", 16, at: .microseconds(16)) == .next)
        #expect(numbers.judge("a", 18, at: .microseconds(18)) == .lost(1))
        // A number below those that have arrived means that the sender was restarted. Its frames will show that.
        #expect(numbers.reached(3, by: "a") == 0)
        // For a new stream, the first number counts no loss, but the following ones do.
        #expect(numbers.reached(40, by: "b") == 0)
        #expect(numbers.judge("b", 42, at: .microseconds(0)) == .lost(1))
        // Messages that arrived but could not be read are not missing.
        var batch = SourceBatch<Stroke>()
        numbers.takeUnread(of: "b", numbered: nil, into: &batch)
        numbers.takeQuiet("b", numbered: 45, into: &batch)
        #expect(lost(batch) == [2])
    }

    @Test("Sequence numbers over ZeroMQ: messages without numbers are accepted as they come")
    func unnumbered() {
        judge([(nil, 0, .next), (nil, 1, .next), (5, 2, .next), (nil, 3, .next), (6, 4, .next)])
    }

    @Test(
        "Sequence numbers over ZeroMQ: a message without a time is refused in a stream with times, and stamped in one without"
    )
    func clocks() throws {
        func frame(_ stream: StreamID, _ time: Int64, isStamped: Bool) -> Frame<Stroke> {
            Frame(
                Stroke(samples: []), at: .microseconds(time), stream: stream, sequence: 0,
                origin: isStamped ? Origin(receivedAt: time, isStamped: true) : nil)
        }
        var (numbers, batch) = (WireNumbers(), SourceBatch<Stroke>())
        func take(_ frame: Frame<Stroke>, numbered number: Int64) throws {
            try numbers.checkClock(of: frame)
            numbers.take(frame, numbered: number, into: &batch)
        }
        try take(frame("told", 10, isStamped: false), numbered: 0)
        #expect(throws: PipelineError.self) {
            try take(frame("told", 900, isStamped: true), numbered: 1)
        }
        try take(frame("told", 20, isStamped: false), numbered: 2)
        for number in 0..<3 {
            try take(frame("untold", Int64(number), isStamped: true), numbered: Int64(number))
        }
        numbers.end("told")
        try take(frame("told", 900, isStamped: true), numbered: 0)
        #expect(
            batch.items.compactMap { if case .frame(let frame) = $0 { frame.timestamp } else { nil } }
                == [10, 20, 0, 1, 2, 900].map { Timestamp.microseconds($0) })
    }

    /// Returns the number of lost frames for each gap in a batch.
    private func lost(_ batch: SourceBatch<Stroke>) -> [Int64] {
        batch.items.compactMap { if case .event(.lost(let hole)) = $0 { hole.count } else { nil } }
    }

    @Test(
        "Sequence numbers over ZeroMQ: unreadable messages do not count as lost too, as far as stream and number are known"
    )
    func unread() {
        var numbers = WireNumbers()
        var batch = SourceBatch<Stroke>()
        _ = numbers.judge("a", 0, at: .microseconds(0))
        // The stream of an unreadable message may be known or unknown.
        numbers.takeUnread(of: "a", numbered: nil, into: &batch)
        numbers.takeUnread(of: "never seen", numbered: nil, into: &batch)
        #expect(numbers.judge("a", 2, at: .microseconds(2)) == .next)
        numbers.takeUnread(of: nil, numbered: nil, into: &batch)
        #expect(numbers.judge("a", 5, at: .microseconds(5)) == .lost(1))
        #expect(numbers.judge("a", 7, at: .microseconds(7)) == .lost(1))
        #expect(lost(batch) == [])
        // Its number shows where it was: 8 and 10 are missing, and 9 is not.
        numbers.takeUnread(of: "a", numbered: 9, into: &batch)
        #expect(lost(batch) == [1])
        #expect(numbers.judge("a", 11, at: .microseconds(11)) == .lost(1))
        // A duplicate gives no new information.
        numbers.takeUnread(of: "a", numbered: 3, into: &batch)
        #expect(numbers.judge("a", 12, at: .microseconds(12)) == .next)
    }

    @Test("Sequence numbers over ZeroMQ: the restart of a sender is noticed even if its first message is unreadable")
    func unreadRestart() {
        var numbers = WireNumbers()
        var batch = SourceBatch<Stroke>()
        _ = numbers.judge("a", 5, at: .microseconds(5))
        numbers.takeUnread(of: "a", numbered: 9_000_000, into: &batch)
        #expect(numbers.restarts == 0 && lost(batch) == [])
        #expect(numbers.judge("a", 9_000_001, at: .microseconds(6)) == .restart)
        // An unreadable message with a damaged number is no restart.
        numbers.takeUnread(of: "a", numbered: .max, into: &batch)
        #expect(numbers.judge("a", 9_000_002, at: .microseconds(7)) == .next)
    }

    @Test(
        "Sequence numbers over ZeroMQ: an unreadable message hides no loss of a stream that began after it, and no later loss"
    )
    func strays() {
        var numbers = WireNumbers()
        var batch = SourceBatch<Stroke>()
        for _ in 0..<50 { numbers.takeUnread(of: nil, numbered: nil, into: &batch) }
        _ = numbers.judge("a", 0, at: .microseconds(0))
        #expect(numbers.judge("a", 51, at: .microseconds(51)) == .lost(50))
        numbers.takeUnread(of: nil, numbered: nil, into: &batch)
        #expect(numbers.judge("a", 52, at: .microseconds(52)) == .next)
        #expect(numbers.judge("a", 54, at: .microseconds(54)) == .lost(1))
        // One message can fill only one gap.
        _ = numbers.judge("b", 0, at: .microseconds(0))
        numbers.takeUnread(of: nil, numbered: nil, into: &batch)
        #expect(numbers.judge("a", 56, at: .microseconds(56)) == .next)
        #expect(numbers.judge("b", 2, at: .microseconds(2)) == .lost(1))
    }

    @Test(
        "Sequence numbers over ZeroMQ: a jump of more than a million is a restarted sender, unless that many frames fit into the time"
    )
    func leaps() {
        let second: Int64 = 1_000_000
        judge([
            (0, 0, .next), (1_000_001, 1, .lost(1_000_000)), (2_000_003, 2, .restart), (2_000_004, 3, .next),
            (5_000_000, 3 + 4 * second, .lost(2_999_995)), (9_007_199_254_740_991, 8 * second, .restart),
            (0, 9 * second, .restart), (1, 10 * second, .next),
        ])
    }

    @Test("Sequence numbers over ZeroMQ: the smallest and largest possible numbers are handled")
    func extremes() {
        judge([(.min, 0, .next), (.max, 1, .restart), (.min, 2, .restart), (0, 3, .restart), (1, nil, .next)])
    }

    @Test(
        "Sequence numbers over ZeroMQ: beyond the capacity, the least recently seen stream is forgotten, and counts as new later"
    )
    func capacity() {
        var numbers = WireNumbers(capacity: 2)
        _ = numbers.judge("a", 0, at: .microseconds(0))
        _ = numbers.judge("b", 0, at: .microseconds(0))
        _ = numbers.judge("a", 1, at: .microseconds(1))
        _ = numbers.judge("c", 0, at: .microseconds(0))
        #expect(numbers.open == 2)
        #expect(numbers.judge("a", 5, at: .microseconds(5)) == .lost(3))
        #expect(numbers.judge("b", 9, at: .microseconds(9)) == .next)
    }

    @Test(
        "Sequence numbers over ZeroMQ: the table of recent streams agrees with a plain list",
        arguments: [1, 2, 5, 40])
    func recentStreams(capacity: Int) {
        var random = SeededGenerator(seed: UInt64(capacity))
        var recent = RecentStreams<Int>(capacity: capacity)
        // The newest is last.
        var model: [(StreamID, Int)] = []
        for step in 0..<5000 {
            let stream = StreamID("s\(Int.random(in: 0..<20, using: &random))")
            let place = model.firstIndex { $0.0 == stream }
            switch Int.random(in: 0..<8, using: &random) {
            case 0:
                #expect(recent.remove(stream) == place.map { model.remove(at: $0).1 })
            case 1:
                let oldest = recent.removeOldest()
                let wanted = model.isEmpty ? nil : model.removeFirst()
                #expect(oldest?.key == wanted?.0 && oldest?.value == wanted?.1)
            case 2...4:
                #expect(recent[stream] == place.map { model[$0].1 })
                if let place { model.append(model.remove(at: place)) }
            default:
                if let place { model.remove(at: place) }
                let wanted = model.count == capacity ? model.removeFirst() : nil
                let evicted = recent.update(stream, step)
                #expect(evicted?.key == wanted?.0 && evicted?.value == wanted?.1)
                model.append((stream, step))
            }
            #expect(recent.count == model.count)
        }
    }
}
