import Foundation
import Pipeline
import PipelineComponents
import PipelineTesting
import Synchronization
import Testing

@testable import Connectors
@testable import Stages

@Suite("Requests to workers over ZeroMQ")
struct ZMQRequestTests {
    private struct Outcome {
        let report: RunReport
        let frames: [Frame<Recognition>]
        let lines: [String]
        var node: Ledger.Node { report.ledger.nodes[1] }
    }

    /// Sends strokes to a worker and receives gestures.
    private func ask(
        _ endpoint: String, _ strokes: [Frame<Stroke>], onError: ErrorPolicy = .skip,
        _ change: (inout ZMQRequest.Options) -> Void = { _ in }
    ) async throws -> Outcome {
        var options = ZMQRequest.Options()
        options.socketOptions.connect = [try ZMQEndpoint(endpoint)]
        options.kind = .recognition
        options.timeoutMs = 20_000
        change(&options)
        let kept = Collector<Recognition>()
        let log = LogLines()
        var plan = Plan.building()
        plan.add("in", source: FramesSource(strokes))
        let stage = try ZMQRequest.make(options, for: PortType(Stroke.self), BuildContext(id: "ask"))
        let typed = try #require(stage as? ZMQRequester<Stroke, Recognition>)
        plan.add("ask", asyncStage: typed, onError: onError)
        plan.add("out", sink: kept.sink())
        let report = await Run(plan, options: log.options).finished()
        #expect(report.violations == [])
        return Outcome(report: report, frames: kept.frames, lines: log.all)
    }

    /// Returns an answer that contains the request's number.
    private static func answer(_ name: Int) -> String {
        "{\"v\":1,\"kind\":\"recognition\",\"categories\":[{\"name\":\"\(name)\",\"score\":0.5}]}"
    }

    /// Returns the number of a stroke: its first point.
    private static func number(of payload: String) -> Int {
        Int(payload.components(separatedBy: "\"pts\":[").last?.prefix { $0 != "," } ?? "") ?? -1
    }

    /// A worker that answers each stroke with its number, except that it forgets the first request with one stroke, as if it had
    /// been killed. On a slow machine, any request may come again.
    private static func forgetful(
        of forgotten: Int, secretKey: CurveKey? = nil, onForgetting: @escaping @Sendable () -> Void = {}
    ) -> RawWorker {
        let hasForgotten = Lock(false)
        return RawWorker(secretKey: secretKey) { _, _, payload in
            let number = number(of: payload)
            let forgets = hasForgotten.withLock { hasForgotten in
                defer { hasForgotten = hasForgotten || number == forgotten }
                return number == forgotten && !hasForgotten
            }
            guard forgets else { return answer(number) }
            onForgetting()
            return nil
        }
    }

    @Test(
        "zmq_request: every frame gets its answer, in the order of the stream", arguments: ZMQRequest.Socket.allCases,
        [1, 4])
    func answers(socket: ZMQRequest.Socket, requests: Int) async throws {
        let seen = Lock<[String]>([])
        let worker = RawWorker { _, stream, payload in
            seen.withLock { $0.append(stream) }
            return Self.answer(Self.number(of: payload))
        }
        defer { worker.stop() }
        let strokes = zmqStrokes(20, stream: "a") + zmqStrokes(20, stream: "b", from: 20)
        let outcome = try await ask(worker.endpoint, strokes) {
            $0.socket = socket
            $0.inFlight = requests
        }
        #expect(outcome.report.isSuccess)
        #expect(outcome.frames.map { $0.payload.categories.first?.name } == (0..<40).map { "\($0)" })
        #expect(outcome.frames.map(\.timestamp) == strokes.map(\.timestamp))
        #expect(outcome.frames.map(\.sequence) == strokes.map(\.sequence))
        #expect(outcome.frames.map(\.stream) == strokes.map(\.stream))
        #expect(seen.withLock { $0.count } == 40)
    }

    @Test("zmq_request: an answer that only ends a stream is an error that says so once")
    func endedStream() async throws {
        let worker = RawWorker { _, _, _ in "{\"v\":1,\"kind\":\"recognition\",\"end\":true}" }
        defer { worker.stop() }
        let outcome = try await ask(worker.endpoint, zmqStrokes(1, stream: "a"))
        #expect(outcome.node.failed == 1)
        #expect(
            outcome.lines.contains { $0.contains("0.000000 s: the answer ends a stream and carries nothing") },
            "\(outcome.lines)")
    }

    @Test("zmq_request: refusals, empty answers and unreadable answers are counted, and logged with the worker's words")
    func refusals() async throws {
        let answers = [
            Self.answer(0), "{\"error\":\"too short\"}", "", "{\"categories\":", "{\"kind\":\"hands\",\"hands\":[]}",
            Self.answer(5), "{\"error\":{\"code\":5}}", "{\"error\":\"\"}",
        ]
        let worker = RawWorker { number, _, _ in answers[number] }
        defer { worker.stop() }
        let outcome = try await ask(worker.endpoint, zmqStrokes(8, stream: "a"))
        #expect(outcome.report.isSuccess)
        #expect(outcome.frames.map(\.sequence) == [0, 5])
        #expect(outcome.frames.map(\.gap) == [0, 3])
        #expect(outcome.node.absorbed == 1)
        #expect(outcome.node.failed == 5)
        #expect(outcome.lines.contains { $0.contains("the worker says: {\"code\":5}") })
        #expect(outcome.lines.contains { $0.contains("the worker says: an error without a description") })
        #expect(outcome.lines.contains { $0.contains("the worker says: too short") && $0.contains("frame 1") })
        #expect(outcome.lines.contains { $0.contains("frame 3") && $0.contains("the answer, byte") })
    }

    @Test("zmq_request: a request without an answer is sent again over a new connection")
    func again() async throws {
        let worker = Self.forgetful(of: 2)
        defer { worker.stop() }
        let outcome = try await ask(worker.endpoint, zmqStrokes(4, stream: "a")) {
            $0.timeoutMs = 150
            $0.retries = 1000
        }
        #expect(outcome.report.isSuccess)
        #expect(outcome.frames.map { $0.payload.categories.first?.name } == ["0", "1", "2", "3"])
        #expect(outcome.node.counts["requests_repeated"] ?? 0 >= 1)
        #expect(outcome.node.counts["requests_unanswered"] == nil)
        // The first connection, and the one over which the request was sent again.
        #expect(outcome.lines.count { $0.contains(" connected: ") } >= 2, "\(outcome.lines)")
    }

    @Test("zmq_request: if no new connection to a worker can be made, a request is answered over the old connection")
    func cannotConnectAnew() async throws {
        let folder = try TemporaryFolder()
        let (publicKey, secretKey) = try CurveKey.makePair()
        let path = try folder.write("server.key", CurveKeyFile.text(publicKey: publicKey, secretKey: nil))
        // A new connection needs the key of the server, which is gone when the worker forgets the second request.
        let worker = Self.forgetful(of: 1, secretKey: secretKey) { try? FileManager.default.removeItem(atPath: path) }
        defer { worker.stop() }
        let outcome = try await ask(worker.endpoint, zmqStrokes(3, stream: "a")) {
            $0.socketOptions.curve = CurveOptions()
            $0.socketOptions.curve?.serverKeyFile = FilePath(path)
            $0.timeoutMs = 150
            $0.retries = 1000
        }
        #expect(outcome.report.isSuccess)
        #expect(outcome.frames.map { $0.payload.categories.first?.name } == ["0", "1", "2"])
        #expect(
            outcome.lines.contains { $0.contains("cannot be reopened") && $0.contains("server.key") },
            "\(outcome.lines)")
    }

    @Test(
        "zmq_request: requests to a worker that does not answer, or is not there, go to another worker",
        arguments: [true, false])
    func deadWorker(listens: Bool) async throws {
        let dead = RawWorker { _, _, _ in nil }
        let alive = RawWorker { number, _, _ in Self.answer(number) }
        defer {
            dead.stop()
            alive.stop()
        }
        if !listens { dead.stop() }
        for addresses in [[dead.endpoint, alive.endpoint], [alive.endpoint, dead.endpoint]] {
            let outcome = try await ask(alive.endpoint, zmqStrokes(4, stream: "a")) {
                $0.socketOptions.connect = addresses.compactMap { try? ZMQEndpoint($0) }
                $0.timeoutMs = 500
                $0.retries = 1000
            }
            #expect(outcome.report.isSuccess && outcome.frames.count == 4)
            #expect(outcome.node.counts["requests_unanswered"] == nil)
        }
    }

    // `RequestSchedulerTests` checks in virtual time that no request goes to the silent worker twice.
    @Test("zmq_request: with one silent worker of two, four streams lose no frame, and the log says who is silent")
    func silentAmongTwo() async throws {
        let asked = Lock(0)
        let silent = RawWorker { _, _, _ in
            asked.withLock { $0 += 1 }
            return nil
        }
        let alive = RawWorker { number, _, _ in
            // Until the other worker has connected and got a request, nobody answers.
            for _ in 0..<6000 where asked.withLock({ $0 }) == 0 { usleep(5000) }
            return Self.answer(number)
        }
        defer {
            silent.stop()
            alive.stop()
        }
        let strokes = (0..<6).flatMap { index in
            ["a", "b", "c", "d"].flatMap { zmqStrokes(1, stream: $0, from: index) }
        }
        for addresses in [[silent.endpoint, alive.endpoint], [alive.endpoint, silent.endpoint]] {
            asked.withLock { $0 = 0 }
            let outcome = try await ask(alive.endpoint, strokes) {
                $0.socketOptions.connect = addresses.compactMap { try? ZMQEndpoint($0) }
                $0.timeoutMs = 500
                $0.retries = 1000
            }
            #expect(outcome.report.isSuccess && outcome.frames.count == 24)
            #expect(outcome.node.failed == 0)
            #expect(asked.withLock { $0 } > 0)
            #expect(outcome.node.counts["silent"] ?? 0 > 0)
            #expect(
                outcome.lines.contains { $0.contains("no answer in 500 ms") && $0.contains(silent.endpoint) },
                "\(outcome.lines)")
        }
    }

    @Test("zmq_request: when one worker is silent, the connection to a worker that answers is kept")
    func connectsAnew() async throws {
        let silent = RawWorker { _, _, _ in nil }
        let alive = RawWorker { number, _, _ in Self.answer(number) }
        defer {
            silent.stop()
            alive.stop()
        }
        let outcome = try await ask(silent.endpoint, zmqStrokes(8, stream: "a")) {
            $0.socketOptions.connect = [silent, alive].compactMap { try? ZMQEndpoint($0.endpoint) }
            $0.inFlight = 8
            $0.timeoutMs = 300
        }
        #expect(outcome.frames.count == 8)
        let lines = outcome.lines.filter { $0.contains(" connected: ") }
        #expect(lines.count { $0.hasSuffix(alive.endpoint) } == 1)
    }

    @Test("zmq_request: workers connect to a bound address and share the requests")
    func bound() async throws {
        let folder = try TemporaryFolder()
        let endpoint = try zmqEndpoint(.ipc, folder)
        let workers = (0..<2).map { _ in
            RawWorker(connectingTo: endpoint.text) { number, _, _ in Self.answer(number) }
        }
        defer { for worker in workers { worker.stop() } }
        let outcome = try await ask(endpoint.text, zmqStrokes(20, stream: "a")) {
            $0.socketOptions.bind = $0.socketOptions.connect
            $0.socketOptions.connect = []
        }
        #expect(outcome.report.isSuccess && outcome.frames.count == 20)
    }

    @Test("zmq_request: only the late request is sent again, and not those that are answered")
    func lateAlone() async throws {
        let worker = RawWorker { number, stream, _ in stream == "late" ? nil : Self.answer(number) }
        defer { worker.stop() }
        // The other requests are answered while the late one is in flight, so the worker does not count as silent.
        let strokes = zmqStrokes(1, stream: "late") + (0..<30).flatMap { zmqStrokes(1, stream: StreamID("s\($0)")) }
        let outcome = try await ask(worker.endpoint, strokes) {
            $0.inFlight = 4
            $0.timeoutMs = 1000
            $0.retries = 1
        }
        #expect(outcome.frames.count == 30 && outcome.node.failed == 1)
        #expect(outcome.node.counts["requests_repeated"] == 1)
        #expect(outcome.node.counts["requests_unanswered"] == 1)
    }

    @Test("zmq_request: a task that is canceled before its request gets no answer and sends nothing")
    func cancelledBefore() async throws {
        let asked = Lock(0)
        let worker = RawWorker { number, _, _ in
            asked.withLock { $0 += 1 }
            return Self.answer(number)
        }
        defer { worker.stop() }
        var options = ZMQRequest.Options()
        options.socketOptions.connect = [try ZMQEndpoint(worker.endpoint)]
        let desk = try RequestClient(options, SocketReport(id: "ask", log: .silent))
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await desk.ask("a", [])
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        _ = try await desk.ask("a", [])
        #expect(asked.withLock { $0 } == 1)
        await desk.close()
        await #expect(throws: CancellationError.self) { _ = try await desk.ask("a", []) }
    }

    @Test(
        "zmq_request: if no worker answers, the frame fails with an error that gives the timeout and the number of tries"
    )
    func nobody() async throws {
        let worker = RawWorker { _, _, _ in nil }
        defer { worker.stop() }
        let outcome = try await ask(worker.endpoint, zmqStrokes(2, stream: "a"), onError: .fail) {
            $0.timeoutMs = 20
            $0.retries = 2
        }
        let failure = try #require(outcome.report.failures.first)
        #expect(failure.error.code == "zmq.no_answer")
        #expect(failure.error.message == "no worker answered within 20 ms, asked 3 times")
        #expect(outcome.frames.isEmpty)
    }

    @Test("zmq_request: if no worker is connected, the frame fails with an error that names the address")
    func nobodyThere() async throws {
        let outcome = try await ask("tcp://127.0.0.1:9", zmqStrokes(1, stream: "a"), onError: .fail) {
            $0.timeoutMs = 20
            $0.retries = 0
        }
        let failure = try #require(outcome.report.failures.first)
        #expect(failure.error.code == "zmq.no_worker")
        #expect(failure.error.message == "no worker was connected within 20 ms, tried once")
        #expect(failure.error.help?.contains("tcp://127.0.0.1:9") ?? false)
        #expect(outcome.node.counts["silent"] == nil)
    }

    @Test("zmq_request: a run that is asked to stop waits for workers no longer than its shutdown timeout")
    func stop() async throws {
        var options = ZMQRequest.Options()
        // Nobody listens there.
        options.socketOptions.connect = [try ZMQEndpoint("tcp://127.0.0.1:9")]
        options.timeoutMs = 86_400_000
        let stage = try ZMQRequest.make(options, for: PortType(Stroke.self), BuildContext(id: "ask"))
        let typed = try #require(stage as? ZMQRequester<Stroke, Stroke>)
        var plan = Plan.building()
        plan.shutdownTimeoutMs = 50
        plan.add("in", source: FramesSource(zmqStrokes(3, stream: "a")))
        plan.add("ask", asyncStage: typed)
        plan.add("out", sink: Collector<Stroke>().sink())
        let run = Run(plan)
        run.start()
        run.stop()
        let report = await run.finished()
        #expect(report.violations == [])
        #expect(report.ledger.nodes[1].passed == 0)
        #expect(report.ledger.nodes[1].droppedTotal == report.ledger.nodes[1].received)
    }
}
