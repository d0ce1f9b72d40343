import Testing

@testable import Pipeline
@testable import PipelineCommand

@Suite("The report of a run as text")
struct RunReportTextTests {
    private func node(
        _ id: String, _ role: Ledger.Node.Role, in received: Int64, passed: Int64, absorbed: Int64 = 0,
        dropped: [DropReason: Int64] = [:], failed: Int64 = 0, out: Int64, p50: Int64? = nil, p99: Int64? = nil
    ) -> Ledger.Node {
        Ledger.Node(
            id: id, component: id, role: role, received: received, passed: passed, absorbed: absorbed,
            dropped: dropped, failed: failed, emitted: out, lost: 0, p50: p50, p99: p99)
    }

    private func report(
        failures: [RunReport.Failure] = [], notEnded: [String] = [], violations: [String] = [], edgeDrops: Int64 = 0
    ) -> RunReport {
        let nodes = [
            node("file", .source, in: 1205, passed: 1200, failed: 5, out: 1200),
            node(
                "segment", .stage, in: 1200, passed: 40, absorbed: 1150, dropped: ["too_short": 10], out: 40, p50: 840,
                p99: 41_000),
            node("stdout", .sink, in: 40, passed: 40, out: 0, p50: 2_500_000, p99: 12_345_678),
        ]
        let edge = Ledger.Edge(
            from: "segment", to: "stdout", offered: 40 + edgeDrops, taken: 40, left: 0,
            dropped: edgeDrops > 0 ? [.edgeFull: edgeDrops] : [:], isReadOutside: false, p50: nil, p99: nil)
        return RunReport(
            ledger: Ledger(nodes: nodes, edges: [edge]), failures: failures, notEnded: notEnded,
            violations: violations, duration: 1_234_000_000)
    }

    @Test(
        "Report of a run: for every node, it shows input, output, drops with their reasons, failures and latencies"
    )
    func text() {
        #expect(
            RunReportText(report: report(edgeDrops: 2)).text(.plain) == """
                node        in    out  dropped  failed     p50    p99
                file     1,205  1,200        0       5
                segment  1,200     40       10       0  840 ns  41 µs  too_short 10, absorbed 1,150
                stdout      40     40        0       0  2.5 ms  12 ms
                segment → stdout: dropped edge_full 2 of 42
                ledger: every frame is accounted for, in 1.2 s

                """)
    }

    @Test("Report of a run: a ledger that does not balance is called a defect, and the exit code is 1")
    func violation() {
        let report = report(violations: ["file: 3 in, but 2 ended"])
        #expect(RunOutcome.code(of: report, failOnLoss: false) == .failed)
        #expect(
            RunReportText(report: report).text(.plain).hasSuffix(
                "ledger: broken, which is a defect of this program\n  file: 3 in, but 2 ended\n"))
        let both = self.report(
            failures: [.init(node: "file", error: .environment("file.not_found", "gone"))], violations: ["x"])
        #expect(RunOutcome.code(of: both, failOnLoss: false) == .failed)
    }

    @Test(
        "Report of a run: the root cause decides the exit code",
        arguments: [
            (PipelineError.Category.configuration, ExitCode.configuration), (.environment, .environment),
            (.frame, .failed), (.defect, .failed),
        ])
    func causes(category: PipelineError.Category, code: ExitCode) {
        let cause = RunReport.Failure(node: "file", error: PipelineError(category, "a.b", "broken"))
        let consequence = RunReport.Failure(node: "stdout", error: .environment("c.d", "closed"))
        let report = report(failures: [cause, consequence], notEnded: ["stdout"])
        #expect(RunOutcome.code(of: report, failOnLoss: false) == code)
        let problems = RunOutcome.problems(of: report, failOnLoss: false)
        #expect(problems.first?.node == "file" && problems.first?.text == "broken")
        #expect(problems.first?.help == ["then stdout: closed [c.d]"])
    }

    @Test("Report of a run: a forced shutdown ends with 4, and names the nodes that had not ended")
    func forced() {
        let report = report(notEnded: ["file", "stdout"])
        #expect(RunOutcome.code(of: report, failOnLoss: false) == .forced)
        #expect(
            RunOutcome.problems(of: report, failOnLoss: false).map(\.text)
                == ["had to be ended by force: file, stdout"])
    }

    @Test(
        "Report of a run: with --fail-on-loss, lost and failed frames fail a run, and frames dropped on purpose do not"
    )
    func loss() {
        #expect(RunOutcome.code(of: report(), failOnLoss: false) == .done)
        #expect(RunOutcome.code(of: report(), failOnLoss: true) == .failed)
        #expect(RunOutcome.problems(of: report(edgeDrops: 2), failOnLoss: true).map(\.code) == ["run.loss"])
        var clean = Ledger(
            nodes: [node("filter", .stage, in: 3, passed: 1, dropped: ["filtered": 2], out: 1)], edges: [])
        func verdict() -> ExitCode {
            let report = RunReport(ledger: clean, failures: [], notEnded: [], violations: [], duration: 0)
            return RunOutcome.code(of: report, failOnLoss: true)
        }
        #expect(verdict() == .done)
        clean.nodes[0].lost = 1
        #expect(verdict() == .failed)
        // Frames that may have been lost after they left the run count as losses too.
        (clean.nodes[0].lost, clean.nodes[0].counts) = (0, ["connected": 1])
        #expect(verdict() == .done)
        clean.nodes[0].counts["lost_unknown"] = 1
        #expect(verdict() == .failed)
        let report = RunReport(ledger: clean, failures: [], notEnded: [], violations: [], duration: 0)
        #expect(
            RunOutcome.problems(of: report, failOnLoss: true).map(\.text)
                == ["frames of filter may have been lost, which --fail-on-loss forbids"])
    }

    @Test(
        "Report of a run: a time is shown with about two digits and its unit",
        arguments: [
            (nil, ""), (0, "0 ns"), (999, "999 ns"), (1000, "1.0 µs"), (9_960, "10 µs"), (12_345_678, "12 ms"),
            (2_000_000_000, "2.0 s"),
        ] as [(Int64?, String)])
    func times(nanoseconds: Int64?, text: String) {
        #expect(RunReportText.time(nanoseconds) == text)
    }
}
