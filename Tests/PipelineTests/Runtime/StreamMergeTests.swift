import PipelineTesting
import Testing

@testable import Pipeline

@Suite("Merging edges by stream")
struct StreamMergeTests {
    private typealias Merge = StreamMerge<Frame<TestNumber>>

    private func frame(_ time: Int64) -> Merge.Item {
        .frame(Frame(TestNumber(0), at: .microseconds(time * 10), stream: "s"))
    }

    private func words(_ items: [Merge.Item]) -> [String] {
        items.compactMap { item in
            switch item {
            case .frame(let frame): "\(frame.timestamp.rawValue / 10)"
            case .mark(.end): "end"
            case .mark(.credit(let credit, _)): "(\(credit.number))"
            default: nil
            }
        }
    }

    @Test("Merging by stream: the end of a stream does not overtake frames that still wait on another edge")
    func endOfFinished() {
        // Two branches of one source, and another source that produces the same stream.
        var merge = Merge(lanes: [.init(sources: [0]), .init(sources: [0]), .init(sources: [1])])
        var batch: [Merge.Item] = []
        merge.add([frame(1)], lane: 2, into: &batch)
        merge.add([frame(5)], lane: 0, into: &batch)
        // The second branch is ahead of the first: it has delivered everything, including the stream that starts again at 2.
        merge.add([frame(6), .end("s"), frame(2), .end("s")], lane: 1, into: &batch)
        merge.finish(lane: 1, into: &batch)
        merge.add([.bound("s", .microseconds(50))], lane: 2, into: &batch)
        #expect(words(batch) == ["1", "5"])
        merge.add([.end("s"), frame(2), .end("s")], lane: 0, into: &batch)
        #expect(words(batch) == ["1", "5"], "6 waits for the other source, and the restarted stream waits behind it")
        merge.add([.bound("s", .microseconds(70))], lane: 2, into: &batch)
        #expect(words(batch) == ["1", "5", "6", "2", "2"])
    }

    @Test(
        "Merging by stream: the watermark of all streams stays below the waiting frames of a stream that has begun again"
    )
    func watermarkOfNextEpoch() {
        var merge = Merge(lanes: [.init(sources: [0]), .init(sources: [0, 1])])
        var batch: [Merge.Item] = []
        merge.add([frame(1)], lane: 1, into: &batch)
        // The stream that begins again at 2 waits until it has ended on the other edge, too.
        merge.add([frame(1), .end("s"), frame(2), .bound(nil, .microseconds(90))], lane: 0, into: &batch)
        merge.add([.bound(nil, .microseconds(80))], lane: 1, into: &batch)
        #expect(words(batch) == ["1", "1"])
        let bounds = batch.compactMap { if case .mark(.bound(nil, let time)) = $0 { time.rawValue } else { nil } }
        #expect(bounds.allSatisfy { $0 < 20 }, "\(bounds)")
    }

    @Test("Merging by stream: the end of a stream does not wait for an edge on which another source continues it")
    func endOfOneSource() {
        for isShared in [false, true] {
            // The first edge carries an earlier merge of both sources.
            var merge = Merge(
                lanes: [.init(sources: [0, 1]), .init(sources: [1])],
                brings: { source, _, _ in isShared || source == 1 })
            var batch: [Merge.Item] = []
            merge.add([frame(1)], lane: 0, into: &batch)
            merge.add([frame(1), .end("s"), frame(2)], lane: 1, into: &batch)
            merge.add([.bound("s", .microseconds(30))], lane: 0, into: &batch)
            #expect(words(batch) == (isShared ? ["1", "1", "2"] : ["1", "1"]))
        }
    }

    @Test("Merging by stream: a credit follows its frame directly, and passes at once when no frame waits")
    func credits() {
        var merge = Merge(lanes: [.init(sources: [0]), .init(sources: [0])])
        func credit(_ number: Int) -> Merge.Item { .credit(Credit(number, of: nil), of: "s") }
        var batch: [Merge.Item] = []
        merge.add([credit(1), frame(1), credit(2), frame(2), credit(3)], lane: 0, into: &batch)
        #expect(words(batch) == ["(1)"])
        merge.add([frame(1), credit(4)], lane: 1, into: &batch)
        #expect(words(batch) == ["(1)", "1", "(2)", "1", "(4)"])
        merge.add([.bound("s", .microseconds(20))], lane: 1, into: &batch)
        #expect(words(batch) == ["(1)", "1", "(2)", "1", "(4)", "2", "(3)"])
    }

    @Test("Merging by stream: frames of a renamed stream wait for an edge only if a source may send that stream")
    func renamed() {
        for isBrought in [false, true] {
            var merge = Merge(
                lanes: [.init(sources: [0]), .init(sources: [0], isRenamed: true)], brings: { _, _, _ in isBrought })
            var batch: [Merge.Item] = []
            merge.add([frame(1), frame(2)], lane: 1, into: &batch)
            #expect(words(batch) == (isBrought ? [] : ["1", "2"]))
            merge.add([.bound("s", .microseconds(10))], lane: 0, into: &batch)
            #expect(words(batch) == (isBrought ? ["1"] : ["1", "2"]))
        }
    }

    @Test("Merging by stream: frames that have left are released from memory, even if one frame always waits")
    func letsGo() {
        final class Token: Sendable {}
        struct Carrier: Payload {
            static let kind: Kind = "carrier"
            let token: Token
        }
        struct Weak { weak var token: Token? }
        var merge = StreamMerge<Frame<Carrier>>(lanes: [.init(sources: [0]), .init(sources: [1])])
        var tokens: [Weak] = []
        var left = 0
        for time in 1...1000 {
            for lane in 0...1 {
                let token = Token()
                tokens.append(Weak(token: token))
                var batch: [EdgeItem<Frame<Carrier>>] = []
                // The second edge is always a frame behind.
                let time = Int64(time - lane)
                merge.add(
                    [.frame(Frame(Carrier(token: token), at: .microseconds(time), stream: "s"))], lane: lane,
                    into: &batch)
                for case .frame in batch { left += 1 }
            }
        }
        #expect(left >= 1990)
        #expect(tokens.count { $0.token != nil } < 200)
    }

    @Test("Merging by stream: streams that never end are forgotten beyond max_streams, unless frames of them wait")
    func manyStreams() {
        var merge = Merge(lanes: [.init(sources: [0]), .init(sources: [0])], maxStreams: 100)
        var batch: [Merge.Item] = []
        merge.add([frame(1)], lane: 0, into: &batch)
        #expect(words(batch) == [], "it waits for the other branch")
        for number in 0..<10_000 {
            let name = StreamID("\(number)")
            for lane in 0...1 {
                merge.add(
                    [.frame(Frame(TestNumber(0), at: .zero, stream: name)), .bound(name, .zero)], lane: lane,
                    into: &batch)
            }
        }
        #expect(merge.merged.streams.count <= 100)
        #expect(words(batch).count == 20_000)
        batch = []
        merge.add([.bound("s", .microseconds(10))], lane: 1, into: &batch)
        #expect(words(batch) == ["1"])
    }

    @Test(
        "Merging by stream: a merge that is replaced emits the waiting frames, but no watermark that an edge has not reached"
    )
    func flush() {
        var merge = Merge(lanes: [.init(sources: [0]), .init(sources: [1])])
        var batch: [Merge.Item] = []
        merge.add([frame(1), .bound("s", .microseconds(10))], lane: 1, into: &batch)
        merge.add([frame(2), frame(3), .bound("s", .microseconds(1000))], lane: 0, into: &batch)
        batch = []
        merge.flush(into: &batch)
        #expect(words(batch) == ["2", "3"])
        #expect(!batch.contains { if case .mark(.bound) = $0 { true } else { false } })
    }

    @Test(
        "Merging by stream: frames do not wait for an edge on which their stream has ended, if it continues elsewhere")
    func endedEdge() {
        // The first edge carries an earlier merge of both sources, and both produce the stream.
        var merge = Merge(lanes: [.init(sources: [0, 1]), .init(sources: [1])], brings: { _, _, _ in true })
        var batch: [Merge.Item] = []
        merge.add([frame(1)], lane: 1, into: &batch)
        merge.add([frame(1), frame(5)], lane: 0, into: &batch)
        #expect(words(batch) == ["1", "1"], "5 waits for the second edge")
        merge.add([.end("s")], lane: 1, into: &batch)
        merge.add([frame(6)], lane: 0, into: &batch)
        #expect(words(batch) == ["1", "1", "5", "6"])
        merge.add([frame(7)], lane: 1, into: &batch)
        merge.add([frame(8)], lane: 0, into: &batch)
        #expect(words(batch) == ["1", "1", "5", "6", "7"], "the stream has begun again there, so 8 waits")
    }

    @Test("Merging by stream: a stream that begins again on one edge is sorted among the frames of another source")
    func overlappingEpochs() {
        var merge = Merge(lanes: [.init(sources: [0]), .init(sources: [1])])
        var batch: [Merge.Item] = []
        merge.add([frame(1), .bound("s", .microseconds(10))], lane: 1, into: &batch)
        merge.add([frame(2), .end("s"), frame(3)], lane: 0, into: &batch)
        merge.add([frame(5)], lane: 1, into: &batch)
        #expect(words(batch) == ["1", "2", "3"])
    }

    @Test("Merging by stream: however many watermarks follow a frame that waits, they take no more memory than one")
    func manyWatermarks() {
        var merge = Merge(lanes: [.init(sources: [0]), .init(sources: [0])])
        var batch: [Merge.Item] = []
        merge.add([frame(1)], lane: 0, into: &batch)
        for time in 2...1000 {
            merge.add([.bound("s", .microseconds(Int64(time) * 10))], lane: 0, into: &batch)
        }
        #expect(merge.merged.streams["s"]?.sides[0].queue.count == 1)
        batch = []
        merge.add([.bound("s", .microseconds(20_000))], lane: 1, into: &batch)
        #expect(words(batch) == ["1"])
        #expect(batch.contains { if case .mark(.bound("s", .microseconds(10_000))) = $0 { true } else { false } })
    }

    @Test("Merging by stream: no watermark follows the end of a stream whose other edge has finished")
    func endAfterFinish() {
        var merge = Merge(lanes: [.init(sources: [0]), .init(sources: [1])])
        var batch: [Merge.Item] = []
        merge.add([frame(5), .bound("s", .microseconds(50))], lane: 0, into: &batch)
        merge.finish(lane: 0, into: &batch)
        merge.add([frame(6), .bound("s", .microseconds(60))], lane: 1, into: &batch)
        batch = []
        merge.add([.end("s")], lane: 1, into: &batch)
        #expect(words(batch) == ["end"])
        #expect(batch.count == 1)
        #expect(merge.merged.streams.isEmpty)
    }

    @Test(
        "Merging by stream: a stream ends when it has ended on one edge and the other has finished, whichever came first",
        arguments: [true, false])
    func endAndFinish(isFinishedFirst: Bool) {
        var merge = Merge(lanes: [.init(sources: [0]), .init(sources: [1])])
        var batch: [Merge.Item] = []
        merge.add([frame(1), .bound("s", .microseconds(10))], lane: 0, into: &batch)
        merge.add([frame(2), frame(3)], lane: 1, into: &batch)
        if isFinishedFirst { merge.finish(lane: 1, into: &batch) }
        merge.add([.end("s")], lane: 0, into: &batch)
        if !isFinishedFirst { merge.finish(lane: 1, into: &batch) }
        #expect(words(batch) == ["1", "2", "3", "end"])
    }
}
