import Pipeline
import PipelineComponents
import PipelineConfiguration
import PipelineTesting
import Synchronization
import Testing

@testable import Connectors
@testable import Stages

@Suite("A live pipeline in simulated time")
struct SimulationTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func record(_ name: String, _ lines: some Sequence<String>) throws -> String {
        try folder.write(name, lines.joined())
    }

    private func simulate(
        _ path: String, service: [String: Int64] = [:], plan: Plan = .livePen()
    ) async throws -> SimulatedRun {
        try await Simulation(of: plan, inputs: [.init(path: path)], serviceTimes: service).run()
    }

    @Test(
        "Simulation: of ten seconds at 1 kHz into a stage of 20 ms, 501 frames pass, none older than two service times"
    )
    func overload() async throws {
        // Arrival times are independent of the timestamps, which are 4 ms apart.
        let path = try record(
            "a.jsonl", (0..<10_000).map { strokeLine($0, at: $0 * 4000, received: 5_000_000 + $0 * 1000) })
        let run = try await simulate(path, service: ["work": 20_000_000])
        #expect(run.report.isSuccess)
        #expect(run.report.ledger.nodes[0].received == 10_000)
        // The first immediately, then the newest every 20 ms, and the last.
        #expect(run.frames.count == 501)
        #expect(run.drops.count == 9499)
        #expect(run.frames.dropFirst().prefix(4).map(\.sequence) == [19, 39, 59, 79])
        #expect(run.ages.allSatisfy { $0 <= 40_000_000 })
        let seen = Set(run.frames.map(\.sequence) + run.drops.map(\.sequence))
        #expect(seen == Set(0..<10_000))
        #expect(run.drops.allSatisfy { $0.age != nil && $0.reason == .edgeFull })
    }

    @Test(
        "Simulation: frames arrive when they were received, to the microsecond, or without times of receipt at their timestamps"
    )
    func arrivals() async throws {
        var random = SeededGenerator(seed: 3)
        var moment = 77_000_000
        let moments = (0..<500).map { _ in
            moment += Int.random(in: 0...9000, using: &random)
            return moment
        }
        let received = try record("a.jsonl", moments.enumerated().map { strokeLine($0, at: $0 * 33, received: $1) })
        let stamped = try record("b.jsonl", moments.enumerated().map { strokeLine($0, at: $1, received: nil) })
        for path in [received, stamped] {
            let simulation = try Simulation(of: .livePen(), inputs: [.init(path: path)])
            #expect(simulation.notes.count == (path == stamped ? 1 : 0))
            let run = await simulation.run()
            // No stage takes time, so only frames that arrive at the same moment can be dropped.
            #expect(run.frames.count + run.drops.count == 500)
            #expect(
                run.frames.map { ($0.arrival - run.frames[0].arrival) / 1000 }
                    == run.frames.map { Int64(moments[Int($0.sequence)] - moments[0]) })
        }
    }

    /// Returns the live plan `pen → ask → out`, where `ask` sends requests to another program.
    private func asking() throws -> Plan {
        var options = ZMQRequest.Options()
        options.socketOptions.connect = [try ZMQEndpoint("ipc:///nowhere/worker")]
        let stage = try ZMQRequest.make(options, for: PortType(Stroke.self), BuildContext(id: "ask"))
        var plan = Plan.building(mode: .live)
        plan.add("pen", source: OutsideSource<Stroke>(), rules: .init(onDisorder: .drop), onError: .skip)
        plan.add("ask", asyncStage: try #require(stage as? ZMQRequester<Stroke, Stroke>))
        plan.add("out", sink: OutsideSink<Stroke>())
        return plan
    }

    @Test("Simulation: a stage that asks other programs is refused in simulated time unless its answers are recorded")
    func sendsExternalRequests() async throws {
        let pen = try record("pen.jsonl", (0..<20).map { strokeLine($0, at: $0 * 1000, received: $0 * 1000) })
        #expect {
            try Simulation(of: asking(), inputs: [.init(path: pen)])
        } throws: { error in
            let error = error as? PipelineError
            return error?.code == "simulate.outside" && error?.category == .configuration
                && error?.help?.contains("--simulate ask=FILE") ?? false
        }
        // A caller that runs such a plan in virtual time itself gets the same error.
        var options = Run.Options()
        options.clock = VirtualClock()
        let plan = try asking().replacing("pen", source: FramesSource<Stroke>([]))
        #expect(await Run(plan, options: options).finished().failures.first?.error.code == "simulate.outside")
    }

    @Test(
        "Simulation: recorded answers replace those of the other program, arrive after the service time, and are the same in every run"
    )
    func recordedAnswers() async throws {
        let pen = try record("pen.jsonl", (0..<20).map { strokeLine($0, at: $0 * 1000, received: $0 * 1000) })
        // Answers to every second frame. They were recorded in another order, and two belong to the same frame.
        let answers = try record(
            "ask.jsonl", [18, 0, 2, 4, 4, 6, 8, 10, 12, 14, 16].map { strokeLine($0, at: $0 * 1000, received: nil) })
        let simulation = try Simulation(
            of: asking(), inputs: [.init(path: pen), .init(source: "ask", path: answers)],
            serviceTimes: ["ask": 250_000])
        for _ in 0..<2 {
            let run = await simulation.run()
            #expect(run.report.isSuccess)
            #expect(run.frames.map(\.timestamp.rawValue) == [0, 2, 4, 4, 6, 8, 10, 12, 14, 16, 18].map { $0 * 1000 })
            #expect(run.ages.allSatisfy { $0 == 250_000 })
        }
    }

    @Test("Simulation: a frame is delivered without the time at which another run received it")
    func receipt() async throws {
        let run = try await simulate(try record("a.jsonl", [strokeLine(0, at: 5, received: 9)]))
        #expect(run.frames.map { $0.origin?.receivedAt } == [nil])
    }

    @Test("Simulation: a simulation of a recorded live run drops the same frames as the live run")
    func roundTrip() async throws {
        var random = SeededGenerator(seed: 4)
        var moment: Int64 = 0
        let events = (0..<300).map { index in
            moment += Int64.random(in: 1...7000, using: &random)
            return TimelineSource<Stroke>.Event(
                at: moment,
                Frame(
                    Stroke(samples: [Sample(x: 1, y: 2)], start: .microseconds(Int64(index) * 5000)),
                    at: .microseconds(Int64(index) * 5000), stream: "pen", sequence: Int64(index)))
        }
        var live = Plan.livePen()
        live = try live.replacing("pen", source: TimelineSource(events))
        var file = FileSink.Options()
        file.path = OutputPath("\(folder.path)/live.jsonl")
        let recorder = try FileSink.make(file, for: PortType(Stroke.self), BuildContext(id: "file", mode: .live))
        live = live.replacingSinks { _, _ in Nothing<Stroke>() }
        live.nodes.append(
            Plan.Node(
                id: "file", component: "file", body: .sink(recorder), input: PortType(Stroke.self),
                edges: [.init(from: 0, policy: EdgePolicy(capacity: 4096, onFull: .dropOldest), isExplicit: true)]))
        var options = Run.Options()
        options.clock = VirtualClock()
        options.serviceTimes = ["work": 11_000_000]
        let drops = DropLog()
        options.onDrop = { drops.add($0) }
        let report = await Run(live, options: options).finished()
        #expect(report.isSuccess)
        let again = try await simulate(file.path.path, service: ["work": 11_000_000])
        #expect(again.drops.count > 100)
        #expect(again.drops == drops.records)
    }

    @Test("Simulation: gaps in the sequence numbers count as lost frames, which the drop records name")
    func holes() async throws {
        let numbers = [0, 1, 5, 6, 9]
        let run = try await simulate(
            try record(
                "a.jsonl",
                numbers.map { strokeLine($0, at: $0 * 1000, received: $0 * 1000) } + [
                    strokeLine(0, at: 20_000, received: 20_000, sequence: 0)
                ]))
        #expect(run.report.ledger.nodes[0].lost == 5)
        #expect(run.report.ledger.losses == 5)
        #expect(run.frames.map(\.gap) == [0, 0, 3, 0, 2, 0])
        #expect(run.drops.map(\.sequence) == [2, 7])
        #expect(run.drops.map(\.count) == [3, 2])
        #expect(run.drops.allSatisfy { $0.reason == .lost && $0.place == "pen" })
        #expect(run.report.violations == [])
    }

    @Test(
        "Simulation: an unreadable line and one without its time of receipt count as failed, and are logged with their lines"
    )
    func badLines() async throws {
        let log = LogLines()
        let path = try record(
            "a.jsonl",
            [strokeLine(0, at: 0, received: 5), "{\"v\":1,\n", strokeLine(2, at: 9, received: nil)]
                + [strokeLine(3, at: 10, received: 10)])
        let simulation = try Simulation(of: .livePen(), inputs: [.init(path: path)])
        var options = simulation.options()
        options.log = log.log
        let report = await Run(simulation.plan, options: options).finished()
        #expect(report.isSuccess)
        #expect(report.ledger.nodes[0].failed == 2)
        #expect(report.ledger.nodes[0].passed == 2)
        #expect(log.all.count == 2)
        #expect(log.all.first?.contains("a.jsonl, line 2") == true)
        #expect(log.all.last?.contains("a.jsonl, line 3: \"recv_us\" is missing") == true)
    }

    @Test(
        "Simulation: frames with impossible times of receipt count as failed but not as lost, and are logged with their lines"
    )
    func badArrivals() async throws {
        let log = LogLines()
        let path = try record(
            "a.jsonl",
            [
                strokeLine(0, at: 0, received: 50), strokeLine(1, at: 1, received: -1),
                strokeLine(2, at: 2, received: 1 << 60),
                // A time of receipt before that of another stream is valid: the streams may have been sorted before they were
                // written.
                strokeLine(0, at: 0, received: 40, stream: "other"), strokeLine(3, at: 4, received: 60),
            ])
        let simulation = try Simulation(of: .livePen(), inputs: [.init(path: path)])
        var options = simulation.options()
        options.log = log.log
        let report = await Run(simulation.plan, options: options).finished()
        #expect(report.isSuccess)
        let pen = report.ledger.nodes[0]
        #expect(pen.failed == 2)
        #expect(pen.passed == 3)
        #expect(pen.lost == 0)
        for line in [2, 3] {
            #expect(
                log.all.contains { $0.contains("a.jsonl, line \(line)") && $0.contains("between 0 and 2^53") },
                "\(log.all)")
        }
        #expect(simulation.notes.isEmpty)
    }

    @Test("Simulation: sources of different kinds share a recording, and keep the time between them")
    func shared() async throws {
        var plan = Plan.livePen(EdgePolicy(capacity: 10, onFull: .dropOldest))
        plan.add("other", source: OutsideSource<FeatureVector>())
        plan.add("sink", sink: OutsideSink<FeatureVector>())
        let vector =
            "{\"v\":1,\"kind\":\"vector\",\"stream\":\"v\",\"seq\":0,\"t_us\":7,\"recv_us\":4000,\"values\":[1]}\n"
        let path = try record(
            "a.jsonl", [vector] + (0..<5).map { strokeLine($0, at: $0, received: 9000 + $0 * 1000) })
        let run = try await simulate(path, plan: plan)
        #expect(run.report.isSuccess)
        #expect(run.report.ledger.nodes.map(\.failed).allSatisfy { $0 == 0 })
        #expect(run.report.ledger.nodes.first { $0.id == "sink" }?.passed == 1)
        // The clock starts at one second, when the vector arrives.
        #expect(run.frames.map { $0.arrival - 1_000_000_000 } == [5, 6, 7, 8, 9].map { $0 * 1_000_000 })
    }

    @Test(
        "Simulation: memory does not grow with the length of a simulation: the number of frames in memory stays the same"
    )
    func memory() async throws {
        var most: [Int] = []
        for count in [1000, 10_000] {
            let path = try record("\(count).jsonl", (0..<count).map { strokeLine($0, at: $0, received: $0 * 1000) })
            var plan = Plan.building(mode: .live)
            plan.add("pen", source: OutsideSource<Stroke>(), rules: .init(onDisorder: .drop))
            let living = Living()
            plan.add("mark", stage: MarkLiving(living), policy: EdgePolicy(capacity: 64, onFull: .wait))
            plan.add("work", stage: PassOn<Marked>(), policy: EdgePolicy(capacity: 1, onFull: .dropOldest, inFlight: 1))
            plan.add("out", sink: OutsideSink<Marked>())
            let simulation = try Simulation(
                of: plan, inputs: [.init(path: path)], serviceTimes: ["work": 20_000_000])
            let report = await Run(simulation.plan, options: simulation.options()).finished()
            #expect(report.isSuccess)
            #expect(report.ledger.nodes[2].received == Int64(count / 20 + 1))
            #expect(living.now == 0)
            most.append(living.most)
        }
        #expect(most[0] == most[1])
        #expect(most[1] < 20)
    }

    @Test("Simulation: a pipeline that is not live, and inputs that do not fit, are refused with a remedy")
    func refused() throws {
        let path = try record("a.jsonl", [strokeLine(0, at: 0, received: 0)])
        var two = Plan.livePen()
        two.add("pad", source: OutsideSource<Stroke>())
        two.add("sink", sink: OutsideSink<Stroke>())
        var batch = Plan.livePen()
        batch.mode = .batch
        func refusal(_ plan: Plan, _ inputs: [Simulation.Input], _ times: [String: Int64] = [:]) -> [String?] {
            do {
                _ = try Simulation(of: plan, inputs: inputs, serviceTimes: times)
                return []
            } catch {
                let error = error as? PipelineError
                return [error?.code, error?.help]
            }
        }
        let whole = Simulation.Input(path: path)
        #expect(refusal(batch, [whole]).first == "simulate.not_live")
        #expect(
            refusal(.livePen(), [whole], ["wrok": 1]) == [
                "simulate.no_such_component", "did you mean \"work\"? (stages and sinks: work, out)",
            ])
        #expect(refusal(.livePen(), [whole], ["pen": 1]).first == "simulate.source_time")
        #expect(
            refusal(.livePen(), [.init(source: "pan", path: path)]) == [
                "simulate.no_such_source", "did you mean \"pen\"?",
            ])
        #expect(
            refusal(two, [whole]) == [
                "simulate.ambiguous",
                "record each on its own, and name them: pen=FILE and pad=FILE",
            ])
        #expect(
            refusal(two, [.init(source: "pen", path: path)]) == [
                "simulate.no_recording", "give it one: pad=FILE",
            ])
        #expect(refusal(.livePen(), [whole, whole]).first == "simulate.twice")
        #expect(refusal(two, [.init(source: "pen", path: path), whole]).first == "simulate.ambiguous")
    }

    @Test(
        "Simulation: a file that is not a recording is an environment error that names the file",
        arguments: [
            ("", "recording.empty"), ("\n \n", "recording.empty"), ("{\"v\":1,\"end\":true}\n", "recording.empty"),
            ("a,b\n1,2\n", "decode."), ("{\"v\":1,\"kind\":\"fog\"}\n", "decode.kind"), ("\u{0}\u{1}", "decode."),
            ("{\"v\":1,\"kind\":\"stroke\",\"fields\":\"xy\",\"pts\":[0,0]}\n", "decode.missing"),
        ])
    func noRecording(text: String, code: String) throws {
        let path = try record("a.jsonl", [text])
        let error = #expect(throws: PipelineError.self) { try Recording(readingFrom: path) }
        #expect(error?.code.hasPrefix(code) == true, "\(String(describing: error))")
        #expect(error?.category == .environment)
        #expect(error?.description.contains("a.jsonl") == true)
    }

    @Test("Simulation: for a table or MessagePack, the help is the command that makes a recording of it")
    func convertible() throws {
        for (name, command) in [
            ("s.csv", "s.csv \(folder.path)/s.mcap"), ("s.msgpack", "s.msgpack \(folder.path)/s.mcap"),
            ("s.jsonl", nil),
        ] as [(String, String?)] {
            let path = try record(name, ["x,y\n1,2\n"])
            let help = #expect(throws: PipelineError.self) { try Recording(readingFrom: path) }?.help ?? ""
            let wanted = command.map { ": pipectl convert \(folder.path)/\($0)" } ?? ", as the file sink writes them"
            #expect(help == "a recording is JSON Lines or MCAP" + wanted)
        }
    }
}

/// Counts the objects that are alive.
private final class Living: Sendable {
    private let counts = Lock((now: 0, most: 0))

    var now: Int { counts.withLock { $0.now } }
    var most: Int { counts.withLock { $0.most } }

    func begin() {
        counts.withLock {
            $0.now += 1
            $0.most = max($0.most, $0.now)
        }
    }

    func end() { counts.withLock { $0.now -= 1 } }
}

/// A payload that is counted as long as it exists.
private struct Marked: Payload {
    static let kind: Kind = "marked"

    final class Mark: Sendable {
        private let living: Living

        init(_ living: Living) {
            self.living = living
            living.begin()
        }

        deinit { living.end() }
    }

    let mark: Mark
}

private struct MarkLiving: Stage {
    let living: Living

    init(_ living: Living) { self.living = living }

    mutating func process(_ stroke: Stroke, _ header: borrowing Header, into emitter: borrowing Emitter<Marked>) {
        emitter.emit(Marked(mark: Marked.Mark(living)))
    }
}
