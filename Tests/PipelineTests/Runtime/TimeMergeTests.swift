import PipelineTesting
import Testing

@testable import Pipeline

@Suite("Merging edges by time")
struct TimeMergeTests {
    private typealias Merge = TimeMerge<Frame<TestNumber>>

    private func frame(_ time: Int64) -> Merge.Item {
        .frame(Frame(TestNumber(0), at: .microseconds(time), stream: "p", sequence: time))
    }

    private func words(_ items: [Merge.Item]) -> [String] {
        items.compactMap { item in
            switch item {
            case .frame(let frame): "\(frame.timestamp.rawValue)"
            case .end: "end"
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
}
