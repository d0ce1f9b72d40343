import Pipeline
import PipelineComponents
import PipelineConfiguration
import PipelineTesting
import Testing

@testable import Connectors
@testable import Stages

@Suite(
    "A Python program", .enabled(if: PythonPeer.isThere, "scripts/peers makes the Python environment these tests need"))
struct CodecPeerTests {
    private static let stream: StreamID = "手/1"

    /// Returns the payloads as frames of one stream. The first frame has a clock and an unknown key.
    private static func frames<P: Payload>(_ payloads: [P]) -> [Frame<P>] {
        payloads.enumerated().map { index, payload in
            let note = Origin.Unknown(key: "note", json: #"{"a":[1,2.5,null,"x"]}"#)
            return Frame(
                payload, at: .microseconds(1000 * Int64(index + 1)), stream: stream, sequence: Int64(index),
                origin: index == 0 ? Origin(clock: "unix", unknown: [note]) : nil)
        }
    }

    /// Returns a run that receives what the peer sends until its stream ends.
    private func receiving<P: WirePayload>(
        _ format: MessageFormat, into kept: Collector<P>, options: Run.Options
    ) throws -> Run {
        var receiving = ZMQSource.Options()
        receiving.socket = .pull
        receiving.kind = PayloadKind(P.self)
        receiving.socketOptions.bind = [try ZMQEndpoint("tcp://127.0.0.1:*")]
        receiving.decode.format = format == .msgpack ? .msgpack : .json
        var plan = Plan.building()
        plan.add("camera", source: try ZMQSource.make(receiving, BuildContext(id: "camera")))
        plan.add("keep", sink: kept.sink())
        return Run(plan, options: options)
    }

    /// Sends frames to the peer, and the end of their stream.
    private func send<P: WireEncodable>(_ frames: [Frame<P>], _ format: MessageFormat, to endpoint: String) async throws
    {
        var sending = ZMQSink.Options()
        sending.socket = .push
        sending.encode = format
        sending.socketOptions.connect = [try ZMQEndpoint(endpoint)]
        var sender = Plan.building()
        sender.add("in", source: FramesSource<P>(items: frames.map { .frame($0) }))
        sender.add("out", sink: try ZMQSink.make(sending, for: PortType(P.self), BuildContext(id: "out")))
        #expect(await Run(sender).finished().isSuccess)
    }

    /// Sends random frames to Python, which encodes them again and sends them back.
    private func echo<P: WirePayload & Equatable>(
        _ format: MessageFormat, _ make: (inout PayloadGenerator) -> P
    ) async throws {
        var generator = PayloadGenerator(seed: 77)
        let frames = Self.frames((0..<60).map { _ in make(&generator) })
        let log = LogLines()
        let kept = Collector<P>()
        let receiver = try receiving(format, into: kept, options: log.options)
        receiver.start()
        let peer = try PythonPeer(script: "Tests/peers/codec_peer.py", format.rawValue, "tcp://127.0.0.1:*")
        let endpoint = try #require(await peer.next("at"))
        peer.say(await log.next("bound to "))
        try await send(frames, format, to: endpoint)
        // Without an echo, the receiver would not end.
        try #require(await peer.next("echoed") == "61")
        #expect(await receiver.finished().isSuccess)
        #expect(kept.frames == frames)
        #expect(kept.frames.first?.origin?.unknown.map(\.key) == ["note"])
    }

    @Test(
        "The Python peer reads and writes frames of every kind without changing them",
        arguments: MessageFormat.allCases, PayloadKind.standard)
    func everyValue(format: MessageFormat, kind: PayloadKind) async throws {
        switch kind {
        case .stroke: try await echo(format) { $0.stroke() }
        case .points: try await echo(format) { $0.points() }
        case .landmarks: try await echo(format) { $0.landmarks() }
        case .hands: try await echo(format) { $0.hands() }
        case .results: try await echo(format) { $0.results() }
        case .vector: try await echo(format) { $0.vector() }
        case .bitmap: try await echo(format) { $0.bitmap() }
        case .recognition: try await echo(format) { $0.recognition() }
        case .ink: try await echo(format) { $0.ink() }
        default: Issue.record("no payloads of kind \(kind.name)")
        }
    }

    /// Receives messages that Python has written by hand, and sends the same frames, which Python compares byte by byte.
    private func exchange<P: WirePayload & Equatable>(_ format: MessageFormat, _ payloads: [P]) async throws {
        let frames = Self.frames(payloads)
        let log = LogLines()
        let kept = Collector<P>()
        let receiver = try receiving(format, into: kept, options: log.options)
        receiver.start()
        let peer = try PythonPeer(
            script: "Tests/peers/kinds_peer.py", format.rawValue, P.kind.rawValue, "tcp://127.0.0.1:*")
        let endpoint = try #require(await peer.next("at"))
        peer.say(await log.next("bound to "))
        #expect(await receiver.finished().isSuccess)
        #expect(kept.frames == frames)
        try await send(frames, format, to: endpoint)
        #expect(await peer.next("same") == "\(frames.count + 1)")
    }

    @Test(
        "The Python peer and pipectl write the same bytes for every kind of frame and read the same frames from them",
        arguments: MessageFormat.allCases, PayloadKind.standard)
    func everyKind(format: MessageFormat, kind: PayloadKind) async throws {
        switch kind {
        case .stroke: try await exchange(format, PeerPayloads.strokes)
        case .points: try await exchange(format, PeerPayloads.points)
        case .landmarks: try await exchange(format, PeerPayloads.landmarks)
        case .hands: try await exchange(format, PeerPayloads.hands)
        case .results: try await exchange(format, PeerPayloads.results)
        case .vector: try await exchange(format, PeerPayloads.vectors)
        case .bitmap: try await exchange(format, PeerPayloads.bitmaps)
        case .recognition: try await exchange(format, PeerPayloads.recognitions)
        case .ink: try await exchange(format, PeerPayloads.inks)
        default: Issue.record("no payloads of kind \(kind.name)")
        }
    }

    @Test(
        "The Python peer gets failed frames as the same bytes that it would write itself",
        arguments: MessageFormat.allCases
    )
    func failedFrames(format: MessageFormat) async throws {
        let peer = try PythonPeer(script: "Tests/peers/kinds_peer.py", format.rawValue, "error", "tcp://127.0.0.1:*")
        let endpoint = try #require(await peer.next("at"))
        // The peer sends no messages of this kind, so it needs no address to send to.
        peer.say("")
        try await send(Self.frames(PeerPayloads.errors), format, to: endpoint)
        #expect(await peer.next("same") == "3")
    }

    @Test("The Python examples send strokes and show what was recognized", arguments: MessageFormat.allCases)
    func examples(format: MessageFormat) async throws {
        let text = """
            version: 1
            sources:
              - zmq: { id: pen, bind: "tcp://127.0.0.1:*", socket: pull, kind: stroke, decode: { format: \(format.rawValue) } }
            stages:
              - resample: { points: 16 }
              - normalize: { scale: none }
              - vectorize
              - match: { library: Samples/shapes.json }
            sinks:
              - zmq: { id: out, bind: "tcp://127.0.0.1:*", socket: pub, wait_for_subscribers: 1, encode: \(format.rawValue) }
            """
        let loaded = PipelineLoader(registry: .standard).load(text: text, baseDirectory: PythonPeer.folder)
        let log = LogLines()
        let run = Run(try #require(loaded.plan), options: log.options)
        run.start()
        let source = await log.next("pen: bound to ")
        let receiver = try PythonPeer(
            script: "Examples/Python/receive.py", await log.next("out: bound to "), format.rawValue)
        let sender = try PythonPeer(
            script: "Examples/Python/send.py", "Samples/session.jsonl", source, format.rawValue)
        #expect(await sender.next("24")?.hasPrefix("strokes sent to tcp://127.0.0.1:") == true)
        let first = try #require(await receiver.next("pen/1"))
        #expect(first.contains("0.400 s") && first.contains("circle"))
        let report = await run.finished()
        #expect(report.isSuccess)
        #expect(report.ledger.nodes.first { $0.id == "pen" }?.emitted == 24)
    }

    @Test("The Python example shows what was recognized for each hand")
    func handResults() async throws {
        let text = """
            version: 1
            sources:
              - file: { path: Samples/two-hands.jsonl, kind: hands, space: normalized, y: down }
            stages:
              - each: { stages: [recognize_hand: { canned: { score_threshold: 0.6 } }] }
            sinks:
              - zmq: { id: out, bind: "tcp://127.0.0.1:*", socket: pub, wait_for_subscribers: 1 }
            """
        let loaded = PipelineLoader(registry: .standard).load(text: text, baseDirectory: PythonPeer.folder)
        let log = LogLines()
        let run = Run(try #require(loaded.plan), options: log.options)
        run.start()
        let receiver = try PythonPeer(script: "Examples/Python/receive.py", await log.next("out: bound to "))
        // In the first frame of the sample, the right hand is open and the left one shows a V.
        for (gesture, hand) in [("Open_Palm", "Right"), ("Victory", "Left")] {
            let line = try #require(await receiver.next("camera/1"))
            #expect(line.hasPrefix(" 0.000 s  \(gesture)  ") && line.hasSuffix("  \(hand)"), "\(line)")
        }
        #expect(await run.finished().isSuccess)
    }

    @Test("The Python example for MediaPipe sends hands that are read unchanged")
    func mediaPipeSender() async throws {
        let peer = try PythonPeer(script: "Tests/peers/mediapipe_message.py", "tcp://127.0.0.1:*", "90")
        let endpoint = try #require(await peer.next("at"))
        var options = ZMQSource.Options()
        options.kind = .hands
        options.ends = 1
        options.socketOptions.connect = [try ZMQEndpoint(endpoint)]
        let kept = Collector<Hands>()
        var plan = Plan.building()
        plan.add("camera", source: try ZMQSource.make(options, BuildContext(id: "camera")))
        plan.add("keep", sink: kept.sink())
        let report = await Run(plan).finished()
        #expect(report.isSuccess && report.ledger.nodes[0].lost == 0)
        let counts: [Int] = (0..<90).map { $0 % 3 }
        let times: [Int64] = (0..<90).map { $0 * 33_000 }
        #expect(kept.frames.map(\.payload.hands.count) == counts)
        #expect(kept.frames.map(\.timestamp.rawValue) == times)
        let both = kept.frames[2].payload.hands
        #expect(both.map(\.handedness) == ["Left", "Right"])
        #expect(both.map(\.handednessScore) == [0.9375, 0.875])
        let last = Landmarks.Point(x: 0.8125, y: 0.625, z: -0.15625)
        #expect(both[1].points[20] == last)
        #expect(both[0].world.count == 21)
        #expect(both[0].space == "normalized")
        #expect(both[0].topology == "hand21")
    }
}
