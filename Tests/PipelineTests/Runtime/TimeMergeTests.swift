import PipelineTesting
import Testing

@testable import Pipeline

@Suite("Merging edges by time")
struct TimeMergeTests {
    private typealias Merge = TimeMerge<Frame<TestNumber>>

    private func frame(_ time: Int64, of stream: StreamID = "p") -> Merge.Item {
        .frame(Frame(TestNumber(0), at: .microseconds(time), stream: stream, sequence: time))
    }

    private func watermarks(_ items: [Merge.Item]) -> [String] {
        items.compactMap {
            if case .mark(.bound(let stream?, let time)) = $0 { "\(stream) \(time.rawValue)" } else { nil }
        }
    }

    private func words(_ items: [Merge.Item]) -> [String] {
        items.compactMap { item in
            switch item {
            case .frame(let frame): "\(frame.timestamp.rawValue)"
            case .mark(.end): "end"
            default: nil
            }
        }
    }

    @Test("Merging by time: a watermark after a pending end counts for the stream that starts over")
    func watermarkBehindEnd() {
        var merge = Merge(lanes: [LaneTraits(sources: [0]), LaneTraits(sources: [0])])
        var batch: [Merge.Item] = []
        let rank = SourceRank()
        merge.add(frame(1000), rank, lane: 0)
        merge.add(frame(1000), rank, lane: 1)
        merge.settle(into: &batch)
        #expect(words(batch) == ["1000", "1000"])

        // The first edge has ended the stream and reached 100 µs of the next one. The second edge has not reached the end.
        batch = []
        merge.add(.end("p"), rank, lane: 0)
        merge.add(.bound("p", .microseconds(100)), rank, lane: 0)
        merge.settle(into: &batch)
        merge.add(frame(2000), rank, lane: 1)
        merge.add(.end("p"), rank, lane: 1)
        merge.settle(into: &batch)
        #expect(words(batch) == ["2000", "end"])

        // However many frames the second edge delivers now, they wait: the first edge has shown that it carries the stream too.
        batch = []
        for number in 0..<100 {
            merge.add(frame(200 + Int64(number)), rank, lane: 1)
            merge.settle(into: &batch)
        }
        #expect(words(batch) == [])
        merge.add(frame(150), rank, lane: 0)
        merge.add(.end("p"), rank, lane: 0)
        merge.add(.end("p"), rank, lane: 1)
        merge.settle(into: &batch)
        let second: [String] = (200..<300).map { "\($0)" }
        #expect(words(batch) == ["150"] + second + ["end"])
        #expect(merge.late == nil)
    }

    @Test("Merging by time: however many watermarks follow a frame that waits, they take no more memory than one")
    func manyWatermarks() {
        var merge = Merge(lanes: [LaneTraits(sources: [0]), LaneTraits(sources: [1])])
        var batch: [Merge.Item] = []
        var rank = SourceRank()
        merge.add(frame(1), rank, lane: 0)
        for time in 2...1000 {
            rank = rank.next(at: .microseconds(Int64(time)))
            merge.add(.bound("p", .microseconds(Int64(time))), rank, lane: 0)
            merge.settle(into: &batch)
        }
        #expect(words(batch) == [], "the second edge may still deliver the stream")
        #expect(merge.merged.streams["p"]?.sides[0].queue.count == 1)
        batch = []
        merge.add(.bound(nil, .microseconds(5000)), rank, lane: 1)
        merge.settle(into: &batch)
        #expect(words(batch) == ["1"])
        #expect(watermarks(batch) == ["p 1000"])
    }

    @Test(
        "Merging by time: the watermark of a stream counts what followed its frames, even if another stream still waits"
    )
    func watermarkBehindFrames() {
        var merge = Merge(lanes: [LaneTraits(sources: [0]), LaneTraits(sources: [1])])
        var batch: [Merge.Item] = []
        merge.add(frame(1), SourceRank(time: .microseconds(1), index: 0), lane: 0)
        merge.add(.bound("p", .microseconds(10)), SourceRank(time: .microseconds(10), index: 0), lane: 0)
        merge.add(frame(2, of: "q"), SourceRank(time: .microseconds(2), index: 0), lane: 1)
        merge.add(frame(5), SourceRank(time: .microseconds(5), index: 0), lane: 1)
        merge.settle(into: &batch)
        #expect(words(batch) == ["1"], "2 of q waits for the first edge, and 5 comes after it")
        #expect(watermarks(batch).contains("p 4"))
    }

    @Test("Merging by time: the end of a stream leaves directly after frames that were released for lack of room")
    func endAfterRoom() {
        var merge = Merge(lanes: [LaneTraits(sources: [0]), LaneTraits(sources: [1])])
        var batch: [Merge.Item] = []
        var rank = SourceRank()
        merge.add(frame(1), rank, lane: 0)
        merge.add(.end("p"), rank, lane: 0)
        for time in 2...80 {
            rank = rank.next(at: .microseconds(Int64(time)))
            merge.add(frame(Int64(time), of: "q"), rank, lane: 0)
            merge.settle(into: &batch)
        }
        #expect(words(batch).prefix(2) == ["1", "end"])
    }

    @Test(
        "Merging by time: a stream ends when it has ended on the edge of one source and that of the other has finished")
    func endOfOneSource() {
        var merge = Merge(lanes: [LaneTraits(sources: [0]), LaneTraits(sources: [1])])
        var batch: [Merge.Item] = []
        let rank = SourceRank()
        merge.add(frame(1), rank, lane: 0)
        merge.add(frame(1), rank, lane: 1)
        merge.add(.end("p"), rank, lane: 0)
        merge.add(.bound(nil, .microseconds(10)), rank, lane: 0)
        merge.settle(into: &batch)
        #expect(words(batch) == ["1", "1"], "the stream continues on the second edge")
        merge.finish(lane: 1)
        merge.settle(into: &batch)
        #expect(words(batch) == ["1", "1", "end"])
    }

    @Test("Merging by time: the end of a stream leaves when the other edge that carried it has finished")
    func endAfterFinish() {
        var merge = Merge(lanes: [LaneTraits(sources: [0]), LaneTraits(sources: [0])])
        var batch: [Merge.Item] = []
        let rank = SourceRank()
        merge.add(frame(1), rank, lane: 0)
        merge.add(frame(1), rank, lane: 1)
        merge.add(.end("p"), rank, lane: 0)
        merge.settle(into: &batch)
        #expect(words(batch) == ["1", "1"])
        merge.finish(lane: 1)
        merge.settle(into: &batch)
        #expect(words(batch) == ["1", "1", "end"])
    }
}
