import Pipeline
import PipelineComponents
import PipelineTesting
import Testing

@testable import Connectors
@testable import Stages

/// The pause between strokes on the machine's own clock: messages without a time get one when they arrive.
///
/// Nothing here measures time. The test only checks which strokes were grouped, however long that took. A wrong result would need
/// a pause of two seconds between two messages that are sent directly one after the other.
@Suite("segment on the real clock")
struct SegmentClockTests {
    private static let timeoutMs = 2000.0

    private func receiver(_ log: LogLines) throws -> Run {
        var zmq = ZMQSource.Options()
        zmq.kind = .points
        zmq.socket = .pull
        zmq.socketOptions.bind = [try ZMQEndpoint("tcp://127.0.0.1:*")]
        zmq.decode.missingTime = .receipt
        zmq.ends = 1
        var segment = Segment.Options()
        segment.multiStrokeTimeoutMs = Self.timeoutMs
        var plan = Plan.building(mode: .live)
        plan.add("pen", source: try ZMQSource.make(zmq, BuildContext(id: "pen", mode: .live)))
        plan.add("segment", stage: Segment(segment))
        plan.add("out", sink: Collector<Stroke>().sink())
        return Run(plan, options: log.options)
    }

    /// Draws a stroke of two points like a pen: down, then up.
    private func draw(_ pen: RawPeer, _ number: Int, last: Bool = false) {
        for (i, phase) in ["begin", "end"].enumerated() {
            let end = last && i == 1 ? ",\"end\":true" : ""
            pen.send(
                "pen/1",
                "{\"v\":1,\"seq\":\(2 * number + i),\"phase\":\"\(phase)\",\"stroke\":\(number),"
                    + "\"fields\":\"xy\",\"pts\":[\(number),\(i)]\(end)}")
        }
    }

    @Test(
        "segment on the real clock: strokes within the timeout are one gesture, which is emitted without further input"
    )
    func grouping() async throws {
        let log = LogLines()
        let run = try receiver(log)
        let gestures = try run.results(of: "segment", as: Stroke.self)
        run.start()
        let pen = RawPeer()
        try #require(pen.connect(await log.next("bound to ")))
        draw(pen, 0)
        draw(pen, 1)
        var found: [Frame<Stroke>] = []
        for try await gesture in gestures {
            found.append(gesture)
            // The pen rests until the clock alone has ended the gesture.
            if found.count == 1 { draw(pen, 2, last: true) }
        }
        #expect(await run.finished().isSuccess)
        #expect(found.map(\.payload.counts) == [[2, 2], []])
        #expect(found.map { $0.payload.samples.map(\.x) } == [[0, 0, 1, 1], [2, 2]])
        // The gesture's timestamp is the time at which the timeout was over, not the time at which this was noticed.
        let first = try #require(found.first)
        let penUp = first.payload.start.advanced(byMicroseconds: Int64(first.payload.samples.last?.t ?? 0))
        #expect(first.timestamp == penUp.advanced(byMilliseconds: Self.timeoutMs))
    }
}
