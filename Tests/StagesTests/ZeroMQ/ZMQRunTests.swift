import Foundation
import Pipeline
import PipelineTesting
import Testing

@testable import Connectors
@testable import Stages

@Suite(.timeLimit(.minutes(3))) struct ZMQRunTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(
        "ZeroMQ: pushed frames all arrive, in order and once, and the end of the stream ends the receiver",
        arguments: ZMQEndpoint.Transport.allCases)
    func pushAndPull(over transport: ZMQEndpoint.Transport) async throws {
        let log = LogLines()
        let kept = Collector<Stroke>()
        let source = try zmqSource { $0.socketOptions.bind = [try zmqEndpoint(transport, folder)] }
        let receiver = zmqReceiving(source, into: kept, options: log.options)
        receiver.start()
        let endpoint = await log.next("bound to ")
        let sink = try zmqSink { $0.socketOptions.connect = [try ZMQEndpoint(endpoint)] }
        // More than the sockets can hold, so that the two sides wait for each other.
        let sent = zmqStrokes(5000, stream: "pen/1")
        let sender = await zmqSending(sent.map { .frame($0) }, to: sink).finished()
        #expect(sender.isSuccess)
        let report = await receiver.finished()
        #expect(report.isSuccess)
        #expect(kept.frames == sent)
        #expect(kept.ended == ["pen/1"])
        #expect(report.ledger.nodes[0].lost == 0)
    }

    @Test("ZeroMQ: a receiver that is stalled for longer than its heartbeat interval loses nothing")
    func standsStill() async throws {
        let count = 2500
        let log = LogLines()
        let source = try zmqSource {
            $0.socketOptions.bind = [try zmqEndpoint(.tcp, folder)]
            $0.socketOptions.heartbeatMs = 1
        }
        let (run, frames, gate) = zmqStalled(source, options: log.options)
        run.start()
        let endpoint = await log.next("bound to ")
        // Sends more than the sockets can hold, which takes longer than two heartbeats, and leaves.
        do {
            let peer = RawPeer()
            #expect(peer.connect(endpoint))
            for number in 0..<count { peer.stroke("pen", number, at: number, end: number == count - 1) }
        }
        gate.signal()
        let report = await run.finished()
        #expect(report.isSuccess)
        #expect(report.ledger.nodes[0].lost == 0)
        #expect(report.ledger.nodes[0].counts["connected"] == 1)
        var arrived = 0
        for await _ in frames { arrived += 1 }
        #expect(arrived == count)
    }

    @Test(
        "ZeroMQ: over ipc, a sender that ends before its receiver has read everything loses nothing",
        arguments: [true, false])
    func endsEarlyOverIPC(binds: Bool) async throws {
        let sent = zmqStrokes(800, stream: "pen")
        for round in 0..<10 {
            let endpoint = try zmqEndpoint(.ipc, folder)
            // A receiver of libzmq itself, with little room. It repeatedly falls behind and stops reading.
            let receiver = try RawReceiver(endpoint, binds: binds, room: 10)
            let sink = try zmqSink {
                if binds { $0.socketOptions.connect = [endpoint] } else { $0.socketOptions.bind = [endpoint] }
                $0.socketOptions.lingerMs = -1
            }
            let sender = zmqSending(sent.map { .frame($0) }, to: sink)
            sender.start()
            while sender.ledger.nodes[1].passed < 100, !Task.isCancelled { await Task.yield() }
            // The frames, and the end of the stream.
            let count = await receiver.messages(upTo: 801)
            #expect(count == 801, "in round \(round)")
            #expect(await sender.finished().isSuccess)
        }
    }

    @Test("ZeroMQ: over ipc, it is logged if the receiver has not read all messages when linger_ms is over")
    func lingersOverIPC() async throws {
        let endpoint = try zmqEndpoint(.ipc, folder)
        let receiver = try RawReceiver(endpoint, binds: true, room: 10)
        let log = LogLines()
        let sink = try zmqSink {
            $0.socketOptions.connect = [endpoint]
            $0.socketOptions.lingerMs = 20
        }
        let sent = zmqStrokes(100, stream: "pen").map { FramesSource<Stroke>.Item.frame($0) }
        let report = await zmqSending(sent, to: sink, options: log.options).finished()
        #expect(report.ledger.nodes[1].passed == 100)
        #expect(log.all.contains { $0.contains("linger_ms ended before all messages were sent") }, "\(log.all)")
        receiver.close()
    }

    @Test("ZeroMQ: a sender that binds and a receiver that connects work as well")
    func theOtherWayRound() async throws {
        let log = LogLines()
        let kept = Collector<Stroke>()
        let sent = zmqStrokes(3, stream: "")
        let sink = try zmqSink { $0.socketOptions.bind = [try zmqEndpoint(.tcp, folder)] }
        let sender = zmqSending(sent.map { .frame($0) }, to: sink, options: log.options)
        sender.start()
        let endpoint = await log.next("bound to ")
        let source = try zmqSource { $0.socketOptions.connect = [try ZMQEndpoint(endpoint)] }
        let report = await zmqReceiving(source, into: kept).finished()
        #expect(report.isSuccess)
        #expect(kept.frames == sent)
        #expect(await sender.finished().isSuccess)
    }

    @Test("ZeroMQ: a publisher waits for its subscribers, and each gets the streams that it subscribed to")
    func publishAndSubscribe() async throws {
        let log = LogLines()
        let frames = zmqStrokes(100, stream: "pen/1").flatMap { frame in
            ["pen/1", "pen/22", "brush"].map { stream in
                var copy = frame
                copy.stream = StreamID(stream)
                return FramesSource<Stroke>.Item.frame(copy)
            }
        }
        let sink = try zmqSink {
            $0.socket = .pub
            $0.waitForSubscribers = 2
            $0.socketOptions.bind = [try zmqEndpoint(.tcp, folder)]
        }
        let sender = zmqSending(frames, to: sink, options: log.options)
        sender.start()
        let endpoint = await log.next("bound to ")
        func receiver(_ prefixes: [String], ends: Int, into kept: Collector<Stroke>) throws -> Run {
            let source = try zmqSource {
                $0.socket = .sub
                $0.subscribe = prefixes
                $0.ends = ends
                $0.socketOptions.connect = [try ZMQEndpoint(endpoint)]
            }
            return zmqReceiving(source, into: kept)
        }
        // A subscriber with two prefixes counts only once.
        let (pens, all) = (Collector<Stroke>(), Collector<Stroke>())
        let first = try receiver(["pen/1", "pen/2"], ends: 2, into: pens)
        first.start()
        let second = try receiver([""], ends: 3, into: all)
        #expect(await second.finished().isSuccess)
        #expect(await first.finished().isSuccess)
        #expect(await sender.finished().isSuccess)
        #expect(all.frames.count == 300)
        #expect(pens.frames.count == 200)
        #expect(pens.frames.allSatisfy { $0.stream != "brush" })
        for stream in ["pen/1", "pen/22", "brush"] as [StreamID] {
            #expect(all.frames.filter { $0.stream == stream }.map(\.sequence) == (0..<100).map { Int64($0) })
        }
    }

    @Test("ZeroMQ: a sink numbers the frames of a stream from 0, and again from 0 after the stream's end")
    func numbering() async throws {
        let log = LogLines()
        let kept = Collector<Stroke>()
        let source = try zmqSource {
            $0.socketOptions.bind = [try zmqEndpoint(.tcp, folder)]
            $0.ends = 3
        }
        let receiver = zmqReceiving(source, into: kept, options: log.options)
        receiver.start()
        let endpoint = await log.next("bound to ")
        let sink = try zmqSink { $0.socketOptions.connect = [try ZMQEndpoint(endpoint)] }
        var items = zmqStrokes(3, stream: "a", from: 70).map { FramesSource<Stroke>.Item.frame($0) }
        items += [.end("a")] + zmqStrokes(2, stream: "a").map { .frame($0) }
        items += zmqStrokes(2, stream: "b", from: 9).map { .frame($0) }
        #expect(await zmqSending(items, to: sink).finished().isSuccess)
        #expect(await receiver.finished().isSuccess)
        #expect(kept.frames.map(\.sequence) == [0, 1, 2, 0, 1, 0, 1])
        #expect(kept.frames.map(\.stream) == ["a", "a", "a", "a", "a", "b", "b"])
        #expect(kept.ended.sorted { $0.name < $1.name } == ["a", "a", "b"])
    }

    @Test("ZeroMQ: a receiver that waits for messages stops when it is asked to")
    func stopWhileWaiting() async throws {
        let log = LogLines()
        let source = try zmqSource { $0.socketOptions.bind = [try zmqEndpoint(.tcp, folder)] }
        let receiver = zmqReceiving(source, into: Collector<Stroke>(), options: log.options)
        receiver.start()
        _ = await log.next("bound to ")
        receiver.stop()
        #expect(await receiver.finished().isSuccess)
    }

    @Test("ZeroMQ: a push without a peer that is asked to stop drops its frames as no_peer and ends without a failure")
    func stopWithBacklog() async throws {
        let log = LogLines()
        let sink = try zmqSink {
            $0.socketOptions.bind = [try zmqEndpoint(.tcp, folder)]
            $0.socketOptions.lingerMs = 0
        }
        let sender = zmqSending(
            zmqStrokes(500, stream: "a").map { .frame($0) }, to: sink, options: log.options)
        sender.start()
        _ = await log.next("bound to ")
        sender.stop()
        let report = await sender.finished()
        #expect(report.failures.isEmpty)
        #expect(report.violations == [])
        #expect(report.notEnded == [])
        let node = report.ledger.nodes[1]
        #expect(node.passed == 0)
        #expect(node.dropped == (node.received == 0 ? [:] : ["no_peer": node.received]))
    }

    @Test(
        "ZeroMQ: if the peer of a push or pair disconnects before the end, this is logged at once, and counts as a loss",
        arguments: [(ZMQSink.Socket.push, ZMQSource.Socket.pull), (.pair, .pair)])
    func peerGoes(sending: ZMQSink.Socket, receiving: ZMQSource.Socket) async throws {
        let log = LogLines()
        let sink = try zmqSink {
            $0.socket = sending
            $0.socketOptions.bind = [try zmqEndpoint(.tcp, folder)]
        }
        var plan = Plan.building()
        plan.add("in", source: Endless())
        plan.add("out", sink: sink)
        let sender = Run(plan, options: log.options)
        sender.start()
        let endpoint = try ZMQEndpoint(await log.next("bound to "))
        let kept = Collector<Stroke>()
        let source = try zmqSource {
            $0.socket = receiving
            $0.socketOptions.connect = [endpoint]
        }
        let receiver = zmqReceiving(source, into: kept)
        receiver.start()
        while kept.frames.isEmpty, !Task.isCancelled { await Task.yield() }
        receiver.cancel()
        _ = await receiver.finished()
        // Logged immediately, and not only when the run ends.
        _ = await log.next("a peer disconnected before the end")
        sender.stop()
        let report = await sender.finished()
        #expect(report.failures.isEmpty)
        #expect(report.violations == [])
        #expect(report.ledger.unknownLosses == ["out"])
    }

    @Test("ZeroMQ: messages that are unsent when linger_ms is over are logged, even if another socket uses ZeroMQ")
    func lingers() async throws {
        // Another owner of the shared context.
        let other = try ZMQSocket(.pull, ZMQSocketOptions(), SocketReport(id: "other", log: .silent))
        defer { other.close(discardingUnsent: true) }
        let endpoint = try zmqEndpoint(.ipc, folder)
        let log = LogLines()
        // No peer is connected yet: with immediate: false, messages wait in the socket and count as written.
        let sink = try zmqSink {
            $0.immediate = false
            $0.socketOptions.connect = [endpoint]
            $0.socketOptions.lingerMs = 20
        }
        let report = await zmqSending(zmqStrokes(5, stream: "a").map { .frame($0) }, to: sink, options: log.options)
            .finished()
        #expect(report.ledger.nodes[1].passed == 5)
        #expect(report.ledger.unknownLosses == ["out"])
        #expect(log.all.contains { $0.contains("linger_ms ended before all messages were sent") }, "\(log.all)")
    }

    @Test("ZeroMQ: a publisher that is asked to stop no longer waits for subscribers")
    func stopWhileWaitingForSubscribers() async throws {
        let log = LogLines()
        let sink = try zmqSink {
            $0.socket = .pub
            $0.waitForSubscribers = 1
            $0.socketOptions.bind = [try zmqEndpoint(.tcp, folder)]
        }
        let sender = zmqSending(zmqStrokes(5, stream: "a").map { .frame($0) }, to: sink, options: log.options)
        sender.start()
        _ = await log.next("waiting for 1 subscriber")
        sender.stop()
        let report = await sender.finished()
        #expect(report.isSuccess)
        #expect(report.ledger.nodes[1].passed == 0)
    }

    @Test("ZeroMQ: a second peer of a push that binds ends the run with an error, unless the frames may be split")
    func severalPeers() async throws {
        for split in [false, true] {
            let log = LogLines()
            let sink = try zmqSink {
                $0.split = split
                $0.socketOptions.lingerMs = 0
                $0.socketOptions.bind = [try zmqEndpoint(.tcp, folder)]
            }
            var plan = Plan.building()
            plan.add("in", source: Endless())
            plan.add("out", sink: sink)
            let sender = Run(plan, options: log.options)
            sender.start()
            let endpoint = try ZMQEndpoint(await log.next("bound to "))
            let kept = [Collector<Stroke>(), Collector<Stroke>()]
            let receivers = try kept.map { kept in
                zmqReceiving(try zmqSource { $0.socketOptions.connect = [endpoint] }, into: kept)
            }
            for receiver in receivers { receiver.start() }
            if split {
                while kept.contains(where: { $0.frames.isEmpty }), !Task.isCancelled { await Task.yield() }
                sender.stop()
            }
            let report = await sender.finished()
            #expect(report.failures.map(\.error.code) == (split ? [] : ["zmq.several_peers"]))
            for receiver in receivers {
                receiver.stop()
                _ = await receiver.finished()
            }
        }
    }
}

/// Produces strokes until the run ends.
private struct Endless: Source {
    private var next = 0
    private var stop: StopSignal?

    mutating func open(_ context: SourceContext) { stop = context.stop }

    mutating func read(into batch: inout SourceBatch<Stroke>) async throws -> Bool {
        for frame in zmqStrokes(1, stream: "pen", from: next) { batch.append(frame) }
        next += 1
        return stop?.isRequested != true
    }
}
