import Testing

@testable import Pipeline

@Suite("The ledger of a canceled run")
struct LedgerTests {
    private func node(_ id: String, _ role: Ledger.Node.Role, in received: Int64, out: Int64, lost: Int64 = 0)
        -> Ledger.Node
    {
        Ledger.Node(
            id: id, component: id, role: role, received: received, passed: received - lost, absorbed: 0, dropped: [:],
            failed: 0, emitted: out, lost: 0)
    }

    private func edge(_ from: String, _ to: String, _ offered: Int64, taken: Int64, left: Int64) -> Ledger.Edge {
        Ledger.Edge(
            from: from, to: to, offered: offered, taken: taken, left: left, dropped: [:], isReadOutside: false)
    }

    /// Returns the ledger of `in → stage, last → out`, where `stage` calls `last` directly; ten frames were read. The given
    /// numbers of frames are missing from the outcomes of `stage` and `in`.
    private func ledger(stage lost: Int64 = 0, source sourceLost: Int64 = 0) -> Ledger {
        var ledger = Ledger(
            nodes: [
                node("in", .source, in: 10, out: 10 - sourceLost, lost: sourceLost),
                node("stage", .stage, in: 6, out: 6, lost: lost), node("last", .stage, in: 6, out: 6),
                node("out", .sink, in: 5, out: 0),
            ],
            edges: [edge("in", "stage", 10, taken: 6, left: 4), edge("last", "out", 6, taken: 5, left: 1)])
        ledger.fused = [Ledger.Call(from: "stage", to: "last")]
        return ledger
    }

    @Test("The ledger of a canceled run checks the nodes that had ended, and leaves out those that were canceled")
    func open() {
        #expect(ledger().violations(isClean: false) == [])
        #expect(ledger(stage: 1).violations(isClean: false) == ["stage: 6 in, but 5 ended"])
        #expect(ledger(stage: 1).violations(isClean: false, open: ["stage"]) == [])
        #expect(ledger(stage: 1).violations(isClean: false, open: ["out"]) == ["stage: 6 in, but 5 ended"])
        let broken = ledger(source: 1).violations(isClean: false, open: ["stage"])
        #expect(broken == ["in: 10 in, but 9 ended"])
    }

    @Test("The ledger of a canceled run leaves out a fused stage with the task that calls it")
    func fused() {
        var ledger = ledger()
        ledger.nodes[2].passed = 4
        #expect(ledger.violations(isClean: false) == ["last: 6 in, but 4 ended"])
        #expect(ledger.violations(isClean: false, open: ["stage"]) == [])
    }

    @Test(
        "The ledger counts no loss for frames that another process reads again, or whose reader is gone, at nodes and edges"
    )
    func released() {
        var ledger = ledger()
        ledger.nodes[1].dropped = [.released: 1, .readerGone: 1]
        ledger.edges[0].dropped = [.released: 4, .readerGone: 2]
        #expect(ledger.losses == 0)
        ledger.nodes[1].dropped = [.late: 1, .released: 1]
        ledger.edges[0].dropped = [.edgeFull: 2, .released: 4]
        #expect(ledger.losses == 3)
    }
}
