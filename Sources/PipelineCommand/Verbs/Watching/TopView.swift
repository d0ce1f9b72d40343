import Connectors
import Pipeline
import Stages

/// The state of a served run, as a table and as a line of text.
struct TopView {
    /// The order of the nodes.
    enum Order: String, CaseIterable, Sendable {
        case graph, rate, time, drops, losses
    }

    private struct Node {
        let name: String
        let received: Double?
        let emitted: Double?
        let p50: Int64?
        let p99: Int64?
        let queued: Int64
        /// The number of frames dropped for any reason.
        let dropped: Int64
        /// The number of lost frames: dropped for a reason that counts as a loss, or lost before they arrived.
        let lost: Int64
        let failed: Int64
    }

    private let title: String
    private let phase: String
    private let nodes: [Node]
    private let sources: (received: Double, isKnown: Bool)
    /// The number of frames per second that all nodes and edges drop.
    private let dropRate: Double
    /// The number of frames per second that are lost at all nodes and edges.
    private let lossRate: Double
    private let age: Int64?

    /// Creates a view of the response to `/api/state`.
    init(_ state: DocumentValue) {
        phase = state["phase"]?.string ?? "?"
        title = "\(state["identity"]?["name"]?.string ?? "?") (\(state["identity"]?["mode"]?.string ?? "?"))"
        let edges = state["edges"]?.elements ?? []
        let list = state["nodes"]?.elements ?? []
        nodes = list.map { node in
            let id = node["id"]?.string ?? "?"
            let incoming = edges.filter { $0["to"]?.string == id }
            let places = [node["dropped"], node["join"]?["dropped"]] + incoming.map { $0["dropped"] }
            let name = node["parent"]?.string == nil ? id : "  " + id
            return Node(
                name: name, received: node["rate_1s"]?["received"]?.number,
                emitted: node["rate_1s"]?["emitted"]?.number,
                p50: Self.nanoseconds(node["service"]?["p50_s"]), p99: Self.nanoseconds(node["service"]?["p99_s"]),
                queued: Self.sum(incoming.map { Self.count($0["queued"]) }),
                dropped: Self.sum(places.map { Self.total($0) { _ in true } }),
                lost: Self.sum(places.map { Self.total($0, where: \.isLoss) } + [Self.count(node["lost"])]),
                failed: Self.count(node["failed"]))
        }
        let rates = list.filter { $0["role"]?.string == "source" }.map { $0["rate_1s"]?["received"]?.number }
        sources = (rates.reduce(0) { $0 + ($1 ?? 0) }, rates.contains { $0 != nil })
        func rate(_ key: String) -> Double { (list + edges).reduce(0) { $0 + ($1["rate_1s"]?[key]?.number ?? 0) } }
        (dropRate, lossRate) = (rate("dropped"), rate("lost"))
        age = list.compactMap { Self.nanoseconds($0["age"]?["p99_s"]) }.max()
    }

    /// Whether the run has ended.
    var hasEnded: Bool { phase == "ended" }

    // The numbers come from a server, and may have any value.

    private static func count(_ value: DocumentValue?) -> Int64 { Int64(saturating: value?.number ?? 0) }

    /// Returns the sum of the counts of the reasons that `isCounted` accepts.
    private static func total(_ reasons: DocumentValue?, where isCounted: (DropReason) -> Bool) -> Int64 {
        guard case .object(let fields)? = reasons else { return 0 }
        return sum(fields.filter { isCounted(DropReason(rawValue: $0.key)) }.map { count($0.value) })
    }

    private static func sum(_ counts: [Int64]) -> Int64 { counts.reduce(0) { $0.addingSaturated($1) } }

    private static func nanoseconds(_ seconds: DocumentValue?) -> Int64? {
        seconds?.number.map { Int64(saturating: $0 * 1e9) }
    }

    /// Returns a title, and a table with a row for each node.
    func table(_ order: Order, _ style: Style) -> String {
        var table = Table([
            ("node", .left), ("in/s", .right), ("out/s", .right), ("p50", .right), ("p99", .right), ("queue", .right),
            ("dropped", .right), ("lost", .right), ("failed", .right),
        ])
        for node in sorted(order) {
            table.add([
                node.name, Self.rate(node.received), Self.rate(node.emitted), RunReportText.time(node.p50),
                RunReportText.time(node.p99), ProgressBar.grouped(node.queued), ProgressBar.grouped(node.dropped),
                ProgressBar.grouped(node.lost), ProgressBar.grouped(node.failed),
            ])
        }
        return style.strong("\(title.shown): \(phase.shown)") + "\n\n" + table.text(style)
    }

    /// The most important figures in one line: the rates of all sources, the slowest node, the longest queue, and the age of
    /// results.
    var line: String {
        var parts = ["\(title.shown): \(phase.shown)"]
        if sources.isKnown {
            parts += [
                "\(Self.rate(sources.received)) frames/s", "\(Self.rate(dropRate)) dropped/s",
                "\(Self.rate(lossRate)) lost/s",
            ]
        }
        if let slowest = nodes.max(by: { $0.p99 ?? 0 < $1.p99 ?? 0 }), let p50 = slowest.p50 {
            parts.append(
                "slowest \(slowest.name.shown.drop { $0 == " " }) \(RunReportText.time(p50))/\(RunReportText.time(slowest.p99))"
            )
        }
        if let longest = nodes.max(by: { $0.queued < $1.queued }), longest.queued > 0 {
            parts.append("longest queue \(longest.name.shown) \(ProgressBar.grouped(longest.queued))")
        }
        if let age { parts.append("age p99 \(RunReportText.time(age))") }
        return parts.joined(separator: "  ")
    }

    private static func rate(_ rate: Double?) -> String {
        guard let rate else { return "" }
        let tenths = Int64(saturating: rate * 10)
        return tenths < 100 && tenths % 10 != 0
            ? "\(tenths / 10).\(tenths % 10)" : ProgressBar.grouped(Int64(saturating: rate))
    }

    /// Returns the nodes in an order, those with the largest values first. Nodes with equal values keep the order of the graph.
    private func sorted(_ order: Order) -> [Node] {
        let key: (Node) -> Double? = {
            switch order {
            case .graph: nil
            case .rate: $0.received
            case .time: $0.p99.map(Double.init)
            case .drops: Double($0.dropped) + Double($0.failed)
            case .losses: Double($0.lost) + Double($0.failed)
            }
        }
        guard order != .graph else { return nodes }
        return nodes.enumerated().sorted {
            let (a, b) = (key($0.element) ?? -1, key($1.element) ?? -1)
            return a == b ? $0.offset < $1.offset : a > b
        }.map(\.element)
    }
}

extension DocumentValue {
    /// The elements of a list; `nil` for any other value.
    var elements: [DocumentValue]? { if case .array(let elements) = self { elements } else { nil } }
}
