import Testing

@testable import Pipeline
@testable import PipelineServer

@Suite("The rates of a served run")
struct RateMeterTests {
    private func ledger(_ received: Int64) -> Ledger {
        Ledger(
            nodes: [
                .init(
                    id: "in", component: "in", role: .source, received: received, passed: received, absorbed: 0,
                    dropped: [:],
                    failed: 0, emitted: received, lost: 0)
            ], edges: [])
    }

    @Test("A rate over the last second needs samples of about the last second")
    func span() {
        var meter = RateMeter()
        meter.add(ledger(0), at: 0)
        #expect(meter.node(0, seconds: 1) == nil)
        // Nobody looked for ten seconds, so it is not known when the frames came.
        meter.add(ledger(3000), at: 10_000)
        #expect(meter.node(0, seconds: 1) == nil)
        #expect(meter.node(0, seconds: 60)?.received == 300)
        meter.add(ledger(3500), at: 11_000)
        #expect(meter.node(0, seconds: 1)?.received == 500)
    }
}
