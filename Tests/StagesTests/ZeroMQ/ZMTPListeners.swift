import CZMQ
import Foundation
import Pipeline
import PipelineComponents
import PipelineTesting
import Testing

@testable import Connectors
@testable import Stages

/// Runs that receive documents of peers, byte for byte, and must work afterwards.
enum ZMTPListeners {
    /// Sends every document in its own connection, waits a moment in case the receiver is still processing it, and resets the
    /// connection. Returns false if a connection or handshake failed.
    ///
    /// - Parameter socket: The socket type for the handshake that is performed first; `nil` to send the document immediately.
    private static func play(_ documents: [[UInt8]], to endpoint: String, as socket: String? = nil) async -> Bool {
        await withCheckedContinuation { continuation in
            startThread {
                var isHeard = true
                for document in documents {
                    guard let peer = RawConnection(endpoint), socket.map({ peer.shakeHands(as: $0) }) ?? true else {
                        isHeard = false
                        break
                    }
                    peer.say(document)
                    peer.hear(forMs: 5)
                    peer.resets()
                }
                continuation.resume(returning: isHeard)
            }
        }
    }

    private static func peer(of socket: ZMQSource.Socket) -> Int32 {
        switch socket {
        case .sub: ZMQ_XPUB
        case .pull: ZMQ_PUSH
        case .pair: ZMQ_PAIR
        }
    }

    /// A bound source receives documents, optionally while it waits for the nodes downstream, and then a good message.
    static func source(
        _ socket: ZMQSource.Socket, hears documents: [[UInt8]], from other: String? = nil,
        whileBehind isBehind: Bool = false
    ) async throws {
        let log = LogLines()
        let source = try zmqSource {
            $0.socket = socket
            $0.socketOptions.bind = [try ZMQEndpoint("tcp://127.0.0.1:*")]
            // Without a limit: the receiver would give up the handshake of the good peer on a busy machine, and the peer may take
            // it for complete and have sent its message.
            $0.socketOptions.handshakeMs = 0
            $0.ends = 1
        }
        let (frames, continuation) = AsyncStream<Frame<Stroke>>.makeStream()
        let gate = DispatchSemaphore(value: isBehind ? 0 : 1)
        var plan = Plan.building()
        plan.add("camera", source: source, onError: .skip)
        plan.add("stall", sink: ForwardingSink(output: continuation, gate: gate))
        let run = Run(plan, options: log.options)
        run.start()
        let endpoint = await log.next("bound to ")
        #expect(await play(documents, to: endpoint, as: other))
        gate.signal()
        // A pair accepts another peer only after it has noticed that the last one has left. So no good message is sent to it.
        var report: RunReport?
        if socket == .pair {
            run.stop()
            report = await run.finished()
        } else {
            let peer = RawPeer(peer(of: socket))
            #expect(peer.connect(endpoint))
            if socket == .sub { #expect(peer.receive() == [1]) }
            peer.stroke("last", 0, at: 7, end: true)
            report = await run.finished()
            var last: StreamID?
            for await frame in frames { last = frame.stream }
            #expect(last == "last")
        }
        #expect(report?.isSuccess == true)
        #expect(report?.violations == [])
        // Each logged error names its message.
        #expect(log.all.filter { $0.contains("skipped") }.allSatisfy { $0.contains("message ") })
    }

    /// A source connects to a server that sends documents, and then receives a good message.
    static func source(_ socket: ZMQSource.Socket, goesToHear documents: [[UInt8]]) async throws {
        let server = try NoiseServer(answering: documents)
        defer { server.stop() }
        let folder = try TemporaryFolder()
        let endpoint = try zmqEndpoint(.ipc, folder)
        let peer = RawPeer(peer(of: socket))
        #expect(peer.bind(endpoint))
        let log = LogLines()
        let kept = Collector<Stroke>()
        let source = try zmqSource {
            $0.socket = socket
            try eager(&$0.socketOptions, to: [try ZMQEndpoint("tcp://127.0.0.1:\(server.port)"), endpoint])
            $0.ends = 1
        }
        let run = zmqReceiving(source, into: kept, onError: .skip, options: log.options)
        run.start()
        if socket == .sub { #expect(peer.receive() == [1]) }
        await server.answered(documents.count)
        peer.stroke("last", 0, at: 7, end: true)
        let report = await run.finished()
        #expect(report.isSuccess)
        #expect(report.violations == [])
        #expect(kept.frames.last?.stream == "last")
    }

    private static func eager(_ options: inout ZMQSocketOptions, to endpoints: [ZMQEndpoint]) throws {
        options.reconnectMs = 1
        options.reconnectMaxMs = 1
        options.handshakeMs = 200
        options.connect = endpoints
    }

    /// A bound sink receives documents, and then sends to a good peer.
    static func sink(
        _ socket: ZMQSink.Socket, hears documents: [[UInt8]], from other: String? = nil
    ) async throws {
        try await sink(socket) {
            $0.bind = [try ZMQEndpoint("tcp://127.0.0.1:*")]
            $0.handshakeMs = 200
        } _: { log in
            let endpoint = await log.next("bound to ")
            #expect(await play(documents, to: endpoint, as: other))
            return .connect(try ZMQEndpoint(endpoint))
        }
    }

    /// A sink connects to a server that sends documents, and then sends to a good peer.
    static func sink(_ socket: ZMQSink.Socket, goesToHear documents: [[UInt8]]) async throws {
        let server = try NoiseServer(answering: documents)
        defer { server.stop() }
        let folder = try TemporaryFolder()
        let endpoint = try zmqEndpoint(.ipc, folder)
        try await sink(socket) {
            try eager(&$0, to: [try ZMQEndpoint("tcp://127.0.0.1:\(server.port)"), endpoint])
        } _: { _ in
            await server.answered(documents.count)
            return .bind(endpoint)
        }
    }

    private enum Place {
        case connect(ZMQEndpoint), bind(ZMQEndpoint)
    }

    /// Sends frames after all documents were sent, until a good peer has received one.
    private static func sink(
        _ socket: ZMQSink.Socket, _ change: @escaping @Sendable (inout ZMQSocketOptions) throws -> Void,
        _ speak: (LogLines) async throws -> Place
    ) async throws {
        let log = LogLines()
        let (frames, continuation) = AsyncStream<Frame<Stroke>>.makeStream()
        var plan = Plan.building()
        plan.add("in", source: SequenceSource(frames))
        plan.add(
            "out",
            sink: try zmqSink {
                $0.socket = socket
                $0.split = socket == .push
                $0.socketOptions.heartbeatMs = 20
                $0.socketOptions.lingerMs = 0
                try change(&$0.socketOptions)
            })
        let run = Run(plan, options: log.options)
        run.start()
        let place = try await speak(log)
        let kept = Collector<Stroke>()
        let receiving = LogLines()
        let receiver = zmqReceiving(
            try zmqSource {
                $0.socket = socket == .pub ? .sub : .pull
                switch place {
                case .connect(let endpoint): $0.socketOptions.connect = [endpoint]
                case .bind(let endpoint): $0.socketOptions.bind = [endpoint]
                }
            }, into: kept, options: receiving.options)
        receiver.start()
        _ = await receiving.next("connected: ")
        // The receiver's subscription may still be in flight, or a frame may go to a peer that is leaving. So frames are sent
        // until one has arrived.
        var number = 0
        while kept.frames.isEmpty, number < 20_000 {
            continuation.yield(zmqStrokes(1, stream: "pen", from: number)[0])
            number += 1
            try await Task.sleep(for: .milliseconds(1))
        }
        continuation.finish()
        #expect(await run.finished().isSuccess)
        receiver.stop()
        #expect(await receiver.finished().isSuccess)
        #expect(!kept.frames.isEmpty)
    }

    /// A stage with workers that connect to it receives documents, and is then answered by a good worker.
    static func requester(hears documents: [[UInt8]]) async throws {
        try await requester {
            $0.bind = [try ZMQEndpoint("tcp://127.0.0.1:*")]
            $0.handshakeMs = 200
        } _: { log in
            let endpoint = await log.next("bound to ")
            #expect(await play(documents, to: endpoint))
            return RawWorker(connectingTo: endpoint) { _, _, _ in answer }
        }
    }

    /// A stage connects to a server that sends documents and to a good worker, which answers.
    static func requester(goesToHear documents: [[UInt8]]) async throws {
        let server = try NoiseServer(answering: documents)
        defer { server.stop() }
        let worker = RawWorker { _, _, _ in answer }
        try await requester {
            try eager(
                &$0, to: [try ZMQEndpoint("tcp://127.0.0.1:\(server.port)"), try ZMQEndpoint(worker.endpoint)])
        } _: { _ in
            await server.answered(documents.count)
            return worker
        }
    }

    private static var answer: String {
        "{\"v\":1,\"kind\":\"recognition\",\"categories\":[{\"name\":\"circle\",\"score\":0.5}]}"
    }

    private static func requester(
        _ change: (inout ZMQSocketOptions) throws -> Void, _ speak: (LogLines) async throws -> RawWorker
    ) async throws {
        var options = ZMQRequest.Options()
        options.kind = .recognition
        options.timeoutMs = 500
        options.retries = 20
        try change(&options.socketOptions)
        let (frames, continuation) = AsyncStream<Frame<Stroke>>.makeStream()
        let kept = Collector<Recognition>()
        let log = LogLines()
        var plan = Plan.building()
        plan.add("in", source: SequenceSource(frames))
        let stage = try ZMQRequest.make(options, for: PortType(Stroke.self), BuildContext(id: "ask"))
        plan.add("ask", asyncStage: try #require(stage as? ZMQRequester<Stroke, Recognition>), onError: .skip)
        plan.add("out", sink: kept.sink())
        let run = Run(plan, options: log.options)
        run.start()
        let worker = try await speak(log)
        defer { worker.stop() }
        for frame in zmqStrokes(5, stream: "pen") { continuation.yield(frame) }
        continuation.finish()
        let report = await run.finished()
        #expect(report.violations == [])
        #expect(kept.frames.map { $0.payload.categories.first?.name } == Array(repeating: "circle", count: 5))
    }
}
