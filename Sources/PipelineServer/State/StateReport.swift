import Connectors
import Pipeline
import PipelineComponents

/// The current state of a run as JSON: its identity, and the counts, rates and durations of its nodes and edges. For `/api/state`.
struct StateReport {
    let served: ServedRun
    let rates: RateMeter
    let viewers: Int
    /// Whether the run read a recording. Durations are then left out, because they are in simulated time.
    var isRecording = false

    /// The keys and values of the JSON object, in order.
    var members: [(key: String, value: JSONValue)] {
        let now = ServerClock.milliseconds
        let (ledger, measures) = (served.run.ledger, isRecording ? RunMeasures() : served.run.measures)
        let identity = served.identity
        return [
            ("version", .integer(1)),
            (
                "identity",
                .object([
                    ("name", .string(identity.name.cut)), ("file", .string(identity.file.cut)),
                    ("mode", .string(isRecording ? "recording" : served.plan.mode.rawValue)),
                    ("pid", .integer(RunIdentity.process)),
                    ("program", .string("\(identity.program.name) \(identity.program.version)")),
                    ("configuration", .string(identity.configuration)), ("started_ms", .count(served.started)),
                    ("uptime_s", .rounded(Double(now - served.started) / 1000)),
                ])
            ),
            ("phase", .string(served.run.phase.rawValue)), ("time_ms", .count(now)),
            ("nodes", .array(ledger.nodes.enumerated().map { node($1, at: $0, measures) })),
            ("edges", .array(served.edges.enumerated().map { edge($1, at: $0, ledger, measures) })),
            ("sockets", .array(ledger.nodes.enumerated().compactMap { socket($1, at: $0, measures) })),
            ("streams", .array(streams)),
            ("losses", .count(ledger.losses)), ("loss_reasons", lossReasons(ledger)), ("viewers", .integer(viewers)),
            (
                "failures",
                .array(
                    served.run.failures.prefix(10).map {
                        .object([
                            ("node", .string($0.node)), ("code", .string($0.error.code)),
                            ("message", .outside($0.error.message)),
                        ])
                    })
            ),
        ]
    }

    /// Returns the reasons in the ledger for which dropped frames count as lost.
    private func lossReasons(_ ledger: Ledger) -> JSONValue {
        let reasons = ledger.nodes.flatMap(\.dropped.keys) + ledger.edges.flatMap(\.dropped.keys)
        return .array(Set(reasons.filter(\.isLoss).map(\.rawValue)).sorted().map { .string($0) })
    }

    private func node(_ node: Ledger.Node, at index: Int, _ measures: RunMeasures) -> JSONValue {
        let planned = served.plan.nodes.first { $0.id == node.id }
        let measured = measures.nodes.indices.contains(index) ? measures.nodes[index] : nil
        var age = node.age == nil ? JSONValue.null : shares(measured?.age)
        if case .object(let members) = age { age = .object(members + [("last_s", .seconds(node.age))]) }
        return .object([
            ("id", .string(node.id)), ("component", .string(node.component)), ("role", .string(node.role.rawValue)),
            ("takes", planned?.input.map { .string($0.description) } ?? .null),
            ("makes", planned?.output.map { .string($0.description) } ?? .null),
            ("parent", node.parent.map { .string($0) } ?? .null),
            (
                "place",
                planned?.span.map {
                    .object([
                        ("file", .string($0.file)), ("line", .integer($0.start.line)),
                        ("column", .integer($0.start.column)),
                    ])
                } ?? .null
            ),
            ("task", served.tasks[node.parent ?? node.id].map { .string($0) } ?? .null),
            ("received", .count(node.received)), ("passed", .count(node.passed)), ("absorbed", .count(node.absorbed)),
            ("emitted", .count(node.emitted)), ("failed", .count(node.failed)), ("lost", .count(node.lost)),
            ("dropped", .counts(node.dropped)),
            ("counts", .object(node.counts.sorted { $0.key < $1.key }.map { ($0.key, .count($0.value)) })),
            ("levels", .object(node.levels.sorted { $0.key < $1.key }.map { ($0.key, .count($0.value)) })),
            ("rate_1s", nodeRates(rates.node(index, seconds: 1))),
            ("rate_60s", nodeRates(rates.node(index, seconds: 60))),
            ("service", shares(measured?.service)), ("age", age), ("join", join(node.alignment)),
            ("watchable", .boolean(node.parent == nil && !served.shown(at: node.id).isEmpty)),
        ])
    }

    private func edge(_ edge: ServedEdge, at index: Int, _ ledger: Ledger, _ measures: RunMeasures) -> JSONValue {
        var members: [(key: String, value: JSONValue)] = [
            ("id", .string("\(index)")), ("from", .string(edge.from)), ("to", .string(edge.to)),
            ("port", .string(edge.isErrors ? "errors" : "output")), ("kind", .string(edge.kind)),
            ("direct", .boolean(edge.isDirect)),
        ]
        let place = ledger.edges.firstIndex { $0.from == edge.ledgerFrom && $0.to == edge.to }
        // A reload may replace an edge with direct calls, or direct calls with an edge.
        let called = ledger.called(from: edge.ledgerFrom, to: edge.to)
        guard let place, !edge.isDirect else {
            let from = ledger.nodes.firstIndex { $0.id == edge.from }
            let queued = place.map { ledger.edges[$0] }
            let passed = called ?? (queued == nil ? from.map { ledger.nodes[$0].emitted } : nil) ?? 0
            members += [
                ("policy", .null), ("offered", .count(passed + (queued?.offered ?? 0))),
                ("taken", .count(passed + (queued?.taken ?? 0))), ("queued", .integer(0)),
                ("dropped", .counts(queued?.dropped ?? [:])), ("timed_out", .count(queued?.timedOut ?? 0)),
                ("rate_1s", passing(from.flatMap { rates.node($0, seconds: 1) })),
                ("rate_60s", passing(from.flatMap { rates.node($0, seconds: 60) })), ("wait", .null),
            ]
            return .object(members)
        }
        let counted = ledger.edges[place]
        members += [
            ("policy", policy(edge.policy)), ("offered", .count(counted.offered + (called ?? 0))),
            ("taken", .count(counted.taken + (called ?? 0))),
            ("queued", .count(counted.left)), ("dropped", .counts(counted.dropped)),
            ("timed_out", .count(counted.timedOut)), ("rate_1s", edgeRates(rates.edge(place, seconds: 1))),
            ("rate_60s", edgeRates(rates.edge(place, seconds: 60))),
            ("wait", shares(measures.waits.indices.contains(place) ? measures.waits[place] : nil)),
        ]
        return .object(members)
    }

    private func policy(_ policy: EdgePolicy) -> JSONValue {
        .object([
            ("capacity", .integer(policy.capacity)), ("capacity_ms", policy.capacityMs.map { .number($0) } ?? .null),
            ("on_full", .string(policy.onFull.rawValue)), ("in_flight", policy.inFlight.map { .integer($0) } ?? .null),
            ("timeout_ms", policy.timeoutMs.map { .number($0) } ?? .null),
        ])
    }

    private func shares(_ counts: HistogramCounts?) -> JSONValue {
        guard let counts, let median = counts.quantile(0.5) else { return .null }
        return .object([
            ("count", .count(counts.total)), ("p50_s", .seconds(median)), ("p99_s", .seconds(counts.quantile(0.99))),
        ])
    }

    private func nodeRates(_ rates: RateMeter.Rates?) -> JSONValue {
        guard let rates else { return .null }
        return .object([
            ("received", .rounded(rates.received)), ("emitted", .rounded(rates.emitted)),
            ("dropped", .rounded(rates.dropped)), ("lost", .rounded(rates.lost)), ("failed", .rounded(rates.failed)),
        ])
    }

    private func edgeRates(_ rates: RateMeter.Rates?) -> JSONValue {
        guard let rates else { return .null }
        return .object([
            ("offered", .rounded(rates.received)), ("taken", .rounded(rates.emitted)),
            ("dropped", .rounded(rates.dropped)), ("lost", .rounded(rates.lost)),
        ])
    }

    /// Returns the rates of an edge that is a direct call. They equal the rate at which the upstream node emits.
    private func passing(_ rates: RateMeter.Rates?) -> JSONValue {
        guard let rates else { return .null }
        return .object([
            ("offered", .rounded(rates.emitted)), ("taken", .rounded(rates.emitted)), ("dropped", .integer(0)),
            ("lost", .integer(0)),
        ])
    }

    private func join(_ alignment: Ledger.Alignment?) -> JSONValue {
        guard let alignment else { return .null }
        return .object([
            ("frames", .count(alignment.frames)), ("used", .count(alignment.used)), ("sets", .count(alignment.sets)),
            ("dropped", .counts(alignment.dropped)),
        ])
    }

    /// Returns the addresses of a node's sockets and the counts that its component adds, such as connections; `nil` if it has
    /// neither.
    private func socket(_ node: Ledger.Node, at index: Int, _ measures: RunMeasures) -> JSONValue? {
        let sockets = measures.nodes.indices.contains(index) ? measures.nodes[index].sockets : []
        guard !node.counts.isEmpty || !sockets.isEmpty else { return nil }
        return .object([
            ("node", .string(node.id)), ("role", .string(node.role.rawValue)),
            ("component", .string(node.component)),
            (
                "endpoints",
                .array(
                    sockets.map {
                        .object([
                            ("endpoint", .outside($0.endpoint)), ("bound", .boolean($0.isBound)),
                            ("peers", .integer($0.peers)),
                        ])
                    })
            ),
            ("counts", .object(node.counts.sorted { $0.key < $1.key }.map { ($0.key, .count($0.value)) })),
        ])
    }

    private static var mostStreams: Int { 100 }

    private var streams: [JSONValue] {
        let sources = served.plan.nodes.indices.filter { served.plan.nodes[$0].edges.isEmpty }
        let all = sources.flatMap { index in
            (served.points[index]?.recentStreams(Self.mostStreams) ?? []).enumerated().map { ($0, index, $1) }
        }
        // Streams of several sources are interleaved: the most recent stream of each source, then the second of each, and so on.
        return all.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.prefix(Self.mostStreams).map { _, index, seen in
            .object([
                ("name", .outside(seen.stream.name)), ("source", .string(served.plan.nodes[index].id)),
                ("t_us", .count(seen.timestamp.rawValue)), ("seq", .count(seen.sequence)),
            ])
        }
    }
}
