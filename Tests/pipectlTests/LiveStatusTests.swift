import Foundation
import PipelineTesting
import Testing

@testable import Pipeline
@testable import PipelineCommand

@Suite("The status line of a live pipeline")
struct LiveStatusTests {
    private func ledger(received: Int64, dropped: Int64, age: Int64?) -> Ledger {
        func node(_ id: String, _ role: Ledger.Node.Role, _ received: Int64, age: Int64? = nil) -> Ledger.Node {
            var node = Ledger.Node(
                id: id, component: id, role: role, received: received, passed: received, absorbed: 0, dropped: [:],
                failed: 0, emitted: received, lost: 0)
            node.age = age
            return node
        }
        let edge = Ledger.Edge(
            from: "pen", to: "out", offered: received, taken: received - dropped, left: 0,
            dropped: [.edgeFull: dropped], isReadOutside: false)
        return Ledger(nodes: [node("pen", .source, received), node("out", .sink, 5, age: age)], edges: [edge])
    }

    @Test("Status line: it shows input and loss of the last second, and the age of the last result")
    func window() {
        let meter = LiveStatusMeter(start: 0)
        #expect(meter.measure(ledger(received: 0, dropped: 0, age: nil), now: 0).words == "0 frames/s  0 lost/s")
        // A hundred frames every 100 ms, then none for two seconds.
        for tenth in 1...30 as ClosedRange<Int64> {
            let status = meter.measure(
                ledger(received: 100 * tenth, dropped: 90 * tenth, age: 12_000_000), now: tenth * 100_000_000)
            #expect(status.words == "1,000 frames/s  900 lost/s  age 12 ms")
        }
        var last = LiveStatus()
        for tenth in 31...50 as ClosedRange<Int64> {
            last = meter.measure(ledger(received: 3000, dropped: 2700, age: 8_000_000), now: tenth * 100_000_000)
        }
        #expect(last.words == "0 frames/s  0 lost/s  age 8.0 ms")
    }

    @Test("Status line: the first one shows input and loss since the start")
    func first() {
        let meter = LiveStatusMeter(start: 2_000_000_000)
        let status = meter.measure(ledger(received: 1000, dropped: 900, age: nil), now: 7_000_000_000)
        #expect(status.words == "200 frames/s  180 lost/s")
    }

    @Test(
        "Status line: slow streams have a rate too, and no line is wider than its terminal",
        arguments: [0, 1, 10, 30, 80])
    func width(columns: Int) {
        let status = LiveStatus(elapsed: 1, rate: 0.5, lossRate: 1_234_567.4, age: 1_500_000_000)
        #expect(status.words == "0.5 frames/s  1,234,567 lost/s  age 1.5 s")
        #expect(status.line(width: columns).count <= max(0, columns - 1))
    }

    /// A live pipeline that runs for half a second.
    private let live = """
        version: 1
        mode: live
        sources:
          - synthetic: { rate: 1, rate_hz: 200, count: 100, points: 4 }
        sinks:
          - stdout: { format: jsonl }

        """

    /// Runs the pipeline with a terminal for its messages. Returns both outputs.
    private func onTerminal(_ flags: [String]) throws -> (results: String, messages: String) {
        let folder = try TemporaryFolder()
        try folder.write("live.yaml", live)
        let terminal = try PseudoTerminal()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try Program.path())
        process.arguments = ["run", "live.yaml"] + flags
        process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
        process.environment = ProcessInfo.processInfo.environment.merging(["NO_COLOR": "1", "TERM": "xterm"]) { $1 }
        let results = Pipe()
        process.standardOutput = results
        process.standardError = terminal.line
        try process.run()
        nonisolated(unsafe) var output = Data()
        let group = DispatchGroup()
        group.enter()
        Thread.detachNewThread {
            output = (try? results.fileHandleForReading.readToEnd()) ?? Data()
            group.leave()
        }
        // A terminal ends lines with two characters.
        let messages = try terminal.readToEnd().replacingOccurrences(of: "\r\n", with: "\n")
        group.wait()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return (String(decoding: output, as: UTF8.self), messages)
    }

    @Test("Status line: on a terminal, it is drawn in place and removed at the end, and results contain nothing of it")
    func terminal() throws {
        let (results, messages) = try onTerminal([])
        #expect(results.split(separator: "\n").count == 100)
        #expect(!results.contains("\u{1B}") && !results.contains("frames/s"))
        let clear = "\r\u{1B}[K"
        let drawn = messages.components(separatedBy: clear)
        #expect(drawn.count >= 3)
        // The line may be cleared again before other text is printed.
        let lines = drawn.dropFirst().dropLast().filter { !$0.isEmpty }
        #expect(lines.allSatisfy { $0.contains(" frames/s  ") && !$0.contains("\n") })
        // The text after the last clearing of the line is the report.
        #expect(drawn.last?.hasPrefix("node") == true)
        // Without color, clearing the line is the only escape sequence.
        #expect(!messages.replacingOccurrences(of: clear, with: "").contains("\u{1B}"))
    }

    @Test("Status line: -q switches it off")
    func quiet() throws {
        #expect(try onTerminal(["-q"]).messages == "")
    }
}
