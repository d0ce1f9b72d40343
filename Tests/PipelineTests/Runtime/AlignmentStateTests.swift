import PipelineTesting
import Testing

@testable import Pipeline

/// Tests which frames of two edges form a set, without tasks, edges and clocks. The edges are the lanes a and b.
@Suite struct AlignmentStateTests {
    /// Runs a script of events: `a10` is a frame of lane a at 10, `a<10` a watermark, `a<<10` a watermark of all streams, `a.`
    /// the end of the stream, `a|` the end of the lane, `a~` the moment at which the lane counts as silent, `a!` the moment at which
    /// the lane needs room. Returns the output: `10(10,-)` is a set with its frames, `late:5` and `unmatched:5` are frames that no
    /// set used, and `.` is the end of the stream.
    private func outcome(_ alignment: Alignment, _ script: String) -> String {
        var state = AlignmentState<TestNumber>(alignment, lanes: 2)
        var words: [String] = []
        for step in script.split(separator: " ") {
            let lane = step.first == "a" ? 0 : 1
            let rest = step.dropFirst()
            switch rest.first {
            case "|": state.end(lane)
            case "~": state.becameIdle([lane])
            case "!": state.makeRoom(on: lane)
            case ".": state.push(.end("s"), on: lane)
            case "<" where rest.dropFirst().first == "<":
                state.push(.bound(nil, .microseconds(Int64(rest.dropFirst(2)) ?? 0)), on: lane)
            case "<": state.push(.bound("s", .microseconds(Int64(rest.dropFirst()) ?? 0)), on: lane)
            default:
                let time = Int(rest) ?? 0
                state.push(.frame(Frame(TestNumber(time), at: .microseconds(Int64(time)), stream: "s")), on: lane)
            }
            var outputs: [AlignmentState<TestNumber>.Output] = []
            state.takeOutputs(into: &outputs)
            for output in outputs {
                switch output {
                case .set(let frame):
                    let values = frame.payload.values.map { $0.map { String($0.value) } ?? "-" }
                    words.append("\(frame.timestamp.rawValue)(\(values.joined(separator: ",")))")
                case .dropped(let frame, let reason): words.append("\(reason):\(frame.timestamp.rawValue)")
                case .mark(.end): words.append(".")
                case .mark: break
                }
            }
        }
        return words.joined(separator: " ")
    }

    @Test(
        "Joins: align exact makes one set for each timestamp that all edges have reached",
        arguments: [
            ("a10 b10 a20 b20", "10(10,10) 20(20,20)"),
            ("a10 b20", "10(10,-)"),
            // A watermark says that nothing at or before its time follows. Without one, the set waits for the other edge.
            ("a10", ""), ("a10 b<9", ""), ("a10 b<10", "10(10,-)"),
            // Empty inputs.
            ("a| b|", ""), ("a10 b|", "10(10,-)"), ("b10 a|", "10(-,10)"),
            // Ended inputs.
            ("a10 a| b5 b10 b12 b|", "5(-,5) 10(10,10) 12(-,12)"),
            // Idle inputs do not delay others until they deliver something again. While all are idle, no set is made.
            ("a10 b~ a20 b30", "10(10,-) 20(20,-)"), ("a10 b~ b20 a30", "10(10,-) 20(-,20)"),
            ("a10 a~ b~", ""), ("a10 a~ b~ b10", "10(10,10)"), ("a10 a| b~", "10(10,-)"),
            ("a10 a| b~ b20", "10(10,-) 20(-,20)"),
            // Late inputs: frames after an idle time.
            ("a10 b~ b5 b11 a11", "10(10,-) late:5 11(11,11)"), ("a10 b~ b10", "10(10,-) late:10"),
            // Several frames with the same timestamp are paired one by one.
            ("a10 a10 b10 b10 a11 b11", "10(10,10) 10(10,10) 11(11,11)"),
            ("a10 a10 b10 a11 b11", "10(10,10) 10(10,-) 11(11,11)"),
            // Frames that a stage emits at the end have the time of its last watermark.
            ("a10 a<20 b<20 a20 b20 a. b.", "10(10,-) 20(20,20) ."),
            ("a20 b<20 b20 a. b.", "20(20,-) 20(-,20) ."),
            // A stream that has ended and starts again on one edge waits for the other edges.
            ("a10 a. a3 a8 b10 b. b3 b8", "10(10,10) . 3(3,3) 8(8,8)"),
            // A source that starts again announces earlier times again.
            ("a<<9 b<<9 a. b. a<<2 b<<2 a5 b<<4 b5", ". 5(5,5)"), ("a<<9 b<<9 a. b. a5 b<<4", "."),
            ("a<<9 b<<9 a. b. a5 b<<4 b<<5", ". 5(5,-)"),
            ("a10 a. a3 a. b| a3 a|", "10(10,-) . 3(3,-) . 3(3,-)"),
            // Room is made without the other edge. Its frames up to that time are late, and later ones are joined as usual.
            ("a10 a10 a11 a! a! b10 b11", "10(10,-) 10(10,-) late:10 11(11,11)"),
        ])
    func exact(script: String, expected: String) {
        #expect(outcome(Alignment(.exact), script) == expected)
    }

    @Test(
        "Joins: align approximate joins each frame of the first edge with the nearest one within the tolerance",
        arguments: [
            ("a10 b8 b11 b13", "10(10,11)"),
            // On a tie, the earlier frame is used. A distance equal to the tolerance still counts, a larger one does not.
            ("a10 b8 b12 b13", "10(10,8)"), ("a10 b7 b14", "10(10,7)"), ("a10 b6 b14", "unmatched:6 10(10,-)"),
            // A set is made as soon as it is certain that no nearer frame follows, and not before.
            ("a10 b8 b<11", ""), ("a10 b8 b<12", "10(10,8)"), ("a10 b8 b11", "10(10,11)"),
            ("a10 b10", "10(10,10)"), ("b10 a10", "10(10,10)"), ("b12 a10", "10(10,12)"), ("a10 b9 b<11", "10(10,9)"),
            // A frame is dropped when a later one is nearer to all further frames.
            ("a10 b10 b11 b12 a12", "10(10,10) unmatched:11 12(12,12)"), ("b8 b9 a10 b|", "unmatched:8 10(10,9)"),
            ("a10 a10 b9 b10 b10", "unmatched:9 10(10,10) 10(10,10)"), ("a10 b<12", ""), ("a10 b<13", "10(10,-)"),
            // One frame may be the nearest to several frames.
            ("a10 a11 b11 b20", "10(10,11) 11(11,11)"),
            // Empty and ended inputs.
            ("a10 b|", "10(10,-)"), ("b10 a|", "unmatched:10"), ("a10 a| b5 b9 b|", "unmatched:5 10(10,9)"),
            ("a| b10 b20", "unmatched:10 unmatched:20"),
            // Idle and late inputs. Only the first edge itself causes sets.
            ("a10 b~ b9 a| b|", "10(10,-) unmatched:9"), ("a10 a~ b~", ""),
            ("a~ b10 b20 a12", "unmatched:10 12(12,-)"),
            ("a5 b~ b1 a6 b9", "5(5,-) unmatched:1 6(6,9)"),
            // The end of a stream. b19 arrives when its lane has already reached 23, so the join places it at 23.
            ("a<20 b<23 a20 b19 a. b.", "20(20,19) ."),
        ])
    func approximate(script: String, expected: String) {
        #expect(outcome(Alignment(.approximate, toleranceMs: 0.003), script) == expected)
    }

    @Test(
        "Joins: align latest joins each frame of the first edge with the last one at or before its time",
        arguments: [
            ("a10 b4 b9 b10 b12", "unmatched:4 10(10,10)"),
            ("b4 a5 a6 b|", "5(5,4) 6(6,4)"), ("b4 a5 b<5 a6 b<6", "5(5,4) 6(6,4)"),
            ("a3 b4 a5 b6", "3(3,-) 5(5,4)"),
            // Empty, ended, idle and late inputs.
            ("a10 b|", "10(10,-)"), ("b10 b12 a|", "unmatched:10"), ("b10 b| a20 a|", "20(20,10)"),
            ("b10 a20 b~ a30 b40", "20(20,10) 30(30,10)"),
            ("a10 b~ b9 a20 b20 a30 b|", "10(10,-) 20(20,20) unmatched:9 30(30,20)"),
            ("a10 a~ b~", ""),
        ])
    func latest(script: String, expected: String) {
        #expect(outcome(Alignment(.latest), script) == expected)
    }

    @Test("Joins: frames of different streams are joined only with pair: time")
    func pairing() {
        for pair in [Alignment.Pairing.stream, .time] {
            var state = AlignmentState<TestNumber>(Alignment(.exact, pair: pair), lanes: 2)
            state.push(.frame(Frame(1, at: .milliseconds(5), stream: "left")), on: 0)
            state.push(.frame(Frame(2, at: .milliseconds(5), stream: "right")), on: 1)
            state.end(0)
            state.end(1)
            let sets = state.sets().map { $0.payload.values.map { $0?.value } }
            #expect(sets == (pair == .time ? [[1, 2]] : [[nil, 2], [1, nil]]))
        }
    }

    @Test("Joins: the gap of a set counts each missing frame once for branches of one fan-out")
    func gaps() {
        var state = AlignmentState<TestNumber>(Alignment(.exact), lanes: 2)
        for (time, gap) in [(1, 0), (2, 3), (3, 0)] as [(Int64, Int32)] {
            for lane in 0..<2 { state.push(.frame(Frame(0, at: .milliseconds(time), gap: gap)), on: lane) }
        }
        #expect(state.sets().map(\.gap) == [0, 3, 0])
        state.push(.frame(Frame(0, at: .milliseconds(5))), on: 0)
        state.becameIdle([1])
        state.push(.frame(Frame(0, at: .milliseconds(4), gap: 1)), on: 1)
        state.push(.frame(Frame(0, at: .milliseconds(6))), on: 0)
        state.push(.frame(Frame(0, at: .milliseconds(6))), on: 1)
        // The late frame, and the frame missing before it.
        #expect(state.sets().map(\.gap) == [0, 2])
    }

    @Test("Joins: a watermark passes when all edges have reached it, and never overtakes a waiting frame")
    func bounds() {
        var state = AlignmentState<TestNumber>(Alignment(.exact), lanes: 2)
        #expect(state.bounds(after: .bound("s", .milliseconds(9)), on: 0) == [])
        #expect(state.bounds(after: .bound("s", .milliseconds(7)), on: 1) == ["s 7000"])
        #expect(state.bounds(after: .frame(Frame(0, at: .milliseconds(20), stream: "s")), on: 0) == [])
        #expect(state.bounds(after: .bound("s", .milliseconds(12)), on: 1) == ["s 12000"])
        #expect(state.bounds(after: .bound(nil, .milliseconds(30)), on: 0) == [])
        #expect(state.bounds(after: .bound(nil, .milliseconds(25)), on: 1) == ["all 25000"])
    }

    @Test("Joins: the watermark of a stream stays at the time of the frames that leave to make room")
    func watermarkAfterMakingRoom() {
        var state = AlignmentState<TestNumber>(Alignment(.exact), lanes: 2)
        for _ in 0..<2 { state.push(.frame(Frame(0, at: .milliseconds(10), stream: "s")), on: 0) }
        state.makeRoom(on: 0)
        state.makeRoom(on: 0)
        #expect(state.bounds(after: .end("s"), on: 0).last == "s 10000")
    }

    @Test("Joins: the watermark of all streams stays below the waiting frames of a stream that has begun again")
    func watermarkOfNextEpoch() {
        var state = AlignmentState<TestNumber>(Alignment(.exact), lanes: 2, watermarks: .explicit)
        func push(_ times: [Int64]) {
            for time in times {
                state.push(.frame(Frame(TestNumber(Int(time)), at: .microseconds(time), stream: "s")), on: 1)
            }
        }
        push([10])
        state.push(.end("s"), on: 1)
        // Waits until the stream has ended on the other edge, too.
        push([6])
        state.end(1)
        state.push(.bound(nil, .microseconds(20)), on: 0)
        var outputs: [AlignmentState<TestNumber>.Output] = []
        state.takeOutputs(into: &outputs)
        let bounds = outputs.compactMap { if case .mark(.bound(nil, let time)) = $0 { time.rawValue } else { nil } }
        #expect(bounds.allSatisfy { $0 < 6 }, "\(bounds)")
        let sets = outputs.compactMap { if case .set(let set) = $0 { set.timestamp.rawValue } else { nil } }
        #expect(sets == [10])
    }

    @Test("Joins: beyond max_streams, the newest stream stays and older ones are dropped")
    func manyStreams() {
        var state = AlignmentState<TestNumber>(Alignment(.exact), lanes: 2, maxStreams: 16)
        for index in 0..<1000 {
            state.push(.frame(Frame(TestNumber(index), at: .zero, stream: StreamID("\(index)"))), on: 0)
        }
        #expect(state.held[0] <= 16)
        state.end(0)
        state.end(1)
        #expect(state.sets().last?.payload.values.first == TestNumber(999))
        #expect(state.held == [0, 0])
    }

    @Test("Joins: in live mode, a merge downstream does not wait for frames of streams that max_streams has evicted")
    func evictedStreams() {
        var state = AlignmentState<TestNumber>(Alignment(.exact), lanes: 2, watermarks: .explicit, maxStreams: 2)
        for (index, name) in ["a", "b", "c", "a"].enumerated() {
            let bounds = state.bounds(
                after: .frame(Frame(0, at: .milliseconds(Int64(index + 1)), stream: StreamID(name))), on: 0)
            #expect(bounds == [[], [], ["a 1000"], ["b 2000"]][index])
        }
        // An end that arrived before the eviction is passed on with it, because it does not arrive again. Then follows the time of
        // the frames after the end.
        state.push(.end("c"), on: 0)
        state.push(.frame(Frame(0, at: .milliseconds(2), stream: "c")), on: 0)
        state.push(.frame(Frame(0, at: .milliseconds(5), stream: "a")), on: 0)
        _ = state.taken()
        state.push(.frame(Frame(0, at: .milliseconds(6), stream: "b")), on: 0)
        let words = state.taken().compactMap { output -> String? in
            switch output {
            case .mark(.end(let stream, let end)): "\(end) \(stream)"
            case .mark(.bound(let stream, let time)): "\(stream?.name ?? "all") \(time.rawValue)"
            default: nil
            }
        }
        #expect(words == ["restarts c", "c 2000"])
    }

    @Test("Joins: released streams are dropped in the order of their names, so that reports of drops can be compared")
    func released() {
        var state = AlignmentState<TestNumber>(Alignment(.exact), lanes: 2)
        let streams = (10..<40).map { StreamID("\($0)") }
        for stream in streams.reversed() { state.push(.frame(Frame(TestNumber(0), at: .zero, stream: stream)), on: 0) }
        state.release(Set(streams))
        let dropped = state.taken().compactMap {
            if case .dropped(let frame, .released) = $0 { frame.stream } else { nil }
        }
        #expect(dropped == streams)
    }
}

extension AlignmentState {
    fileprivate mutating func taken() -> [Output] {
        var list: [Output] = []
        takeOutputs(into: &list)
        return list
    }

    fileprivate mutating func sets() -> [Frame<Aligned<Element>>] {
        taken().compactMap { if case .set(let frame) = $0 { frame } else { nil } }
    }

    fileprivate mutating func bounds(after item: Item, on lane: Int) -> [String] {
        push(item, on: lane)
        return taken().compactMap {
            guard case .mark(.bound(let stream, let time)) = $0 else { return nil }
            return "\(stream?.name ?? "all") \(time.rawValue)"
        }
    }
}
