import Foundation
import Pipeline
import PipelineComponents
import PipelineTesting
import Testing

@testable import Connectors
@testable import Stages

@Suite(
    "Faults over ZeroMQ, with programs of another language",
    .enabled(if: PythonPeer.isThere, "scripts/peers makes the Python environment these tests need"))
struct ZMQFaultTests {
    private static let restarts = ProcessInfo.processInfo.environment["PIPELINE_DEEP_RESTARTS"].flatMap { Int($0) } ?? 5

    @Test(
        "ZeroMQ with Python peers: killing and restarting a sender repeatedly causes neither losses nor duplicates"
    )
    func restarts() async throws {
        let log = LogLines()
        let (frames, continuation) = AsyncStream<Frame<Stroke>>.makeStream()
        let ended = Collector<Stroke>()
        var plan = Plan.building()
        plan.add(
            "camera",
            source: try zmqSource {
                $0.socketOptions.bind = [try ZMQEndpoint("tcp://127.0.0.1:*")]
                $0.ends = 1
            })
        plan.add("tell", sink: ForwardingSink(output: continuation), from: ["camera"])
        plan.add("keep", sink: ended.sink(), from: ["camera"])
        let run = Run(plan, options: log.options)
        run.start()
        let endpoint = await log.next("bound to ")
        var iterator = frames.makeAsyncIterator()
        for _ in 0..<Self.restarts {
            let peer = try PythonPeer("forever", "push", endpoint, "0")
            // Frames of the previous sender may still be in flight, and come first.
            while let frame = await iterator.next(), frame.sequence != 0 {}
            for _ in 0..<20 { _ = await iterator.next() }
            peer.kill()
        }
        let last = RawPeer()
        #expect(last.connect(endpoint))
        last.stroke("pen/1", 0, at: Int(Date().timeIntervalSince1970 * 1e6) + 10_000_000, end: true)
        let report = await run.finished()
        #expect(report.isSuccess)
        let node = report.ledger.nodes[0]
        #expect(node.lost == 0)
        #expect(node.dropped == [:])
        #expect(node.failed == 0)
        // Each sender started a new epoch, which ended the previous one.
        #expect(ended.ended.count == Self.restarts + 1)
        #expect(ended.frames.allSatisfy { $0.gap == 0 })
        #expect(node.counts["connected"] == Int64(Self.restarts + 1))
    }

    @Test(
        "ZeroMQ with Python peers: for a burst to a stalled subscriber, received and lost frames add up to those sent")
    func burst() async throws {
        let count = 200_000
        let log = LogLines()
        let source = try zmqSource {
            $0.socket = .sub
            $0.socketOptions.bind = [try ZMQEndpoint("tcp://127.0.0.1:*")]
            $0.ends = 1
        }
        let (run, frames, gate) = zmqStalled(source, options: log.options)
        run.start()
        let peer = try PythonPeer("burst", "pub", await log.next("bound to "), "\(count)")
        #expect(await peer.next("sent") == "\(count)")
        gate.signal()
        let report = await run.finished()
        #expect(report.isSuccess)
        let node = report.ledger.nodes[0]
        #expect(node.received + node.lost == Int64(count + 1))
        #expect(node.lost > 0)
        var (arrived, missing, last) = (0, 0, Int64(-1))
        for await frame in frames {
            arrived += 1
            missing += Int(frame.gap)
            #expect(frame.sequence == last + 1 + Int64(frame.gap))
            last = frame.sequence
        }
        #expect(arrived + missing == count + 1)
        #expect(last == Int64(count))
    }

    @Test("ZeroMQ with Python peers: a client in Python is accepted with the public key that pipectl keys would print")
    func curve() async throws {
        let (publicKey, secretKey) = try CurveKey.makePair()
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/server.key_secret"
        try CurveKeyFile.write(
            CurveKeyFile.text(publicKey: publicKey, secretKey: secretKey), to: path, isSecret: true)
        let log = LogLines()
        let kept = Collector<Stroke>()
        let source = try zmqSource {
            $0.socketOptions.bind = [try ZMQEndpoint("tcp://127.0.0.1:*")]
            var curve = CurveOptions()
            curve.server = true
            curve.secretKeyFile = SecretPath(path)
            $0.socketOptions.curve = curve
        }
        let receiver = zmqReceiving(source, into: kept, options: log.options)
        receiver.start()
        let peer = try PythonPeer("curve", "push", await log.next("bound to "), publicKey.text)
        #expect(await receiver.finished().isSuccess)
        #expect(kept.frames.map(\.sequence) == [0, 1, 2])
        peer.kill()
    }

    @Test("ZeroMQ with Python peers: the worker in Examples answers what the pipeline in Configs asks")
    func worker() async throws {
        let peer = try PythonPeer(script: "Examples/Python/worker.py", "tcp://127.0.0.1:*")
        defer { peer.kill() }
        let endpoint = try #require(await peer.next("waiting for requests at"))
        var options = ZMQRequest.Options()
        options.socketOptions.connect = [try ZMQEndpoint(endpoint)]
        options.kind = .recognition
        let stage = try ZMQRequest.make(options, for: PortType(Stroke.self), BuildContext(id: "ask"))
        let typed = try #require(stage as? ZMQRequester<Stroke, Recognition>)
        let square = [(0.0, 0.0), (10, 0), (10, 10), (0, 10), (0, 1)]
        let strokes = [Array(square), Array(square.prefix(3)), Array(square.prefix(1))].enumerated().map {
            index, points in
            Frame(
                Stroke(samples: points.map { Sample(x: $0.0, y: $0.1) }), at: .milliseconds(Int64(index)), stream: "a",
                sequence: Int64(index))
        }
        let kept = Collector<Recognition>()
        let log = LogLines()
        var plan = Plan.building()
        plan.add("in", source: FramesSource(strokes))
        plan.add("ask", asyncStage: typed, onError: .skip)
        plan.add("out", sink: kept.sink())
        #expect(await Run(plan, options: log.options).finished().isSuccess)
        #expect(kept.frames.map { $0.payload.categories.first?.name } == ["closed", "open"])
        #expect(log.all.contains { $0.contains("the worker says: one point is no gesture") })
    }
}
