import CZMQ
import Dispatch
import Pipeline
import PipelineTesting
import Testing

@testable import Stages

@Suite("What a publisher owes to those who are behind, and to those who ask too much")
struct ZMQPublisherTests {
    /// A run that publishes what is put into a stream.
    private func publishing(
        _ endpoint: ZMQEndpoint, options: Run.Options, _ change: (inout ZMQSink.Options) -> Void = { _ in }
    ) throws -> (run: Run, frames: AsyncStream<Frame<Stroke>>.Continuation) {
        let (frames, continuation) = AsyncStream<Frame<Stroke>>.makeStream()
        let sink = try zmqSink {
            $0.socket = .pub
            $0.socketOptions.bind = [endpoint]
            change(&$0)
        }
        var plan = Plan.building()
        plan.add("in", source: SequenceSource(frames))
        plan.add("out", sink: sink)
        return (Run(plan, options: options), continuation)
    }

    @Test("what a stalled subscriber has lost at the end of a burst is counted, though nothing comes behind it")
    func tail() async throws {
        let count = 30_000
        let log = LogLines()
        let (publisher, frames) = try publishing(try ZMQEndpoint("tcp://127.0.0.1:*"), options: log.options) {
            $0.waitForSubscribers = 1
            $0.sendHWM = 10
            $0.repeatMs = 20
        }
        publisher.start()
        let endpoint = try ZMQEndpoint(await log.next("bound to "))
        let source = try zmqSource {
            $0.socket = .sub
            $0.receiveHWM = 10
            $0.socketOptions.connect = [endpoint]
        }
        let (missing, told) = AsyncStream<Int64>.makeStream()
        var options = Run.Options()
        options.onDrop = { record in if record.reason == .lost { told.yield(record.count) } }
        let (subscriber, arriving, gate) = zmqStalled(source, options: options)
        subscriber.start()
        for frame in zmqStrokes(count, stream: "pen") { frames.yield(frame) }
        // When this one has come all have been written; it does not end the stream of the others.
        gate.signal()
        let (known, tell) = AsyncStream<Int64>.makeStream()
        let counts = [
            Task { for await _ in arriving { tell.yield(1) } }, Task { for await lost in missing { tell.yield(lost) } },
        ]
        var total: Int64 = 0
        for await count in known {
            total += count
            if total >= 30_000 { break }
        }
        #expect(total == Int64(count))
        for count in counts { count.cancel() }
        subscriber.stop()
        let report = await subscriber.finished()
        #expect(report.isSuccess)
        let node = report.ledger.nodes[0]
        #expect(node.received + node.lost == Int64(count))
        #expect(node.lost > 0)
        #expect(node.failed == 0)
        frames.finish()
        #expect(await publisher.finished().isSuccess)
    }

    @Test("a subscriber that subscribes without end is disconnected, and one beside it gets every frame")
    func flood() async throws {
        let log = LogLines()
        let (publisher, frames) = try publishing(try ZMQEndpoint("tcp://127.0.0.1:*"), options: log.options) {
            $0.waitForSubscribers = 1
        }
        publisher.start()
        let endpoint = await log.next("bound to ")
        let kept = Collector<Stroke>()
        let subscriber = zmqReceiving(
            try zmqSource {
                $0.socket = .sub
                $0.socketOptions.connect = [try ZMQEndpoint(endpoint)]
            }, into: kept)
        subscriber.start()
        // Nothing is sent meanwhile, so that no frame makes the publisher look.
        _ = await log.next("connected: ")
        let peer = try #require(RawConnection(endpoint))
        #expect(peer.say(ZMTP.greeting() + ZMTP.ready("SUB")))
        let again = Array(repeatElement(ZMTP.frame([1, 0x78]), count: 1000).joined())
        let isHungUp = await withCheckedContinuation { continuation in
            startThread {
                // Twenty seconds and more at full speed.
                for _ in 0..<100_000 where !peer.say(again) { return continuation.resume(returning: true) }
                continuation.resume(returning: false)
            }
        }
        #expect(isHungUp)
        for frame in zmqStrokes(500, stream: "pen") { frames.yield(frame) }
        frames.finish()
        let report = await publisher.finished()
        #expect(report.isSuccess)
        #expect(report.ledger.nodes[1].counts["subscribers_refused", default: 0] > 0)
        #expect(log.all.contains { $0.contains("a subscriber was disconnected") })
        #expect(await subscriber.finished().isSuccess)
        #expect(kept.frames.count == 500)
    }
}
