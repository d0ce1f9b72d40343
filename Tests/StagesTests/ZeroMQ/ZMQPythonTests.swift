import Foundation
import Pipeline
import PipelineTesting
import Testing

@testable import Connectors
@testable import Stages

/// Returns strokes as the Python peer creates and expects them.
private func peerStrokes(_ count: Int, stream: StreamID) -> [Frame<Stroke>] {
    (0..<count).map { number in
        let sample = Sample(x: Double(number), y: Double(number) / 2)
        return Frame(
            // The peer's messages have no `start_us`, so a stroke starts at the time of its message.
            Stroke(samples: [sample], start: .microseconds(Int64(number) * 1000)),
            at: .microseconds(Int64(number) * 1000), stream: stream, sequence: Int64(number))
    }
}

@Suite(.enabled(if: PythonPeer.isThere, "scripts/peers makes the Python environment these tests need"))
struct ZMQPythonTests {
    @Test("ZeroMQ: strokes that a Python program pushes are received unchanged")
    func fromPython() async throws {
        let log = LogLines()
        let kept = Collector<Stroke>()
        let source = try zmqSource { $0.socketOptions.bind = [try ZMQEndpoint("tcp://127.0.0.1:*")] }
        let receiver = zmqReceiving(source, into: kept, options: log.options)
        receiver.start()
        _ = try PythonPeer("send", "push", await log.next("bound to "), "1000")
        let report = await receiver.finished()
        #expect(report.isSuccess)
        #expect(report.ledger.nodes[0].lost == 0)
        for stream in ["pen/1", "手"] as [StreamID] {
            #expect(kept.frames.filter { $0.stream == stream } == peerStrokes(1000, stream: stream))
        }
    }

    @Test("ZeroMQ: strokes that are pushed to a Python program are what it expects")
    func toPython() async throws {
        let peer = try PythonPeer("receive", "pull", "tcp://127.0.0.1:*", "2")
        let endpoint = try #require(await peer.next("at"))
        let sink = try zmqSink { $0.socketOptions.connect = [try ZMQEndpoint(endpoint)] }
        let items = peerStrokes(1000, stream: "pen/1") + peerStrokes(500, stream: "手")
        let report = await zmqSending(items.map { .frame($0) }, to: sink).finished()
        #expect(report.isSuccess)
        #expect(await peer.next("saw") == "{\"pen/1\": 1000, \"\\u624b\": 500}")
    }

    @Test("ZeroMQ: strokes that are published to a Python program are what it expects")
    func publishedToPython() async throws {
        let log = LogLines()
        let sink = try zmqSink {
            $0.socket = .pub
            $0.waitForSubscribers = 1
            $0.socketOptions.bind = [try ZMQEndpoint("tcp://127.0.0.1:*")]
        }
        let sender = zmqSending(peerStrokes(900, stream: "pen/1").map { .frame($0) }, to: sink, options: log.options)
        sender.start()
        let peer = try PythonPeer("receive", "sub", await log.next("bound to "), "1")
        #expect(await peer.next("saw") == "{\"pen/1\": 900}")
        #expect(await sender.finished().isSuccess)
    }
}
