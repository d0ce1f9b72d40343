import PipelineTesting
import Synchronization
import Testing

@testable import Pipeline

/// What a source reports for frames whose timestamps break their stream's order, and the suggested fixes.
@Suite struct StreamOrderTests {
    private static let hour: Int64 = 3_600_000_000

    /// Returns what happens to frames with these timestamps, and what is reported.
    private func run(
        _ times: [Int64], _ policy: DisorderPolicy
    ) async -> (times: [Int64], lines: [String], report: RunReport) {
        let out = Collector<TestNumber>()
        let lines = Lock<[String]>([])
        var plan = Plan.building()
        plan.add(
            "in", source: FramesSource(times.map { Frame(TestNumber(0), at: .microseconds($0), stream: "pen") }),
            rules: .init(onDisorder: policy))
        plan.add("out", sink: out.sink())
        var options = Run.Options()
        options.log = Log { line in lines.withLock { $0.append(line.text) } }
        let report = await Run(plan, options: options).finished()
        #expect(report.violations == [])
        return (out.frames.map(\.timestamp.rawValue), lines.withLock { $0 }, report)
    }

    @Test(
        "Stream order: a frame dropped for its timestamp is logged with the remedy that fits",
        arguments: [
            // The first timestamp of the stream was far ahead, or its clock was set back.
            ([9_007_199_254_740_991, 1, 2], "on_disorder: new_epoch"),
            ([hour + 3, 1, 2], "on_disorder: new_epoch"),
            ([2, 1, 3], "clamp keeps them"),
            ([hour + 1, 1, hour + 2], "clamp keeps them"),
            ([1, hour + 2, 3], "raise max_jump_s"),
        ] as [([Int64], String)])
    func remedies(times: [Int64], remedy: String) async {
        let dropped = await run(times, .drop)
        #expect(dropped.lines.count == 1)
        #expect(dropped.lines.first?.contains(remedy) ?? false, "\(dropped.lines)")
        #expect(dropped.report.isSuccess)
        let failed = await run(times, .error)
        #expect(failed.report.failures.first?.error.code == "source.disorder")
        #expect(failed.report.failures.first?.error.help?.contains(remedy) ?? false)
    }

    @Test("Stream order: a jump counts as a new clock only if the very next frame fits it", arguments: [false, true])
    func jump(fits: Bool) async {
        let (far, further) = (3 * Self.hour, 3 * Self.hour + 1)
        let kept = await run(fits ? [1, far, further, further + 1] : [1, far, 1, further, 2, 3], .drop)
        #expect(kept.times == (fits ? [1, further, further + 1] : [1, 2, 3]))
    }

    @Test("Stream order: beyond max_streams the least recently seen stream is forgotten, and ends downstream as well")
    func manyStreams() async {
        let out = Collector<TestNumber>()
        var plan = Plan.building()
        plan.maxStreams = 3
        let names = ["a", "b", "c", "a", "d", "e", "a", "b"]
        plan.add(
            "in",
            source: FramesSource(
                names.enumerated().map {
                    Frame(TestNumber(0), at: .microseconds(Int64($0)), stream: StreamID($1), sequence: Int64($0))
                }))
        plan.add("out", sink: out.sink())
        let report = await Run(plan).finished()
        #expect(report.isSuccess)
        #expect(out.frames.count == names.count)
        #expect(out.ended == ["b", "c", "d"])
    }

    @Test("Stream order: with 100,000 stream names, all but max_streams are evicted")
    func memory() {
        var order = StreamOrder(.init(), maxStreams: 100)
        var ended = 0
        for number in 0..<100_000 {
            _ = order.judge(.microseconds(5), StreamID("stream \(number)"))
            if order.hasEvicted { ended += order.takeEvicted().count }
        }
        #expect(ended == 99_900)
    }

    @Test("Stream order: the first and the tenth dropped frame are logged, with the previous timestamp")
    func words() async {
        let dropped = await run([5_000_000_000] + (1...10), .drop)
        #expect(
            dropped.lines == [
                "in: frame 0 of pen at 0.000001 s was dropped: the timestamp 0.000001 s is not after the previous one, 5000.000000 s (on_disorder: new_epoch continues after a clock was set back, or after a wrong timestamp)",
                "in: frame 0 of pen at 0.000010 s was dropped: the timestamp 0.000010 s is not after the previous one, 5000.000000 s (on_disorder: new_epoch continues after a clock was set back, or after a wrong timestamp) (10 so far)",
            ])
        #expect(dropped.times == [5_000_000_000])
        #expect(await run([5_000_000_000] + (1...10), .newEpoch).times == [5_000_000_000] + (1...10))
    }

    @Test(
        "Stream order: the help for an impossible timestamp mentions its unit, with every policy",
        arguments: DisorderPolicy.allCases)
    func outOfRange(policy: DisorderPolicy) async {
        let failed = await run([1, 9_007_199_254_740_992], policy)
        #expect(failed.report.failures.first?.error.help?.contains("unit") ?? false)
    }

    @Test("Stream order: a frame at the last possible time cannot be clamped further")
    func clampAtTheEnd() async {
        let last = Timestamp.max.rawValue
        let clamped = await run([last - 1, last - 1, 7], .clamp)
        #expect(clamped.times == [last - 1, last])
        #expect(clamped.report.ledger.nodes[0].dropped == ["disorder": 1])
    }

    @Test("Stream order: dropped frames do not keep a stream that is idle, and what is missing is forgotten with it")
    func droppedWhileIdle() {
        var order = StreamOrder(.init(onDisorder: .drop), idleMs: 3000)
        // The frame at 0.5 s is dropped. When b has advanced by 3.5 s, c has been idle for 2.5 s and a for 3.5 s.
        let frames: [(StreamID, Int64)] = [
            ("a", 1000), ("c", 1000), ("b", 1000), ("b", 2000), ("c", 2000), ("a", 500), ("b", 4500),
        ]
        let verdicts = frames.map { order.judge(.milliseconds($0.1), $0.0) }
        #expect(verdicts.filter { $0 != .pass } == [.drop(.notAfter(.milliseconds(500), last: .milliseconds(1000)))])
        #expect(order.takeEvicted() == ["a"])
        #expect(order.judge(.milliseconds(700), "a") == .pass)
        #expect(order.takeGap() == 0)
        // Nor does a dropped frame change the order in which the streams end.
        #expect(order.judge(.milliseconds(800), "c") != .pass)
        #expect(order.followed == ["c", "b", "a"])
    }
}
