import Testing

@testable import Pipeline

@Suite("The frames that a recognizer has accepted and that have not ended")
struct PendingFramesTests {
    private func accept(_ times: ClosedRange<Int64>, into frames: inout PendingFrames) throws {
        for time in times {
            _ = try frames.begin("a", .microseconds(time))
            #expect(frames.end() == nil)
        }
    }

    @Test("Pending frames of a recognizer: a watermark ends all frames of its stream up to its time, in order")
    func bound() throws {
        var frames = PendingFrames(branches: 1)
        try accept(1...5, into: &frames)
        _ = try frames.begin("b", .microseconds(1))
        let ended = frames.settle("a", .microseconds(3))
        #expect(ended.map(\.0) == ["a"])
        #expect(ended.flatMap(\.1).map(\.timestamp.rawValue) == [1, 2, 3])
        #expect(frames.count == 3)
        #expect(frames.earliest(of: "a") == .microseconds(4))
        #expect(frames.settle(nil, .max).map(\.0) == ["a", "b"])
        #expect(frames.count == 0)
    }

    @Test(
        "Pending frames of a recognizer: beyond the limit, streams without pending frames are forgotten, the oldest first"
    )
    func manyStreams() throws {
        var frames = PendingFrames(branches: 1, maxStreams: 8)
        _ = try frames.begin("pending", .microseconds(9))
        for number in 0..<8 {
            _ = try frames.begin(StreamID("\(number)"), .microseconds(9))
            _ = frames.settle(StreamID("\(number)"), .max)
        }
        // Streams 0 and 1 were forgotten, so they may begin again at an earlier time. The others go on.
        let again = try frames.begin("0", .microseconds(1))
        #expect(again == 0)
        #expect(throws: PipelineError.self) { _ = try frames.begin("7", .microseconds(1)) }
        #expect(throws: PipelineError.self) { _ = try frames.begin("pending", .microseconds(1)) }
        let next = try frames.begin("7", .microseconds(10))
        #expect(next == 1)
    }

    @Test(
        "Pending frames of a recognizer: a frame is dropped when every branch has dropped it, and counts in the gap of the next one"
    )
    func branches() throws {
        var frames = PendingFrames(branches: 2)
        try accept(1...3, into: &frames)
        frames.drop("a", .microseconds(2), .edgeFull, at: .edge)
        #expect(frames.count == 3)
        frames.drop("a", .microseconds(2), .edgeFull, at: .edge)
        #expect(frames.count == 2)
        frames.drop("a", .microseconds(3), .late, at: .input)
        try accept(4...4, into: &frames)
        let ended = frames.settle("a", .max).flatMap(\.1)
        #expect(ended.map(\.timestamp.rawValue) == [1, 4])
        #expect(ended.map(\.gap) == [0, 2])
    }

    @Test("Pending frames of a recognizer: a caller learns of a drop only if the dropped frame is its own")
    func atOnce() throws {
        var frames = PendingFrames(branches: 1)
        try accept(1...1, into: &frames)
        #expect(try frames.begin("a", .microseconds(2)) == 1)
        frames.drop("a", .microseconds(1), .edgeFull, at: .edge)
        #expect(frames.end() == nil)
        #expect(try frames.begin("a", .microseconds(3)) == 2)
        frames.drop("a", .microseconds(3), .edgeFull, at: .edge)
        #expect(frames.end() == .edgeFull)
        #expect(frames.settle("a", .max).flatMap(\.1).map(\.gap) == [1])
    }

    @Test(
        "Pending frames of a recognizer: a frame lost downstream is marked as dropped, and a frame filtered on purpose is not"
    )
    func further() throws {
        var frames = PendingFrames(branches: 1)
        try accept(1...2, into: &frames)
        frames.drop("a", .microseconds(1), .late, at: .further)
        frames.drop("a", .microseconds(2), "filtered", at: .further)
        #expect(frames.settle("a", .max).flatMap(\.1).map(\.wasDropped) == [true, false])
    }

    @Test(
        "Pending frames of a recognizer: an error belongs to the frame of the same time; an error between frames is a result of its own"
    )
    func errors() throws {
        var frames = PendingFrames(branches: 1)
        try accept(1...1, into: &frames)
        _ = try frames.begin("a", .microseconds(9))
        for (time, code) in [(9, "first"), (9, "second"), (5, "woken")] as [(Int64, String)] {
            frames.fail("a", .microseconds(time), .frame(code, ""))
        }
        let ended = frames.settle("a", .max).flatMap(\.1)
        #expect(ended.map(\.timestamp.rawValue) == [1, 5, 9])
        #expect(ended.map(\.error?.code) == [nil, "woken", "first"])
    }

    @Test("Pending frames of a recognizer: a timestamp that is refused changes nothing")
    func refused() throws {
        var frames = PendingFrames(branches: 1)
        try accept(5...5, into: &frames)
        for time in [5, 4, -1] as [Int64] {
            #expect(throws: PipelineError.self) { try frames.begin("a", .microseconds(time)) }
        }
        #expect(frames.count == 1)
        #expect(try frames.begin("a", .microseconds(6)) == 1)
    }
}
