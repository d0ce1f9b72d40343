import Pipeline

/// The counts of a run in the text format of OpenMetrics 1.0: `/metrics`.
///
/// There is no label for the stream, because the number of streams is unlimited.
struct MetricsText {
    static let type = "application/openmetrics-text; version=1.0.0; charset=utf-8"

    private(set) var text = ""

    init(_ served: ServedRun) {
        let (ledger, measures) = (served.run.ledger, served.run.measures)
        info(served)
        nodeCounters(ledger)
        edgeCounters(ledger)
        counts(ledger)
        levels(ledger)
        sockets(ledger, measures)
        histograms(ledger, measures)
        text += "# EOF\n"
    }

    private mutating func info(_ served: ServedRun) {
        let identity = served.identity
        family("pipeline_build", "info", "The program.")
        sample(
            "pipeline_build_info", [("program", identity.program.name), ("version", identity.program.version)], "1")
        family("pipeline_config", "info", "The pipeline that is running.")
        sample(
            "pipeline_config_info",
            [("name", identity.name), ("mode", served.plan.mode.rawValue), ("digest", identity.configuration)], "1")
        family("pipeline_start_time_seconds", "gauge", "When the run began, in seconds since 1970.", unit: "seconds")
        sample("pipeline_start_time_seconds", [], Self.number(Double(served.started) / 1000))
        let phase = served.run.phase
        family("pipeline_phase", "stateset", "The phase of the run.")
        for one in [RunPhase.opening, .running, .draining, .ended] {
            sample("pipeline_phase", [("pipeline_phase", one.rawValue)], one == phase ? "1" : "0")
        }
    }

    private mutating func nodeCounters(_ ledger: Ledger) {
        let counters: [(String, String, (Ledger.Node) -> Int64)] = [
            ("received", "Frames that reached a node; for a source, messages.", { $0.received }),
            ("passed", "Frames that caused output; for a sink, frames written.", { $0.passed }),
            // A counter must not fall, so frames stay counted here that are dropped later.
            ("absorbed", "Frames that a node consumed without emitting output.", { $0.absorbed + $0.droppedLater }),
            ("emitted", "Frames that a node emitted.", { $0.emitted }),
            ("failed", "Frames that could not be decoded, processed or written.", { $0.failed }),
            ("lost", "Frames lost before they reached a source.", { $0.lost }),
        ]
        for (name, help, value) in counters {
            family("pipeline_node_\(name)_frames", "counter", help)
            for node in ledger.nodes { sample("pipeline_node_\(name)_frames_total", labels(node), "\(value(node))") }
        }
        family("pipeline_node_dropped_frames", "counter", "Frames that a node dropped, by reason.")
        for node in ledger.nodes {
            for (reason, count) in Self.sorted(node.allDropped) {
                sample("pipeline_node_dropped_frames_total", labels(node) + [("reason", reason)], "\(count)")
            }
        }
    }

    private mutating func edgeCounters(_ ledger: Ledger) {
        let counters: [(String, String, (Ledger.Edge) -> Int64)] = [
            ("offered", "Frames offered to an edge.", { $0.offered }),
            ("taken", "Frames taken from an edge.", { $0.taken }),
            ("timed_out", "Frames in flight downstream of an edge for longer than its timeout.", { $0.timedOut }),
        ]
        for (name, help, value) in counters {
            family("pipeline_edge_\(name)_frames", "counter", help)
            for edge in ledger.edges { sample("pipeline_edge_\(name)_frames_total", labels(edge), "\(value(edge))") }
        }
        family("pipeline_edge_dropped_frames", "counter", "Frames that an edge dropped, by reason.")
        for edge in ledger.edges {
            for (reason, count) in Self.sorted(edge.dropped) {
                sample("pipeline_edge_dropped_frames_total", labels(edge) + [("reason", reason)], "\(count)")
            }
        }
        family("pipeline_edge_queued_frames", "gauge", "Frames that wait in an edge.")
        for edge in ledger.edges { sample("pipeline_edge_queued_frames", labels(edge), "\(edge.left)") }
    }

    private mutating func counts(_ ledger: Ledger) {
        family(
            "pipeline_node_events", "counter",
            "Events that a component counts in addition to frames, for example connections.")
        for node in ledger.nodes {
            for (name, count) in node.counts.sorted(by: { $0.key < $1.key }) {
                sample("pipeline_node_events_total", labels(node) + [("event", name)], "\(count)")
            }
        }
    }

    private mutating func levels(_ ledger: Ledger) {
        family(
            "pipeline_node_level", "gauge",
            "Levels of a component, for example how many messages wait in the partitions that a source reads.")
        for node in ledger.nodes {
            for (name, level) in node.levels.sorted(by: { $0.key < $1.key }) {
                sample("pipeline_node_level", labels(node) + [("level", name)], "\(level)")
            }
        }
    }

    private mutating func sockets(_ ledger: Ledger, _ measures: RunMeasures) {
        family("pipeline_socket_peers", "gauge", "Peers that are connected at an address of a socket.")
        for (node, measured) in zip(ledger.nodes, measures.nodes) {
            for socket in measured.sockets {
                sample(
                    "pipeline_socket_peers",
                    labels(node) + [("endpoint", socket.endpoint), ("side", socket.isBound ? "bind" : "connect")],
                    "\(socket.peers)")
            }
        }
    }

    private mutating func histograms(_ ledger: Ledger, _ measures: RunMeasures) {
        family(
            "pipeline_node_service_seconds", "histogram",
            "Time that a node takes for a frame, measured for one frame in 64 (stages) or per batch (sinks).",
            unit: "seconds")
        for (node, measured) in zip(ledger.nodes, measures.nodes) where measured.service.total > 0 {
            histogram("pipeline_node_service_seconds", labels(node), measured.service)
        }
        family(
            "pipeline_node_age_seconds", "histogram",
            "Time from a frame's arrival until it was written, measured once for all frames written together.",
            unit: "seconds")
        for (node, measured) in zip(ledger.nodes, measures.nodes) where measured.age.total > 0 {
            histogram("pipeline_node_age_seconds", labels(node), measured.age)
        }
        family(
            "pipeline_edge_wait_seconds", "histogram",
            "Time that frames waited in an edge, measured for one batch in 8.",
            unit: "seconds")
        for (edge, waits) in zip(ledger.edges, measures.waits) where waits.total > 0 {
            histogram("pipeline_edge_wait_seconds", labels(edge), waits)
        }
    }

    // MARK: Format

    private mutating func family(_ name: String, _ type: String, _ help: String, unit: String? = nil) {
        text += "# TYPE \(name) \(type)\n"
        if let unit { text += "# UNIT \(name) \(unit)\n" }
        text += "# HELP \(name) \(Self.escaped(help))\n"
    }

    private mutating func sample(_ name: String, _ labels: [(String, String)], _ value: String) {
        text += name
        if !labels.isEmpty {
            text += "{" + labels.map { "\($0)=\"\(Self.escaped($1.cut))\"" }.joined(separator: ",") + "}"
        }
        text += " \(value)\n"
    }

    /// Writes a histogram. The bounds of its buckets are powers of four in nanoseconds, from 256 ns to 17 s.
    private mutating func histogram(_ name: String, _ labels: [(String, String)], _ counts: HistogramCounts) {
        for power in stride(from: 8, through: 34, by: 2) {
            let bound = Self.number(Double(Int64(1) << Int64(power)) / 1e9)
            sample(name + "_bucket", labels + [("le", bound)], "\(counts.count(below: power))")
        }
        sample(name + "_bucket", labels + [("le", "+Inf")], "\(counts.total)")
        sample(name + "_count", labels, "\(counts.total)")
        sample(name + "_sum", labels, Self.number(Double(counts.sum) / 1e9))
    }

    private func labels(_ node: Ledger.Node) -> [(String, String)] {
        [("node", node.id), ("component", node.component), ("role", node.role.rawValue)]
    }

    private func labels(_ edge: Ledger.Edge) -> [(String, String)] { [("from", edge.from), ("to", edge.to)] }

    private static func sorted(_ dropped: [DropReason: Int64]) -> [(String, Int64)] {
        dropped.filter { $0.value > 0 }.map { ($0.key.rawValue, $0.value) }.sorted { $0.0 < $1.0 }
    }

    private static func number(_ value: Double) -> String { "\(value)" }

    /// Returns a text for use in quotes: backslashes, quotes and line feeds are escaped.
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
