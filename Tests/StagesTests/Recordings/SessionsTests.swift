import Pipeline
import PipelineTesting
import Testing

@testable import Connectors
@testable import Stages

@Suite("A recording of several runs")
struct SessionsTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Returns the lines that a run writes for ten frames of a stream, 10 ms apart. `begin` is the first frame's time in
    /// microseconds, and `first` the x of its point.
    private func run(_ begin: Int, stream: String = "pen", first: Int = 0, received: Bool = true) -> [String] {
        (0..<10).map {
            strokeLine(
                first + $0, at: begin + $0 * 10_000, received: received ? begin + $0 * 10_000 : nil, stream: stream,
                sequence: $0)
        }
    }

    /// Returns the times, in milliseconds since the first frame, at which the frames of consecutive runs arrive.
    private static func milliseconds(_ count: Int64) -> [Int64] {
        (0..<count).map { (number: Int64) -> Int64 in
            let (run, place) = number.quotientAndRemainder(dividingBy: 10)
            return run * 1090 + place * 10
        }
    }

    @Test(
        "A recording of several runs is replayed completely, each run a second after the previous one, without drops or gaps",
        arguments: [true, false])
    func whole(received: Bool) async throws {
        let path = try folder.write(
            "a.jsonl",
            (run(5_000_000, received: received) + run(2_000_000, first: 10, received: received)
                + run(0, first: 20, received: received)).joined())
        let simulation = try Simulation(of: .livePen(), inputs: [.init(path: path)])
        let result = await simulation.run()
        #expect(result.report.isSuccess)
        #expect(result.frames.map { Int($0.payload.samples[0].x) } == Array(0..<30))
        #expect(result.drops.isEmpty && result.report.ledger.losses == 0)
        #expect(result.frames.allSatisfy { $0.gap == 0 })
        let begin = try #require(result.frames.first?.arrival)
        #expect(result.frames.map { ($0.arrival - begin) / 1_000_000 } == Self.milliseconds(30))
        #expect(
            simulation.notes.last
                == "the times of \(path) go back, or forward by more than 24 hours, on lines 11, 21; it goes on there a second after the frame before"
        )
        // Another simulation of the same recording gives the same frames.
        let again = await simulation.run()
        #expect(again.frames == result.frames)
    }

    @Test(
        "A recording of several runs: a run may begin with a new stream, and keeps the time between its streams"
    )
    func otherStreams() async throws {
        let lines = run(50_000_000) + run(60_000, stream: "other", first: 10) + run(61_000, first: 20)
        let path = try folder.write("a.jsonl", lines.joined())
        let plan = Plan.livePen(EdgePolicy(capacity: 10, onFull: .dropOldest, inFlight: 10))
        let result = try await Simulation(of: plan, inputs: [.init(path: path)]).run()
        #expect(result.frames.count == 30)
        let (last, first, second) = (result.frames[9].arrival, result.frames[10], result.frames[11])
        #expect(first.stream == "other" && first.arrival - last == 1_000_000_000)
        #expect(second.stream == "other" && second.arrival - last == 1_010_000_000)
        let pen = try #require(result.frames.last { $0.stream == "pen" && $0.sequence == 0 })
        #expect(pen.arrival >= first.arrival)
    }

    @Test("Two recordings of the same runs keep the time between them")
    func several() {
        let recordings = [
            [Recording.Session(firstLine: 1, begin: 1000, end: 5000), .init(firstLine: 9, begin: 70, end: 90)],
            [Recording.Session(firstLine: 1, begin: 2000, end: 9000), .init(firstLine: 5, begin: 50, end: 200)],
            [Recording.Session(firstLine: 1, begin: 10, end: 20)], [],
        ]
        let next = 9000 + SessionDetector.pause - 50
        #expect(Recording.shifts(of: recordings) == [[0, next], [0, next], [0], []])
        #expect(Recording.shifts(of: []) == [])
    }

    @Test(
        "A recording of several runs: small disorder of timestamps, or of arrival times of different streams, begins no run"
    )
    func disorder() {
        func begins(_ clock: SessionDetector.Clock, _ frames: [(StreamID, Int64)]) -> [Int] {
            var detector = SessionDetector(clock)
            return frames.indices.filter { detector.begins(with: frames[$0].0, at: frames[$0].1) }
        }
        let second: Int64 = 1_000_000
        let stamps: [(StreamID, Int64)] = [
            ("pen", 5 * second), ("pen", 5_500_000), ("pen", 4_600_000), ("pen", 5_600_000), ("pen", 4_700_000),
            ("pen", 4_500_000), ("pen", 0), ("another clock", 0), ("a third", 1 << 50), ("pen", 1),
        ]
        #expect(begins(.timestamp, stamps) == [5, 6])
        let receipts: [(StreamID, Int64)] = [
            ("pen", 20 * second), ("pad", 19 * second), ("pen", 20 * second), ("pen", 20 * second - 1),
            ("pad", 20 * second), ("new", 9 * second), ("new", 9 * second + 1),
        ]
        #expect(begins(.receipt, receipts) == [3, 5])
    }

    @Test(
        "A recording of several runs with single wrong times is replayed completely and without long waits")
    func glitches() async throws {
        let far = 9_007_199_254_740_991
        let times = (0..<40).map { (i: Int) -> Int in
            if i % 4 == 3 { return i % 8 == 3 ? 0 : far }
            return 1_700_000_000_000_000 + i * 10_000
        }
        let path = try folder.write(
            "a.jsonl", times.enumerated().map { strokeLine($0, at: $1, received: $1) }.joined())
        let result = try await Simulation(of: .livePen(), inputs: [.init(path: path)]).run()
        #expect(result.frames.map(\.sequence) == (0..<40).map { Int64($0) })
        let (first, last) = (try #require(result.frames.first), try #require(result.frames.last))
        #expect(last.arrival - first.arrival < 30_000_000_000)
        let clock = SkippingClock()
        let begin = clock.now
        let reading = try await readStrokes(path, clock: clock) { ($0.rate, $0.pace) = (.times(1), .arrival) }
        #expect(reading.frames.count == 40 && clock.now - begin < 30_000_000_000)
        let sessions = (0..<2000).map { Recording.Session(firstLine: $0, begin: 0, end: Int64($0 % 2 * far)) }
        let most = (1 << 60) + SessionDetector.pause
        #expect(Recording.shifts(of: [sessions])[0].allSatisfy { (0...most).contains($0) })
    }

    @Test(
        "A recording of several runs is replayed at the pace of each run",
        arguments: [FileSource.Pace.arrival, .source])
    func paced(pace: FileSource.Pace) async throws {
        let path = try folder.write("a.jsonl", (run(5_000_000) + run(2_000_000, first: 10)).joined())
        let clock = SkippingClock()
        let begin = clock.now
        for rate in [1.0, 2.0] {
            let offset = clock.now
            let reading = try await readStrokes(path, limit: rate == 1 ? 64 : 1, clock: clock) {
                ($0.rate, $0.pace) = (.times(rate), pace)
            }
            let times = reading.times.map { Int64(Double($0 - offset) * rate) / 1_000_000 }
            #expect(times == Self.milliseconds(20))
        }
        #expect(begin < clock.now)
    }

    @Test("A recording with a pause of more than 24 hours goes on a second later, and a note says so")
    func longPause() async throws {
        let day = 86_400_000_000
        let times = [0, 10_000, day + 10_001, day + 20_001]
        let path = try folder.write(
            "a.jsonl", times.enumerated().map { strokeLine($0, at: $1, received: $1) }.joined())
        let simulation = try Simulation(of: .livePen(), inputs: [.init(path: path)])
        let result = await simulation.run()
        let begin = try #require(result.frames.first?.arrival)
        #expect(result.frames.map { ($0.arrival - begin) / 1000 } == [0, 10_000, 1_010_000, 1_020_000])
        #expect(
            simulation.notes.last
                == "the times of \(path) go back, or forward by more than 24 hours, on line 3; it goes on there a second after the frame before"
        )
    }

    @Test(
        "A recording of several runs is cut by the time since its beginning, in which each run begins a second after the previous one",
        arguments: [FileSource.Pace.arrival, .source])
    func cut(pace: FileSource.Pace) async throws {
        let path = try folder.write(
            "a.jsonl", (run(5_000_000) + run(2_000_000, first: 10) + run(9_000_000, first: 20)).joined())
        // The runs begin after 0, 1090 and 8090 ms, and each frame of a run comes 10 ms after the one before. The third run does
        // not go back, so its frames keep their distance of 7 s from those of the second run.
        for (offset, duration, expected) in [
            (0, 1000, Array(0..<10)), (0, 1100, Array(0..<12)), (1100, 50, Array(11..<17)),
            (100, nil, Array(10..<30)), (1200, nil, Array(20..<30)), (8100, nil, Array(21..<30)),
        ] as [(Double, Double?, [Int])] {
            let reading = try await readStrokes(path) {
                ($0.startOffsetMs, $0.durationMs, $0.pace) = (offset, duration, pace)
            }
            #expect(reading.frames.map { Int($0.payload.samples[0].x) } == expected, "\(offset) \(duration ?? -1)")
        }
    }

    @Test("A recording of several runs may begin with damaged lines, which count as failed")
    func damagedBegin() async throws {
        let path = try folder.write("a.jsonl", "\0\0{\"v\"\n{\"v\":1,\"kind\":\"str\n" + run(5_000_000).joined())
        let result = try await Simulation(of: .livePen(), inputs: [.init(path: path)]).run()
        #expect(result.frames.count == 10)
        #expect(result.report.ledger.nodes[0].failed == 2)
        #expect(try PayloadKind.recorded(in: path) == .stroke)
    }

    @Test("The kind of a recording is the first known kind of a message, in JSON and in MessagePack")
    func declaredKind() throws {
        let lines = [#"{"kind":"made up","t_us":1}"#, #"{"kind":"hands","t_us":2,"hands":[]}"#]
        #expect(try PayloadKind.recorded(in: folder.write("b.jsonl", lines.joined(separator: "\n"))) == .hands)
        let packed = try lines.map { try withPadded($0.utf8) { try MessagePackWriter().write($0) { Array($0) } } }
        #expect(try PayloadKind.recorded(in: folder.write("b.msgpack", bytes: packed.flatMap { $0 })) == .hands)
        #expect(try PayloadKind.declared(in: folder.write("c.jsonl", "{\"left\":[]}\n" + lines[1])) == nil)
        #expect(try PayloadKind.declared(in: folder.write("c.msgpack", bytes: [0xC1])) == nil)
    }

    @Test(
        "A recording of several runs: lines of a kind without a source fail, and other kinds go to their sources"
    )
    func otherKinds() async throws {
        var plan = Plan.livePen(EdgePolicy(capacity: 10, onFull: .dropOldest))
        plan.add("other", source: OutsideSource<FeatureVector>(), onError: .skip)
        plan.add("sink", sink: OutsideSink<FeatureVector>())
        func line(_ kind: String) -> String {
            "{\"v\":1,\"kind\":\"\(kind)\",\"stream\":\"v\",\"seq\":0,\"t_us\":7,\"recv_us\":5000000,\"values\":[1]}\n"
        }
        let path = try folder.write("a.jsonl", ([line("vector"), line("bitmap")] + run(5_000_000)).joined())
        let result = try await Simulation(of: plan, inputs: [.init(path: path)]).run()
        #expect(result.frames.count == 10)
        #expect(result.report.ledger.nodes.filter { $0.role == .source }.map(\.failed) == [1, 1])
        #expect(result.report.ledger.nodes.first { $0.id == "sink" }?.passed == 1)
    }

    @Test("A recording of several runs is tried completely, and lines that are left out are counted and logged")
    func whatIf() async throws {
        let path = try folder.write(
            "a.jsonl", (run(5_000_000) + ["{\n", strokeLine(1, at: 1, received: nil)] + run(0)).joined())
        let log = LogLines()
        let trial = try WhatIf(Simulation(of: .livePen(), inputs: [.init(path: path)]))
        let outcome = try await trial(.init(), log: log.log)
        #expect(outcome.offered == 20 && outcome.delivered == 20 && outcome.dropped == 0)
        #expect(outcome.leftOut == ["failed": 2])
        #expect(log.all.count { $0.contains("a.jsonl, line 11") || $0.contains("a.jsonl, line 12") } == 2, "\(log.all)")
        #expect(try await trial(.init(capacity: 0)).leftOut == ["failed": 2])
    }
}
