import Pipeline
import PipelineTesting
import Testing

@testable import Stages

@Suite(
    "A Python program", .enabled(if: PythonPeer.isThere, "scripts/peers makes the Python environment these tests need"))
struct CodecPeerTests {
    /// Sends frames to Python, which writes them anew and sends them back.
    private func echo<P: WirePayload & Equatable>(
        _ format: MessageFormat, _ make: (inout PayloadGenerator) -> P
    ) async throws {
        var generator = PayloadGenerator(seed: 77)
        let frames = (0..<60).map { index in
            Frame(
                make(&generator), at: .microseconds(Int64(index) * 1000 + 5), stream: "手/1", sequence: Int64(index),
                origin: Origin(unknown: [.init(key: "note", json: #"{"a":[1,2.5,null,"x"]}"#)]))
        }
        let log = LogLines()
        var receiving = ZMQSource.Options()
        receiving.socket = .pull
        receiving.kind = try #require(PayloadKind(rawValue: P.kind.rawValue))
        receiving.socketOptions.bind = [try ZMQEndpoint("tcp://127.0.0.1:*")]
        receiving.decode.format = format == .msgpack ? .msgpack : .json
        let kept = Collector<P>()
        var plan = Plan.building()
        plan.add("camera", source: try ZMQSource.make(receiving, BuildContext(id: "camera")))
        plan.add("keep", sink: kept.sink())
        let receiver = Run(plan, options: log.options)
        receiver.start()
        let peer = try PythonPeer(script: "Tests/peers/codec_peer.py", format.rawValue, "tcp://127.0.0.1:*")
        let endpoint = try #require(await peer.next("at"))
        peer.say(await log.next("bound to "))

        var sending = ZMQSink.Options()
        sending.socket = .push
        sending.encode = format
        sending.socketOptions.connect = [try ZMQEndpoint(endpoint)]
        var sender = Plan.building()
        sender.add("in", source: FramesSource<P>(items: frames.map { .frame($0) }))
        sender.add("out", sink: try ZMQSink.make(sending, for: PortType(P.self), BuildContext(id: "out")))
        #expect(await Run(sender).finished().isSuccess)
        // Without an echo nobody would end the receiver.
        try #require(await peer.next("echoed") == "61")
        #expect(await receiver.finished().isSuccess)
        #expect(kept.frames == frames)
        #expect(kept.frames.allSatisfy { $0.origin?.unknown.map(\.key) == ["note"] })
    }

    @Test(
        "reads and writes every kind of frame in both syntaxes, and nothing changes", arguments: MessageFormat.allCases)
    func everyKind(format: MessageFormat) async throws {
        try await echo(format) { $0.stroke() }
        try await echo(format) { $0.points() }
        try await echo(format) { $0.landmarks() }
        try await echo(format) { $0.hands() }
        try await echo(format) { $0.vector() }
        try await echo(format) { $0.bitmap() }
        try await echo(format) { $0.recognition() }
        try await echo(format) { $0.ink() }
    }

    @Test("of the examples sends strokes, and another shows what was recognised", arguments: MessageFormat.allCases)
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

    @Test("that sends what MediaPipe sees sends hands that are read as they are")
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
