import PipelineTesting
import Testing

@testable import Pipeline

private typealias Item = EdgeItem<Frame<TestNumber>>

private func frame(_ value: Int, _ stream: StreamID = "a", at time: Int64? = nil) -> Item {
    .frame(Frame(TestNumber(value), at: .microseconds(time ?? Int64(value)), stream: stream))
}

private func frames(_ items: [Item]) -> [Frame<TestNumber>] {
    items.compactMap { if case .frame(let frame) = $0 { frame } else { nil } }
}

private func offer(_ state: inout EdgeState<Frame<TestNumber>>, _ items: [Item]) -> EdgeState<Frame<TestNumber>>.Offer {
    var (batch, cursor) = (items, 0)
    return state.offer(&batch, from: &cursor)
}

/// Takes frames until none is waiting.
private func take(_ state: inout EdgeState<Frame<TestNumber>>) -> [Frame<TestNumber>] {
    var taken: [Frame<TestNumber>] = []
    repeat {
        var buffer: [Item] = []
        _ = state.take(into: &buffer)
        taken += frames(buffer)
    } while state.waiting > 0
    return taken
}

/// The bounded queue of an edge, without concurrency.
@Suite struct EdgeStateTests {
    @Test("Edge queues: a full blocking edge takes the remaining frames when there is room")
    func wait() {
        var state = EdgeState<Frame<TestNumber>>(policy: EdgePolicy(capacity: 3))
        var (batch, cursor) = ((0..<5).map { frame($0) }, 0)
        #expect(state.offer(&batch, from: &cursor).isFull)
        #expect(cursor == 3)
        var buffer: [Item] = []
        let wakesProducer = state.take(into: &buffer)
        #expect(wakesProducer)
        #expect(frames(buffer).map(\.payload.value) == [0, 1, 2])
        #expect(!state.offer(&batch, from: &cursor).isFull)
        #expect(take(&state).map(\.payload.value) == [3, 4])
        #expect((state.offered, state.taken) == (5, 5))
    }

    @Test("Edge queues: a queue without a limit takes every watermark, so that a run comes to rest for a commit point")
    func unboundedMarks() {
        var state = EdgeState<Frame<TestNumber>>(policy: EdgePolicy(capacity: 2), marksWait: true)
        let marks = (1...1000).map { Item.bound($0 % 2 == 0 ? "a" : "b", .microseconds($0)) }
        var (batch, cursor) = (marks, 0)
        #expect(state.offer(&batch, from: &cursor).isFull)
        state.isUnbounded = true
        #expect(!state.offer(&batch, from: &cursor).isFull)
        var buffer: [Item] = []
        _ = state.take(into: &buffer)
        #expect(buffer.count == 1000)
    }

    @Test(
        "Edge queues: a receipt is superseded only by a later receipt of its stream, a watermark also by a later frame")
    func superseded() {
        var items: [Item] = [
            .receipt("a", .microseconds(1)), .bound("a", .microseconds(1)), .receipt("a", .microseconds(2)),
            .receipt("b", .microseconds(2)), frame(3), .bound("a", .microseconds(4)), .receipt("b", .microseconds(5)),
            .end("b"), .receipt("b", .microseconds(6)),
        ]
        items.removeSupersededMarks()
        let kept = items.map { item in
            switch item {
            case .frame(let frame): "\(frame.stream) \(frame.payload.value)"
            case .mark(.bound(let stream, let time)): "\(stream?.name ?? "all") until \(time.rawValue)"
            case .mark(.receipt(let stream, let time)): "receipt of \(stream) until \(time.rawValue)"
            default: "other"
            }
        }
        #expect(
            kept == [
                "receipt of a until 2", "a 3", "a until 4", "receipt of b until 5", "other", "receipt of b until 6",
            ])
    }

    @Test("Edge queues: drop_oldest keeps the newest, and marks the gap on the next frame of the same stream")
    func dropOldest() {
        var state = EdgeState<Frame<TestNumber>>(policy: EdgePolicy(capacity: 3, onFull: .dropOldest))
        let outcome = offer(&state, [frame(0), frame(1, "b"), frame(2), frame(3), frame(4)])
        #expect(outcome.drops.map(\.0.payload.value) == [0, 1])
        let taken = take(&state)
        #expect(taken.map(\.payload.value) == [2, 3, 4])
        #expect(taken.map(\.gap) == [1, 0, 0])
        // The gap of stream b is set on its next frame, which arrives later.
        _ = offer(&state, [frame(5, "b")])
        #expect(take(&state).map(\.gap) == [1])
        #expect(state.dropped == [.edgeFull: 2])
        #expect(state.offered == state.taken + 2)
    }

    @Test("Edge queues: drop_newest keeps the oldest, and marks the gap on the next frame that gets in")
    func dropNewest() {
        var state = EdgeState<Frame<TestNumber>>(policy: EdgePolicy(capacity: 2, onFull: .dropNewest))
        #expect(offer(&state, [frame(0), frame(1), frame(2), frame(3)]).drops.count == 2)
        #expect(take(&state).map(\.gap) == [0, 0])
        _ = offer(&state, [frame(4)])
        #expect(take(&state).map(\.gap) == [2])
    }

    @Test(
        "Edge queues: frames that were dropped before the end of a stream leave no gap when the stream begins again",
        arguments: [EdgePolicy.OnFull.dropOldest, .dropNewest])
    func gapsEnd(onFull: EdgePolicy.OnFull) {
        var state = EdgeState<Frame<TestNumber>>(policy: EdgePolicy(capacity: 2, onFull: onFull))
        #expect(offer(&state, [frame(0), frame(1), frame(2), .end("a")]).drops.count == 1)
        #expect(take(&state).map(\.gap) == (onFull == .dropOldest ? [1, 0] : [0, 0]))
        _ = offer(&state, [frame(3)])
        #expect(take(&state).map(\.gap) == [0])
    }

    @Test("Edge queues: a gap belongs to the epoch of its stream in which frames were dropped")
    func gapsOfEpochs() {
        var state = EdgeState<Frame<TestNumber>>(policy: EdgePolicy(capacity: 2, onFull: .dropOldest))
        // Both frames of the first epoch are dropped, one frame of the second, and none of the third.
        let items = [frame(0), frame(1), .end("a"), frame(2), frame(3), .end("a"), frame(4)]
        #expect(offer(&state, items).drops.map(\.0.payload.value) == [0, 1, 2])
        let taken = take(&state)
        #expect(taken.map(\.payload.value) == [3, 4])
        #expect(taken.map(\.gap) == [1, 0])
    }

    @Test(
        "Edge queues: a gap that is too large for a number stays the largest number",
        arguments: [EdgePolicy.OnFull.dropOldest, .dropNewest])
    func largestGap(onFull: EdgePolicy.OnFull) {
        var state = EdgeState<Frame<TestNumber>>(policy: EdgePolicy(capacity: 1, onFull: onFull))
        let frames = (0..<4).map { Frame(TestNumber($0), at: .microseconds(Int64($0)), stream: "a", gap: .max) }
        _ = offer(&state, frames.map { .frame($0) })
        #expect(take(&state).map(\.gap) == [.max])
        _ = offer(&state, [.frame(frames[3])])
        #expect(take(&state).map(\.gap) == [.max])
    }

    @Test("Edge queues: with the policy fail, a full edge reports that it overflowed")
    func fail() {
        var state = EdgeState<Frame<TestNumber>>(policy: EdgePolicy(capacity: 1, onFull: .fail))
        #expect(!offer(&state, [frame(0)]).overflowed)
        #expect(offer(&state, [frame(1)]).overflowed)
    }

    @Test("Edge queues: capacity_ms limits the stream time of waiting frames, for each stream separately")
    func capacityMs() {
        var state = EdgeState<Frame<TestNumber>>(policy: EdgePolicy(capacity: 100, capacityMs: 10, onFull: .dropOldest))
        let outcome = offer(
            &state, [frame(0, at: 0), frame(1, at: 6000), frame(2, "b", at: 500_000), frame(3, at: 12_000)])
        #expect(outcome.drops.map(\.0.payload.value) == [0])
    }

    @Test("Edge queues: if only capacity_ms leaves no room, drop_oldest drops frames of the same stream")
    func capacityMsOfOneStream() {
        var state = EdgeState<Frame<TestNumber>>(policy: EdgePolicy(capacity: 4, capacityMs: 10, onFull: .dropOldest))
        let waiting = [frame(0, "b"), frame(1, at: 0), .bound("a", .zero), frame(2, at: 6000)]
        #expect(offer(&state, waiting + [frame(3, at: 20_000)]).drops.map(\.0.payload.value) == [1, 2])
        // The oldest frame of all is dropped if there is no room for any stream.
        #expect(offer(&state, [frame(4, "c"), frame(5, "c"), frame(6, "c")]).drops.map(\.0.payload.value) == [0])
        let taken = take(&state)
        #expect(taken.map(\.payload.value) == [3, 4, 5, 6])
        #expect(taken.map(\.gap) == [2, 0, 0, 0])
    }

    @Test("Edge queues: a gap before a frame behind other streams belongs to the epoch in which frames were dropped")
    func gapsBehindOthers() {
        var state = EdgeState<Frame<TestNumber>>(policy: EdgePolicy(capacity: 9, capacityMs: 10, onFull: .dropOldest))
        // The end that waits before the dropped frame does not take its gap; the end behind it does.
        _ = offer(&state, [frame(0, "b"), .end("a"), frame(1, at: 0), frame(2, at: 20_000)])
        #expect(take(&state).map(\.gap) == [0, 1])
        _ = offer(&state, [frame(3, "b"), frame(4, at: 40_000), .end("a"), frame(5, at: 60_000)])
        let taken = take(&state)
        #expect(taken.map(\.payload.value) == [3, 5])
        #expect(taken.map(\.gap) == [0, 0])
    }

    // If each drop looked at the watermarks of the frames that were dropped before, this test would take many minutes.
    @Test("Edge queues: the work for a dropped frame does not grow with the number of streams")
    func dropsOfManyStreams() {
        let count = 50_000
        var state = EdgeState<Frame<TestNumber>>(policy: EdgePolicy(capacity: 64, onFull: .dropOldest))
        var drops = 0
        for value in 0..<count {
            let stream = StreamID("\(value)")
            drops += offer(&state, [frame(value, stream), .bound(stream, .microseconds(Int64(value)))]).drops.count
        }
        #expect(drops == count - 64)
        var buffer: [Item] = []
        var items: [Item] = []
        repeat {
            buffer = []
            _ = state.take(into: &buffer)
            items += buffer
        } while state.waiting > 0
        #expect(frames(items).map(\.payload.value) == Array((count - 64)..<count))
        let bounds = items.compactMap { if case .mark(.bound(_, let time)) = $0 { Int(time.rawValue) } else { nil } }
        #expect(bounds == Array(0..<count), "every stream keeps its watermark")
    }

    @Test("Edge queues: adjacent watermarks of one stream are merged, and do not use the capacity of a blocking edge")
    func bounds() {
        var state = EdgeState<Frame<TestNumber>>(policy: EdgePolicy(capacity: 2))
        _ = offer(
            &state, [.bound("a", .microseconds(1)), .bound("a", .microseconds(2)), .bound("b", .microseconds(1))])
        var (batch, cursor) = ([frame(3), frame(4), frame(5)], 0)
        #expect(state.offer(&batch, from: &cursor).isFull)
        #expect(cursor == 2)
        var buffer: [Item] = []
        _ = state.take(into: &buffer)
        #expect(buffer.count == 4)
    }

    @Test("Edge queues: a blocking edge makes frames wait behind many ends of streams, so that the queue is bounded")
    func ends() {
        var state = EdgeState<Frame<TestNumber>>(policy: EdgePolicy(capacity: 2))
        func offerEnds(_ numbers: Range<Int>) { _ = offer(&state, numbers.map { .mark(.end(StreamID("\($0)"))) }) }
        func offerFrame(_ number: Int) -> Bool {
            var (batch, cursor) = ([frame(number)], 0)
            return !state.offer(&batch, from: &cursor).isFull
        }
        offerEnds(0..<1000)
        let first = offerFrame(1)
        #expect(first)
        offerEnds(1000..<5000)
        let early = offerFrame(2)
        #expect(!early)
        var buffer: [Item] = []
        let producerWaits = state.take(into: &buffer)
        #expect(producerWaits)
        #expect(buffer.count == 5001)
        let second = offerFrame(2)
        #expect(second)
    }

    @Test(
        "Edge queues: watermarks do not pile up before a busy consumer", arguments: EdgePolicy.OnFull.allCases)
    func manyBounds(onFull: EdgePolicy.OnFull) {
        var state = EdgeState<Frame<TestNumber>>(policy: EdgePolicy(capacity: 1, onFull: onFull))
        let streams: [StreamID] = (0..<16).map { StreamID("pen/\($0)") }
        _ = offer(&state, [frame(0)])
        for time in 1...5000 {
            for stream in streams { _ = offer(&state, [.bound(stream, .microseconds(Int64(time)))]) }
        }
        var buffer: [Item] = []
        _ = state.take(into: &buffer)
        #expect(frames(buffer).count == 1 && buffer.count < 100)
        for stream in streams {
            let bounds = buffer.compactMap { if case .mark(.bound(stream, let time)) = $0 { time } else { nil } }
            #expect(bounds.last == .microseconds(5000))
        }
    }

    @Test(
        "Edge queues: a dropping edge hands over one frame at a time, so that waiting frames can still be dropped and counted"
    )
    func onlyWhatBegins() {
        var state = EdgeState<Frame<TestNumber>>(policy: EdgePolicy(capacity: 3, onFull: .dropOldest))
        _ = offer(
            &state, [.bound("a", .microseconds(-1)), frame(0), .bound("a", .microseconds(0)), frame(1), frame(2)])
        var buffer: [Item] = []
        _ = state.take(into: &buffer)
        #expect(frames(buffer).map(\.payload.value) == [0])
        #expect(buffer.count == 3, "watermarks keep their places")
        #expect(offer(&state, [frame(3)]).drops.isEmpty)
        #expect(offer(&state, [frame(4, "b"), frame(5)]).drops.map(\.0.payload.value) == [1, 2])
        #expect(state.waiting == 3)
        let taken = take(&state)
        #expect(taken.map(\.payload.value) == [3, 4, 5])
        #expect(taken.map(\.gap) == [2, 0, 0])
        #expect((state.offered, state.taken, state.dropped[.edgeFull]) == (6, 4, 2))
    }

    @Test("Edge queues: a waiting consumer is woken once, by the first item that arrives")
    func wakesConsumer() {
        var state = EdgeState<Frame<TestNumber>>(policy: EdgePolicy())
        #expect(!offer(&state, [frame(0)]).wakesConsumer)
        #expect(take(&state).count == 1)
        #expect(take(&state).isEmpty)
        #expect(offer(&state, [frame(1)]).wakesConsumer)
        #expect(!offer(&state, [frame(2)]).wakesConsumer)
        let wakesAtEnd = state.finish().consumer
        #expect(!wakesAtEnd)
    }

    @Test("Edge queues: frames after the consumer has left are dropped and counted")
    func abandoned() {
        var state = EdgeState<Frame<TestNumber>>(policy: EdgePolicy(capacity: 1))
        _ = offer(&state, [frame(0)])
        _ = state.abandon()
        #expect(offer(&state, [frame(1), frame(2)]).drops.map(\.1) == [.cancelled, .cancelled])
        #expect(state.offered == state.taken + Int64(state.waiting) + 2)
    }

    @Test(
        "Edge queues: random offers and takes keep the ledger, the order and the gaps",
        arguments: EdgePolicy.OnFull.allCases)
    func property(onFull: EdgePolicy.OnFull) {
        guard onFull != .fail else { return }
        var random = SeededGenerator(seed: 7)
        for _ in 0..<200 {
            var state = EdgeState<Frame<TestNumber>>(
                policy: EdgePolicy(capacity: Int.random(in: 1...5, using: &random), onFull: onFull))
            var next: [StreamID: Int] = [:]
            var seen: [StreamID: Int] = [:]
            var (batch, cursor) = ([Item](), 0)
            for _ in 0..<40 {
                if Bool.random(using: &random) {
                    let stream: StreamID = Bool.random(using: &random) ? "a" : "b"
                    batch.append(frame(next[stream, default: 0], stream))
                    next[stream, default: 0] += 1
                    _ = state.offer(&batch, from: &cursor)
                } else {
                    for frame in take(&state) {
                        // The gap is exactly the number of missing frames of the stream.
                        #expect(frame.payload.value == seen[frame.stream, default: 0] + Int(frame.gap))
                        seen[frame.stream] = frame.payload.value + 1
                    }
                }
                let dropped = state.dropped.values.reduce(0, +)
                #expect(state.offered == state.taken + Int64(state.waiting) + dropped)
            }
        }
    }
}

/// A piece of a stroke. It continues the previous piece unless it begins a stroke.
private struct StrokePiece: Payload, Equatable {
    static let kind: Kind = "stroke_piece"
    static let continuity = Continuity.continues
    var stroke: Int
    var place: Int
    var beginsAnew: Bool { place == 0 }
}

/// An edge that must drop frames that continue one another.
@Suite struct StrokeDropTests {
    @Test("Edge queues: a full edge drops the whole stroke, with its waiting pieces, up to the next beginning")
    func wholeStroke() {
        var state = EdgeState<Frame<StrokePiece>>(
            policy: EdgePolicy(capacity: 6, onFull: .dropNewest), beginsAnew: { $0.payload.beginsAnew })
        var drops: [(Frame<StrokePiece>, DropReason)] = []
        var number: Int64 = 0
        func offer(_ stroke: Int, _ place: Int, _ stream: StreamID = "a") {
            number += 1
            var batch = [
                EdgeItem.frame(
                    Frame(StrokePiece(stroke: stroke, place: place), at: .microseconds(number), stream: stream))
            ]
            var cursor = 0
            drops += state.offer(&batch, from: &cursor).drops
        }
        for place in 0..<3 { offer(1, place) }
        offer(9, 0, "b")
        for place in 0..<4 { offer(2, place) }
        // The edge is full at the third piece of stroke 2. The two earlier pieces and all later ones are dropped too.
        #expect(drops.map { $0.0.payload.place } == [0, 1, 2, 3])
        #expect(drops.allSatisfy { $0.0.payload.stroke == 2 })
        #expect(drops.map(\.1) == [.interruptedStroke, .interruptedStroke, .edgeFull, .interruptedStroke])
        for place in 0..<2 { offer(3, place) }
        var taken: [Frame<StrokePiece>] = []
        while state.waiting > 0 {
            var buffer: [EdgeItem<Frame<StrokePiece>>] = []
            _ = state.take(into: &buffer)
            taken += buffer.compactMap { if case .frame(let frame) = $0 { frame } else { nil } }
        }
        #expect(taken.map(\.payload.stroke) == [1, 1, 1, 9, 3, 3])
        #expect(taken.map(\.gap) == [0, 0, 0, 0, 4, 0])
        #expect(state.offered == state.taken + 4)
    }

    @Test("Edge queues: the end of a stream also ends the stroke that is being dropped")
    func strokeEnds() {
        var state = EdgeState<Frame<StrokePiece>>(
            policy: EdgePolicy(capacity: 2, onFull: .dropNewest), beginsAnew: { $0.payload.beginsAnew })
        func piece(_ stroke: Int, _ place: Int) -> EdgeItem<Frame<StrokePiece>> {
            .frame(Frame(StrokePiece(stroke: stroke, place: place), at: .zero, stream: "a"))
        }
        // A stream may begin in the middle of a stroke.
        var batch = [piece(1, 0), .end("a"), piece(2, 1), piece(2, 2), .end("a"), piece(3, 1)]
        var cursor = 0
        let drops = state.offer(&batch, from: &cursor).drops
        #expect(drops.map(\.0.payload.stroke) == [2, 2])
        var buffer: [EdgeItem<Frame<StrokePiece>>] = []
        _ = state.take(into: &buffer)
        _ = state.take(into: &buffer)
        #expect(state.taken == 2)
    }
}
