import PipelineTesting
import Testing

@testable import Pipeline

private typealias Item = EdgeItem<Frame<TestNumber>>

/// A queue that limits the frames in flight, with everything that it has released.
private struct Limiter {
    var state: FlightState<Frame<TestNumber>>
    var now: Int64 = 0
    var delivered: [Frame<TestNumber>] = []
    var dropped: [Int] = []
    var other: [Item] = []
    /// The numbers of the frames that each released credit follows.
    private var credits: [(number: Int, stream: StreamID, values: [Int])] = []
    private var open: [StreamID: [Int]] = [:]

    init(_ policy: EdgePolicy) { state = FlightState(policy: policy) }

    /// Sends a frame with its watermark, as a live source does. The consumer immediately takes what is released.
    mutating func send(_ time: Int, _ stream: StreamID = "a") {
        let frame = Frame(TestNumber(time), at: .microseconds(Int64(time)), stream: stream)
        offer([.frame(frame), .inputEnd, .bound(stream, frame.timestamp)])
    }

    mutating func offer(_ items: [Item]) {
        var (batch, cursor) = (items, 0)
        dropped += state.offer(&batch, from: &cursor, now: now).drops.map(\.0.payload.value)
        take()
    }

    mutating func take() {
        var buffer: [Item] = []
        state.take(into: &buffer)
        for item in buffer {
            switch item {
            case .frame(let frame):
                delivered.append(frame)
                open[frame.stream, default: []].append(frame.payload.value)
            case .mark(.credit(let credit, let stream?)):
                credits.append((credit.number, stream, open.removeValue(forKey: stream) ?? []))
            default: other.append(item)
            }
        }
    }

    /// Changes the credit that follows a frame; does nothing if there is no such credit.
    mutating func change(_ change: Credit.Change, _ value: Int, _ stream: StreamID = "a") {
        guard let credit = credits.last(where: { $0.stream == stream && $0.values.contains(value) }) else { return }
        _ = state.credit(credit.number, change, now: now)
        take()
    }

    /// Finishes a frame, as the consumer.
    mutating func finish(_ value: Int, _ stream: StreamID = "a") { change(.ended, value, stream) }

    /// Finishes the oldest frame that is not finished, as the consumer.
    mutating func finishOne(_ finished: inout Int) {
        guard finished < delivered.count else { return }
        let frame = delivered[finished]
        finished += 1
        finish(frame.payload.value, frame.stream)
    }

    var values: [Int] { delivered.map(\.payload.value) }
}

/// The queue of an edge that limits its frames in flight, without concurrency.
@Suite struct FlightStateTests {
    struct Golden: Sendable, CustomTestStringConvertible {
        let policy: EdgePolicy
        let delivered: [Int]
        let dropped: [Int]
        let testDescription: String
    }

    // MediaPipe's own test of its flow limiter (flow_limiter_calculator_test.cc) sends frame 0, and in each round two more frames,
    // after which one frame is finished.
    static let golden = [
        Golden(
            policy: EdgePolicy(capacity: 1, onFull: .dropOldest, inFlight: 1),
            delivered: Array(stride(from: 0, through: 90, by: 10)),
            dropped: Array(stride(from: 5, through: 85, by: 10)),
            testDescription: "in_flight 1, capacity 1, drop_oldest"),
        Golden(
            policy: EdgePolicy(capacity: 1, onFull: .dropNewest, inFlight: 1),
            delivered: [0] + Array(stride(from: 5, through: 85, by: 10)),
            dropped: Array(stride(from: 10, through: 90, by: 10)),
            testDescription: "in_flight 1, capacity 1, drop_newest"),
        Golden(
            policy: EdgePolicy(capacity: 0, onFull: .dropOldest, inFlight: 1),
            delivered: [0] + Array(stride(from: 15, through: 85, by: 10)),
            dropped: [5, 10] + Array(stride(from: 20, through: 90, by: 10)),
            testDescription: "in_flight 1, capacity 0"),
        Golden(
            policy: EdgePolicy(capacity: 1, onFull: .dropOldest, inFlight: 2),
            delivered: [0, 5] + Array(stride(from: 10, through: 90, by: 10)),
            dropped: Array(stride(from: 15, through: 85, by: 10)),
            testDescription: "in_flight 2, capacity 1, drop_oldest"),
    ]

    @Test("Credits: the golden vectors of delivered and dropped frames while busy", arguments: golden)
    func vectors(golden: Golden) {
        var limiter = Limiter(golden.policy)
        var finished = 0
        limiter.send(0)
        for round in 0...8 {
            limiter.send(10 * round + 5)
            limiter.send(10 * round + 10)
            limiter.finishOne(&finished)
        }
        while finished < limiter.delivered.count { limiter.finishOne(&finished) }
        #expect(limiter.values == golden.delivered)
        #expect(limiter.dropped == golden.dropped)
        #expect(limiter.state.offered == limiter.state.taken + limiter.state.dropped.values.reduce(0, +))
        #expect(limiter.state.unfinished == 0)
    }

    @Test("Credits: the gap of a stream's next frame counts the dropped frames, with drop_oldest and drop_newest")
    func gaps() {
        var oldest = Limiter(EdgePolicy(capacity: 2, onFull: .dropOldest, inFlight: 1))
        for time in 0...5 { oldest.send(time) }
        for time in 0...5 { oldest.finish(time) }
        #expect(oldest.values == [0, 4, 5])
        #expect(oldest.delivered.map(\.gap) == [0, 3, 0])
        var newest = Limiter(EdgePolicy(capacity: 1, onFull: .dropNewest, inFlight: 1))
        for time in 0...3 { newest.send(time) }
        newest.finish(0)
        newest.send(4)
        newest.finish(1)
        #expect(newest.values == [0, 1, 4])
        #expect(newest.delivered.map(\.gap) == [0, 0, 2])
    }

    @Test(
        "Credits: frames that were dropped before the end of a stream leave no gap when the stream begins again",
        arguments: [EdgePolicy.OnFull.dropOldest, .dropNewest])
    func gapsEnd(onFull: EdgePolicy.OnFull) {
        var limiter = Limiter(EdgePolicy(capacity: 1, onFull: onFull, inFlight: 1))
        for time in 1...3 { limiter.send(time) }
        limiter.offer([.end("a")])
        limiter.send(4)
        var finished = 0
        for _ in 0..<4 { limiter.finishOne(&finished) }
        limiter.send(5)
        for _ in 0..<4 { limiter.finishOne(&finished) }
        #expect(limiter.delivered.map(\.payload.value) == (onFull == .dropOldest ? [1, 4, 5] : [1, 2, 5]))
        #expect(limiter.delivered.map(\.gap) == (onFull == .dropOldest ? [0, 0, 0] : [0, 0, 1]))
    }

    @Test("Credits: a gap that is too large for a number stays the largest number")
    func largestGap() {
        var limiter = Limiter(EdgePolicy(capacity: 1, onFull: .dropOldest, inFlight: 1))
        for time in 1...4 {
            let frame = Frame(TestNumber(time), at: .microseconds(Int64(time)), stream: "a", gap: .max)
            limiter.offer([.frame(frame), .inputEnd])
        }
        limiter.finish(1)
        #expect(limiter.delivered.map(\.gap) == [.max, .max])
    }

    @Test("Credits: each stream has its own queue, and a free credit goes to the stream that has waited longest")
    func turns() {
        var limiter = Limiter(EdgePolicy(capacity: 1, onFull: .dropOldest, inFlight: 1))
        limiter.send(0, "a")
        limiter.send(1, "b")
        limiter.send(2, "c")
        // A newer frame of b inherits the turn of the frame that it replaces: a fast stream gains and loses nothing by its speed.
        limiter.send(3, "b")
        #expect(limiter.dropped == [1])
        limiter.finish(0, "a")
        limiter.finish(3, "b")
        #expect(limiter.values == [0, 3, 2])
    }

    @Test(
        "Credits: a frame that replaces several frames inherits the oldest of their turns, and the others are given up")
    func turnsOfReplaced() {
        var limiter = Limiter(EdgePolicy(capacity: 10, capacityMs: 0.005, onFull: .dropOldest, inFlight: 1))
        limiter.send(0, "other")
        for time in 1...6 { limiter.send(time) }
        limiter.send(7, "b")
        // This frame comes too late for the six that wait, and takes the turn of the first of them.
        for time in 101...103 { limiter.send(time) }
        #expect(limiter.dropped == Array(1...6))
        limiter.send(8, "c")
        limiter.finish(0, "other")
        for (time, stream) in [(101, "a"), (7, "b"), (102, "a"), (103, "a")] { limiter.finish(time, StreamID(stream)) }
        #expect(limiter.values == [0, 101, 7, 102, 103, 8])
    }

    @Test("Credits: released streams are dropped in the order of their names, so that reports of drops can be compared")
    func released() {
        var limiter = Limiter(EdgePolicy(capacity: 2, onFull: .dropOldest, inFlight: 1))
        limiter.send(0, "first")
        let streams = (10..<40).map { StreamID("\($0)") }
        for (time, stream) in streams.reversed().enumerated() { limiter.send(time, stream) }
        limiter.send(99, "last")
        let items = limiter.state.release(Set(streams))
        let dropped = items.compactMap { if case .frame(let frame) = $0 { frame.stream } else { nil } }
        #expect(dropped == streams)
        #expect(limiter.state.dropped == [.released: 30])
        limiter.finish(0, "first")
        #expect(limiter.values == [0, 99])
    }

    @Test("Credits: no stream starves, however many there are and however fast they are")
    func fairness() {
        var limiter = Limiter(EdgePolicy(capacity: 1, onFull: .dropOldest, inFlight: 1))
        var finished = 0
        for round in 1...1000 {
            for stream in 0..<10 where stream != 3 || round % 7 == 0 { limiter.send(round, StreamID("\(stream)")) }
            limiter.finishOne(&finished)
        }
        let served = Dictionary(grouping: limiter.delivered, by: \.stream).mapValues(\.count)
        // A slow stream waits for at most nine others once it has a frame, which is after at most seven rounds.
        for stream in 0..<10 {
            #expect((served[StreamID("\(stream)")] ?? 0) >= (stream == 3 ? 62 : 100), "stream \(stream)")
        }
    }

    @Test("Credits: a frame is finished only when every branch that it went on has ended")
    func branches() {
        var limiter = Limiter(EdgePolicy(capacity: 1, onFull: .dropOldest, inFlight: 1))
        limiter.send(0)
        limiter.send(1)
        limiter.change(.divided, 0)
        limiter.finish(0)
        #expect(limiter.values == [0])
        limiter.finish(0)
        #expect(limiter.values == [0, 1])
    }

    @Test("Credits: a frame that waits at a join holds no credit until it goes on")
    func joins() {
        var limiter = Limiter(EdgePolicy(capacity: 1, onFull: .dropOldest, inFlight: 1))
        limiter.send(0)
        limiter.send(1)
        #expect(limiter.values == [0])
        limiter.change(.waits, 0)
        #expect(limiter.values == [0, 1])
        // Now both are in flight. Both must be finished before the next frame gets a credit.
        limiter.change(.goesOn, 0)
        limiter.send(2)
        limiter.finish(0)
        #expect(limiter.values == [0, 1])
        limiter.finish(1)
        #expect(limiter.values == [0, 1, 2])
    }

    @Test("Credits: a frame that waits on one branch and is processed on another holds its credit")
    func joinsOnOneWay() {
        var limiter = Limiter(EdgePolicy(capacity: 1, onFull: .dropOldest, inFlight: 1))
        limiter.send(0)
        limiter.send(1)
        limiter.change(.divided, 0)
        limiter.change(.waits, 0)
        #expect(limiter.values == [0])
        limiter.finish(0)
        #expect(limiter.values == [0, 1])
    }

    @Test(
        "Credits: at most 65 frames of each stream wait at a join without a credit, and a stream with so many blocks no other"
    )
    func roomAtJoins() {
        var limiter = Limiter(EdgePolicy(capacity: 1, onFull: .dropOldest, inFlight: 1))
        for time in 0..<100 {
            limiter.send(time)
            limiter.change(.waits, time)
        }
        #expect(limiter.values == Array(0..<65))
        #expect(limiter.dropped == Array(65..<99))
        limiter.send(200, "b")
        #expect(limiter.values.last == 200)
        limiter.change(.goesOn, 0)
        limiter.finish(0)
        #expect(limiter.values.count == 66)
        limiter.finish(200, "b")
        #expect(limiter.values.last == 99)
    }

    @Test("Credits: all frames of one input hold one credit, until the last is finished")
    func oneInput() {
        func frame(_ time: Int, _ stream: StreamID = "a") -> Item {
            .frame(Frame(TestNumber(time), at: .microseconds(Int64(time)), stream: stream))
        }
        var limiter = Limiter(EdgePolicy(capacity: 3, onFull: .dropOldest, inFlight: 1))
        limiter.offer([frame(8), frame(9)])
        limiter.offer([frame(10)])
        limiter.finish(8)
        #expect(limiter.state.unfinished == 1, "more may come")
        limiter.offer([.inputEnd])
        #expect(limiter.values == [8, 9, 10])
        limiter.offer([frame(20), frame(20), .inputEnd, frame(30, "b")])
        #expect(limiter.values == [8, 9, 10])
        limiter.finish(10)
        #expect(limiter.values == [8, 9, 10, 20, 20])
        limiter.finish(20)
        #expect(limiter.values == [8, 9, 10, 20, 20, 30])
        #expect(limiter.dropped.isEmpty)
        // At the end of the edge, no more frames can follow.
        limiter.offer([frame(40, "c")])
        _ = limiter.state.finish(now: 0)
        limiter.take()
        limiter.finish(30, "b")
        limiter.finish(40, "c")
        #expect(limiter.values.last == 40)
        #expect(limiter.state.unfinished == 0 && limiter.state.isFinished)
    }

    @Test(
        "Credits: with several frames per input, the limit holds and none is dropped while a credit is free",
        arguments: 0..<40)
    func manyOfOneInput(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let slots = Int.random(in: 1...3, using: &random)
        let policy = EdgePolicy(
            capacity: Int.random(in: 0...3, using: &random),
            onFull: Bool.random(using: &random) ? .dropOldest : .dropNewest, inFlight: slots)
        var limiter = Limiter(policy)
        var finished: [StreamID: Int] = [:]
        for input in 1...300 {
            let stream: StreamID = Bool.random(using: &random) ? "a" : "b"
            let wasFree = limiter.state.unfinished < slots
            let dropsBefore = limiter.dropped.count
            let count = Int.random(in: 1...4, using: &random)
            for number in 0..<count {
                let time = Timestamp.microseconds(Int64(input * 10 + number - count))
                limiter.offer([.frame(Frame(TestNumber(input), at: time, stream: stream))])
                // A watermark does not end its input.
                if Bool.random(using: &random) { limiter.offer([.bound(stream, time)]) }
            }
            limiter.offer([.inputEnd, .bound(stream, .microseconds(Int64(input * 10)))])
            if wasFree { #expect(limiter.dropped.count == dropsBefore) }
            #expect(limiter.state.unfinished <= slots)
            guard Int.random(in: 0..<2, using: &random) == 0,
                let oldest = limiter.delivered.first(where: {
                    $0.payload.value > finished[$0.stream, default: 0]
                })
            else { continue }
            finished[oldest.stream] = oldest.payload.value
            limiter.finish(oldest.payload.value, oldest.stream)
        }
        _ = limiter.state.finish(now: 0)
        limiter.take()
        var next = 0
        while next < limiter.delivered.count {
            let frame = limiter.delivered[next]
            limiter.finish(frame.payload.value, frame.stream)
            next += 1
        }
        #expect(limiter.state.unfinished == 0 && limiter.state.isFinished)
        #expect(limiter.state.offered == limiter.state.taken + limiter.state.dropped.values.reduce(0, +))
        for stream in ["a", "b"] as [StreamID] {
            let times = limiter.delivered.filter { $0.stream == stream }.map(\.timestamp)
            #expect(zip(times, times.dropFirst()).allSatisfy { $0 <= $1 })
        }
    }

    @Test(
        "Credits: a credit from upstream stays behind its frame, and passes at once when no frame waits")
    func otherCredits() {
        var limiter = Limiter(EdgePolicy(capacity: 3, onFull: .wait, inFlight: 1))
        func of(_ stream: StreamID?) -> Item { .credit(Credit(1000, of: nil), of: stream) }
        limiter.send(0)
        limiter.send(1)
        limiter.offer([of("a")])
        var buffer: [Item] = []
        limiter.state.take(into: &buffer)
        #expect(buffer.isEmpty)
        for stream in ["b", nil] as [StreamID?] {
            var (batch, cursor) = ([of(stream)], 0)
            _ = limiter.state.offer(&batch, from: &cursor, now: 0)
            limiter.state.take(into: &buffer)
            #expect(buffer.count == 1)
            buffer = []
        }
    }

    @Test(
        "Credits: a blocked producer is woken when any credit ends, so that it cannot miss room for its stream")
    func wakesProducer() {
        var limiter = Limiter(EdgePolicy(capacity: 2, capacityMs: 5, onFull: .wait, inFlight: 1))
        limiter.send(0)
        limiter.send(1, "b")
        limiter.send(1000)
        var batch: [Item] = [.frame(Frame(2, at: .microseconds(9000), stream: "a"))]
        var cursor = 0
        #expect(limiter.state.offer(&batch, from: &cursor, now: 0).isFull)
        #expect(limiter.state.credit(1, .ended, now: 0).producer)
    }

    @Test("Credits: a frame that takes longer than the timeout no longer holds its credit")
    func timeout() {
        var limiter = Limiter(EdgePolicy(capacity: 1, onFull: .dropOldest, inFlight: 1, timeoutMs: 2))
        limiter.send(0)
        limiter.now = 1_999_999
        limiter.send(1)
        #expect(limiter.state.nextDeadline == 2_000_000)
        #expect(limiter.values == [0])
        limiter.now = 2_000_000
        _ = limiter.state.pass(limiter.now)
        limiter.take()
        #expect(limiter.values == [0, 1])
        #expect(limiter.state.timedOut == 1)
        // Its late end does not give back the credit of another frame.
        limiter.send(2)
        limiter.finish(0)
        #expect(limiter.values == [0, 1])
    }

    @Test("Credits: a full blocking queue takes the frame when there is room again")
    func wait() {
        var limiter = Limiter(EdgePolicy(capacity: 1, onFull: .wait, inFlight: 1))
        limiter.send(0)
        limiter.send(1)
        var batch: [Item] = [.frame(Frame(2, at: .microseconds(2), stream: "a"))]
        var cursor = 0
        #expect(limiter.state.offer(&batch, from: &cursor, now: 0).isFull)
        #expect(limiter.state.credit(1, .ended, now: 0).producer)
        #expect(!limiter.state.offer(&batch, from: &cursor, now: 0).isFull)
        limiter.take()
        #expect(limiter.values == [0, 1])
    }

    @Test("Credits: a stream that ends and starts over holds its credit until its own frames are finished")
    func epochs() {
        var limiter = Limiter(EdgePolicy(capacity: 2, onFull: .dropOldest, inFlight: 2))
        limiter.send(100)
        limiter.offer([.end("a")])
        limiter.send(1)
        limiter.send(2)
        // The end of the old frame does not affect the new one.
        limiter.finish(100)
        #expect(limiter.values == [100, 1, 2])
        #expect(limiter.state.unfinished == 2)
    }

    @Test("Credits: watermarks keep their place and do not pile up while the consumer is busy")
    func bounds() {
        var limiter = Limiter(EdgePolicy(capacity: 1, onFull: .dropOldest, inFlight: 1))
        limiter.send(0)
        limiter.send(1)
        #expect(limiter.other.count == 1, "the watermark of a waiting frame comes after the frame")
        var state = limiter.state
        for round in 2..<10_000 {
            for stream in ["a", "b", "c"] as [StreamID] {
                let time = Timestamp.microseconds(Int64(round))
                var (batch, cursor) = ([Item.frame(Frame(0, at: time, stream: stream)), .bound(stream, time)], 0)
                _ = state.offer(&batch, from: &cursor, now: 0)
            }
        }
        var buffer: [Item] = []
        state.take(into: &buffer)
        #expect(buffer.count < 200)
        #expect(state.waiting == 3)
    }

    @Test("Credits: after the end, waiting frames are still handed over one by one")
    func finish() {
        var limiter = Limiter(EdgePolicy(capacity: 3, onFull: .dropOldest, inFlight: 1))
        for time in 0...3 { limiter.send(time) }
        _ = limiter.state.finish(now: 0)
        #expect(!limiter.state.isFinished)
        for time in 0...3 { limiter.finish(time) }
        #expect(limiter.values == [0, 1, 2, 3])
        #expect(limiter.state.isFinished)
    }

    @Test("Credits: after the end, queued frames are handed over even if many wait downstream")
    func finishBehindMany() {
        var limiter = Limiter(EdgePolicy(capacity: 2, onFull: .dropOldest, inFlight: 1))
        for time in 0...64 {
            limiter.send(time)
            limiter.change(.waits, time)
        }
        limiter.send(65)
        limiter.send(66)
        #expect(limiter.values == Array(0...64) && limiter.dropped.isEmpty)
        _ = limiter.state.finish(now: 0)
        limiter.take()
        limiter.change(.waits, 65)
        #expect(limiter.values == Array(0...66))
        #expect(limiter.state.isFinished)
    }

    @Test(
        "Credits: the ledger balances, order is kept, and nothing is dropped while a credit is free", arguments: 0..<40)
    func properties(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let policy = EdgePolicy(
            capacity: Int.random(in: 0...3, using: &random),
            capacityMs: Bool.random(using: &random) ? 0.004 : nil,
            onFull: Bool.random(using: &random) ? .dropOldest : .dropNewest,
            inFlight: Int.random(in: 1...3, using: &random))
        var limiter = Limiter(policy)
        var finished = 0
        for time in 1...500 {
            let dropsBefore = limiter.dropped.count
            let wasFree = limiter.state.unfinished < policy.inFlight ?? 1
            limiter.send(time, Bool.random(using: &random) ? "a" : "b")
            if wasFree { #expect(limiter.dropped.count == dropsBefore) }
            if Int.random(in: 0..<3, using: &random) == 0 { limiter.finishOne(&finished) }
            #expect(limiter.state.unfinished <= policy.inFlight ?? 1)
        }
        while finished < limiter.delivered.count { limiter.finishOne(&finished) }
        #expect(limiter.delivered.count + limiter.dropped.count == 500)
        for stream in ["a", "b"] as [StreamID] {
            let frames = limiter.delivered.filter { $0.stream == stream }
            #expect(frames.map(\.timestamp) == frames.map(\.timestamp).sorted())
        }
        // Every drop is part of a gap, except for drops after the last frame of their stream.
        #expect(limiter.delivered.reduce(0) { $0 + Int($1.gap) } <= limiter.dropped.count)
    }
}
