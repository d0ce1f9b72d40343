import CZMQ
import Pipeline
import PipelineTesting
import Testing

@testable import Connectors
@testable import Stages

@Suite("ZeroMQ: frames that several peers share", .timeLimit(.minutes(3)))
struct ZMQSplitTests {
    private let endpoints: [ZMQEndpoint]
    private let kept = [Collector<Stroke>(), Collector<Stroke>()]
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        endpoints = [try zmqEndpoint(.ipc, folder), try zmqEndpoint(.ipc, folder)]
    }

    private func receiver(_ index: Int, ends: Int? = nil) throws -> Run {
        let source = try zmqSource {
            $0.socketOptions.bind = [endpoints[index]]
            $0.ends = ends
        }
        return zmqReceiving(source, into: kept[index])
    }

    private func sink() throws -> any Sink {
        try zmqSink {
            $0.split = true
            $0.socketOptions.connect = endpoints
            $0.socketOptions.lingerMs = 100_000
        }
    }

    @Test("ZeroMQ split: each endpoint gets the ends of the streams, also if its peer comes after the last frame")
    func lateEnds() async throws {
        let streams: [StreamID] = ["a", "b"]
        let sender = zmqSending(streams.flatMap { zmqStrokes(5, stream: $0) }.map { .frame($0) }, to: try sink())
        sender.start()
        // The first receiver ends when it has the ends of both streams. From then on, no frame is left for the second one.
        #expect(try await receiver(0).finished().isSuccess)
        #expect(kept[0].frames.count == 10)
        #expect(kept[0].ended.sorted() == streams)
        #expect(try await receiver(1).finished().isSuccess)
        #expect(kept[1].frames.isEmpty)
        let report = await sender.finished()
        #expect(report.isSuccess)
        #expect(report.ledger.nodes[1].passed == 10)
        #expect(report.ledger.unknownLosses == [])
    }

    @Test(
        "ZeroMQ split: a peer that returns gets the ends that came while it was away; discarded ends count as a loss",
        arguments: [(4, ["0", "1", "2", "3"], nil), (5, ["3", "4"], 1)] as [(Int, [String], Int64?)])
    func missedEnds(ends: Int, received: [String], losses: Int64?) async throws {
        var options = ZMQSink.Options()
        options.socket = .push
        options.split = true
        options.socketOptions.connect = [endpoints[0]]
        options.socketOptions.lingerMs = 0
        let log = LogLines()
        // The sockets keep at least two ends, and discard older ones when there are more than four.
        let context = SinkContext(
            id: "out", clock: SystemClock(), cancel: StopSignal(), log: log.log, maxStreams: 1)
        let sockets = try SendingSockets(options, context)
        defer { sockets.close(discardingUnsent: true) }
        let payload: [UInt8] = [1]
        func send(_ topic: String) throws -> Bool { try payload.withUnsafeBytes { try sockets.send(topic, $0) } }
        func pause() async throws { try await Task.sleep(for: .milliseconds(1)) }
        do {
            let peer = RawPeer(ZMQ_PULL)
            #expect(peer.bind(endpoints[0]))
            while try !send("x") { try await pause() }
            #expect(peer.receive() == Array("x".utf8))
            #expect(peer.receive() == payload)
        }
        // Until libzmq has noticed that the peer is gone, it takes messages, which are lost.
        while try send("x") { try await pause() }
        for end in 0..<ends { try payload.withUnsafeBytes { try sockets.end("\(end)", $0) } }
        let peer = RawPeer(ZMQ_PULL)
        #expect(peer.bind(endpoints[0]))
        while try !send("y") { try await pause() }
        for topic in received + ["y"] {
            #expect(peer.receive() == Array(topic.utf8))
            #expect(peer.receive() == payload)
        }
        #expect(context.counts.values[Counts.unknownLoss] == losses)
        #expect(log.all.filter { $0.contains("raise max_streams") }.count == (losses == nil ? 0 : 1))
    }

    @Test(
        "ZeroMQ split: a peer that comes during the run does not get the ends of earlier streams before its first frame"
    )
    func earlierEnds() async throws {
        let (frames, continuation) = AsyncStream<Frame<Stroke>>.makeStream()
        var plan = Plan.building()
        // The second stream ends the first one.
        plan.maxStreams = 1
        plan.add("in", source: SequenceSource(frames))
        plan.add("out", sink: try sink())
        let sender = Run(plan)
        sender.start()
        let receivers = [try receiver(0, ends: 3), try receiver(1)]
        receivers[0].start()
        var sent = 0
        func send(_ stream: StreamID) async {
            continuation.yield(zmqStrokes(1, stream: stream, from: sent)[0])
            sent += 1
            while kept[0].frames.count + kept[1].frames.count < sent, !Task.isCancelled { await Task.yield() }
        }
        await send("a")
        await send("b")
        while kept[0].ended.isEmpty, !Task.isCancelled { await Task.yield() }
        receivers[1].start()
        while kept[1].frames.isEmpty, !Task.isCancelled { await send("b") }
        continuation.finish()
        for receiver in receivers { #expect(await receiver.finished().isSuccess) }
        // The first stream was evicted, so it could have gone on, until it ended with the second one.
        #expect(kept[0].ended == ["a", "a", "b"])
        #expect(kept[1].ended == ["a", "b"])
        #expect(await sender.finished().isSuccess)
    }
}
