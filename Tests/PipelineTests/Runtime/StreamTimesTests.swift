import Testing

@testable import Pipeline

@Suite("The times of streams at an input")
struct StreamTimesTests {
    private func header(_ time: Int64, _ stream: StreamID, gap: Int32 = 0) -> FrameHeader {
        FrameHeader(
            timestamp: .microseconds(time), stream: stream, sequence: 0, gap: gap, arrival: 0, origin: nil)
    }

    @Test("Late frames of a stream are part of the gap of its next frame, up to the largest number")
    func gaps() {
        var times = StreamTimes(maxStreams: 10)
        var frames = [header(5, "a"), header(3, "a"), header(4, "a", gap: 2), header(5, "a", gap: 1)]
        var late = frames.indices.map { times.noteFrame(&frames[$0]) }
        #expect(late == [false, true, true, false])
        #expect(frames[3].gap == 5)
        frames = [header(4, "a", gap: .max), header(4, "a", gap: .max), header(5, "a", gap: .max)]
        late = frames.indices.map { times.noteFrame(&frames[$0]) }
        #expect(late == [true, true, false])
        #expect(frames[2].gap == .max)
    }

    @Test("Streams that never end are forgotten beyond max_streams, the least recently used first")
    func manyStreams() {
        var times = StreamTimes(maxStreams: 2)
        for (time, stream) in [(5, "a"), (5, "b"), (6, "a"), (5, "c")] as [(Int64, StreamID)] {
            var frame = header(time, stream)
            let isLate = times.noteFrame(&frame)
            #expect(!isLate)
        }
        var frames = [header(5, "a"), header(4, "b")]
        let late = frames.indices.map { times.noteFrame(&frames[$0]) }
        #expect(late == [true, false])
    }
}
