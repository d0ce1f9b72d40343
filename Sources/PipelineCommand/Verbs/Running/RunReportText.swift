import Pipeline
import PipelineComponents

/// Writes the report of a run as text and as JSON: the counts of every node, the drops of every edge, the duration, and whether
/// the ledger balances.
struct RunReportText: Sendable {
    /// The outcome of the run.
    let report: RunReport
    /// Whether the run took place in simulated time.
    var isSimulated = false
    /// The flags whose files could not be written, which count as failures in JSON.
    var unwritten: [(flag: String, error: PipelineError)] = []

    private var ledger: Ledger { report.ledger }
    private var seconds: Double { Double(report.duration) / 1e9 }

    /// Whether any node received or emitted a frame.
    var hasFrames: Bool { ledger.nodes.contains { $0.received > 0 || $0.emitted > 0 } }

    /// Returns the report as text.
    func text(_ style: Style) -> String {
        var table = Table([
            ("node", .left), ("in", .right), ("out", .right), ("dropped", .right), ("failed", .right), ("p50", .right),
            ("p99", .right), ("", .left),
        ])
        for node in ledger.nodes {
            let out = node.role == .sink ? node.passed : node.emitted
            table.add([
                node.id, count(node.received), count(out), count(node.dropped.values.reduce(0, +)),
                count(node.failed),
                Self.time(node.p50), Self.time(node.p99), notes(node),
            ])
        }
        var text = table.text(style)
        for edge in ledger.edges where edge.droppedTotal > 0 {
            text += "\(edge.from) → \(edge.to): dropped \(reasons(edge.dropped)) of \(count(edge.offered))\n"
        }
        if !report.notEnded.isEmpty {
            text +=
                style.warning("ledger: left open") + ", \(report.notEnded.joined(separator: ", ")) still held frames\n"
        } else if report.violations.isEmpty {
            text += style.good("ledger: every frame is accounted for") + ", in \(ProgressBar.duration(seconds))"
            text += isSimulated ? " of simulated time\n" : "\n"
        } else {
            text += style.error("ledger: broken, which is a defect of this program") + "\n"
            for violation in report.violations { text += "  \(violation)\n" }
        }
        return text
    }

    /// The report as a message whose data is the JSON report.
    var message: Notice {
        var message = Notice(.info, "the run has ended")
        message.data = [("report", json)]
        return message
    }

    /// The report as JSON.
    var json: JSONValue { .object(members) }

    /// The keys and values of the JSON report, in order.
    var members: [(key: String, value: JSONValue)] {
        [
            ("version", .integer(1)), ("seconds", .number(seconds)), ("simulated", .boolean(isSimulated)),
            (
                "nodes",
                .array(
                    ledger.nodes.map { node in
                        .object([
                            ("id", .string(node.id)), ("component", .string(node.component)),
                            ("role", .string(node.role.rawValue)), ("in", .integer(Int(node.received))),
                            ("out", .integer(Int(node.role == .sink ? node.passed : node.emitted))),
                            ("passed", .integer(Int(node.passed))), ("absorbed", .integer(Int(node.absorbed))),
                            ("dropped", reasonsJSON(node.dropped)), ("failed", .integer(Int(node.failed))),
                            ("join", joinJSON(node.alignment)),
                            ("lost", .integer(Int(node.lost))), ("p50_ns", .optional(node.p50)),
                            ("p99_ns", .optional(node.p99)),
                            (
                                "counts",
                                .object(
                                    node.counts.sorted { $0.key < $1.key }.map { ($0.key, .integer(Int($0.value))) })
                            ),
                            (
                                "levels",
                                .object(
                                    node.levels.sorted { $0.key < $1.key }.map { ($0.key, .integer(Int($0.value))) })
                            ),
                        ])
                    })
            ),
            (
                "edges",
                .array(
                    ledger.edges.map { edge in
                        .object([
                            ("from", .string(edge.from)), ("to", .string(edge.to)),
                            ("offered", .integer(Int(edge.offered))), ("taken", .integer(Int(edge.taken))),
                            ("left", .integer(Int(edge.left))), ("dropped", reasonsJSON(edge.dropped)),
                        ])
                    })
            ),
            ("losses", .integer(Int(ledger.losses))), ("violations", .array(report.violations.map { .string($0) })),
            (
                "failures",
                .array(
                    (report.failures.map { ($0.node, $0.error) } + unwritten).map { node, error in
                        .object([
                            ("node", .string(node)), ("code", .string(error.code)), ("message", .string(error.message)),
                            ("location", .optional(error.location)), ("help", .optional(error.help)),
                        ])
                    })
            ),
            ("not_ended", .array(report.notEnded.map { .string($0) })),
        ]
    }

    private func notes(_ node: Ledger.Node) -> String {
        var notes: [String] = []
        if let join = node.alignment {
            let rest = join.dropped.values.contains { $0 > 0 } ? ", " + reasons(join.dropped) : ""
            notes.append(
                "\(count(join.frames)) frames in \(count(join.sets)) sets: used \(count(join.used))\(rest)")
        }
        if !node.dropped.isEmpty { notes.append(reasons(node.dropped)) }
        if node.absorbed > 0 { notes.append("absorbed \(count(node.absorbed))") }
        if node.lost > 0 { notes.append("lost on the wire \(count(node.lost))") }
        for (name, value) in (node.counts.merging(node.levels) { $1 }).sorted(by: { $0.key < $1.key }) {
            notes.append("\(name.replacing("_", with: " ")) \(count(value))")
        }
        return notes.joined(separator: ", ")
    }

    private func reasons(_ dropped: [DropReason: Int64]) -> String {
        sorted(dropped).map { "\($0.key) \(count($0.value))" }.joined(separator: ", ")
    }

    private func reasonsJSON(_ dropped: [DropReason: Int64]) -> JSONValue {
        .object(sorted(dropped).map { ($0.key.rawValue, .integer(Int($0.value))) })
    }

    private func joinJSON(_ join: Ledger.Alignment?) -> JSONValue {
        guard let join else { return .null }
        return .object([
            ("frames", .integer(Int(join.frames))), ("sets", .integer(Int(join.sets))),
            ("used", .integer(Int(join.used))), ("dropped", reasonsJSON(join.dropped)),
        ])
    }

    private func sorted(_ dropped: [DropReason: Int64]) -> [(key: DropReason, value: Int64)] {
        dropped.filter { $0.value > 0 }.sorted { $0.key.rawValue < $1.key.rawValue }
    }

    private func count(_ value: Int64) -> String { ProgressBar.grouped(value) }

    /// Returns a time with its unit: `840 ns`, `4.1 µs`, `12 ms`.
    static func time(_ nanoseconds: Int64?) -> String {
        guard let nanoseconds else { return "" }
        let value = Double(nanoseconds)
        for (limit, divisor, unit) in [(1e3, 1.0, "ns"), (1e6, 1e3, "µs"), (1e9, 1e6, "ms")] where value < limit {
            let scaled = value / divisor
            let isShort = scaled < 9.95 && divisor > 1
            let tenths = Int(saturating: scaled * 10)
            return isShort ? "\(tenths / 10).\(tenths % 10) \(unit)" : "\(Int(saturating: scaled)) \(unit)"
        }
        return ProgressBar.duration(value / 1e9)
    }
}
