import Pipeline
import PipelineTesting
import Stages
import Testing

@Suite struct ZMQRunTests {
    @Test("what is pushed arrives whole, in order and once, and the end of the stream ends the receiver")
    func pushAndPull() async throws {
        let log = LogLines()
        let kept = Collector<Stroke>()
        let source = try zmqSource { $0.socketOptions.bind = [try ZMQEndpoint("tcp://127.0.0.1:*")] }
        let receiver = zmqReceiving(source, into: kept, options: log.options)
        receiver.start()
        let endpoint = await log.next("bound to ")
        let sink = try zmqSink { $0.socketOptions.connect = [try ZMQEndpoint(endpoint)] }
        // More than fits into the sockets, so that the two sides wait for each other.
        let sent = zmqStrokes(5000, stream: "pen/1")
        let sender = await zmqSending(sent.map { .frame($0) }, to: sink).finished()
        #expect(sender.isSuccess)
        let report = await receiver.finished()
        #expect(report.isSuccess)
        #expect(kept.frames == sent)
        #expect(kept.ended == ["pen/1"])
        #expect(report.ledger.nodes[0].lost == 0)
    }
}
