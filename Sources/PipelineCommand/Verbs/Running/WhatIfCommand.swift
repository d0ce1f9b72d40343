import Connectors
import Pipeline
import PipelineComponents

extension Command {
    private static let inFlight = Flag.integers(
        "in-flight", placeholder: "N,N…", in: 1...10_000, defaultText: "as in CONFIG",
        "The number of frames that may be in flight")
    private static let capacity = Flag.integers(
        "capacity", placeholder: "N,N…", in: 0...1_000_000, defaultText: "as in CONFIG",
        "The number of frames of each stream that may wait in the queue of an edge")
    private static let onFull = Flag<[EdgePolicy.OnFull]>.parsed(
        "on-full", placeholder: "POLICY,…", wanted: "drop_oldest, drop_newest or both, separated by a comma",
        defaultText: "as in CONFIG", "The frame to drop if the queue is full"
    ) { text in
        let names = text.split(separator: ",", omittingEmptySubsequences: false)
        let policies = names.compactMap { EdgePolicy.OnFull(rawValue: String($0)) }
        return policies.count == names.count && policies.allSatisfy { $0 == .dropOldest || $0 == .dropNewest }
            ? policies : nil
    }

    /// `pipectl whatif CONFIG RECORDING…`.
    static let whatif: Command = Command(
        "whatif", "compare what a live pipeline would drop, policy by policy",
        details: """
            Runs the pipeline in simulated time, as run --simulate does, once for every combination of the given values, and \
            writes only a table: the share of frames dropped, the number of results, and the age of results, from a frame's \
            arrival to its result (the median and the 95th percentile). The values replace those under live: in the configuration \
            and those of the edges, but only at edges that drop while busy: edges from live sources to stages, with in_flight and \
            without on_full: wait.

            If several sources produce frames of one kind, each has its own recording: camera=a.jsonl pad=b.jsonl.
            """,
        arguments: [
            PipelineLoading.config,
            Argument(
                "RECORDING",
                "JSON Lines or MCAP, as a file sink of a live run writes them; SOURCE=FILE replaces only SOURCE",
                arity: .many, completion: .files(RecordingEndings.all)),
        ],
        flags: [
            SimulationFlags.service.description, inFlight.description, capacity.description, onFull.description,
            PipelineLoading.set.description, Flags.format.description,
        ],
        examples: [
            Example(
                "pipectl whatif live.yaml recorded.jsonl --service match=15ms --capacity 0,1",
                "Compares dropping a frame with letting it wait"),
            Example(
                "pipectl whatif live.yaml pen=a.jsonl pad=b.jsonl --in-flight 1,2",
                "Compares policies for two sources, each with its own recording"),
        ]
    ) { invocation, console in
        let (config, recordings) = (invocation.words[0], Array(invocation.words.dropFirst()))
        if RecordingEndings.all.contains(where: config.hasSuffix) || config.contains("=") {
            throw UsageError(
                "\(config) is a recording, but the first argument is CONFIG",
                help: "as in pipectl whatif live.yaml recorded.jsonl")
        }
        let plan = try PipelineLoading.plan(config, invocation, console).get()
        let trial = try WhatIf(
            SimulationFlags.simulation(of: plan, recordings: recordings, invocation, console))
        let policies = combinations(
            of: invocation[inFlight], invocation[capacity], invocation[onFull])
        let progress = Progress()
        let reporter = ProgressReporter(
            measure: {
                var bar = ProgressBar("simulations")
                (bar.done, bar.total, bar.items) = (progress.done, progress.total, progress.done)
                return bar
            }, console: console)
        let outcomes: [WhatIf.Outcome]
        do {
            outcomes = try await reporter.during {
                var outcomes: [WhatIf.Outcome] = []
                for policy in policies {
                    progress.update(done: Int64(outcomes.count), total: Int64(policies.count))
                    // Every run reads the same input and would log the same errors, so only the first one logs.
                    outcomes.append(try await trial(policy, log: outcomes.isEmpty ? console.log : .silent))
                }
                return outcomes
            }
        } catch let error as PipelineError {
            throw RunFailure(error: error)
        }
        if let leftOut = outcomes.first?.leftOut, !leftOut.isEmpty {
            let parts = leftOut.sorted { $0.key < $1.key }.map { "\($0.key) \(ProgressBar.grouped($0.value))" }
            console.warning("the table does not contain all frames of the recordings: \(parts.joined(separator: ", "))")
        }
        try console.writeResult(
            invocation[Flags.format] == .json ? json(outcomes).document : table(outcomes).text(console.resultStyle))
        return .done
    }

    private static func combinations(
        of inFlight: [Int]?, _ capacity: [Int]?, _ onFull: [EdgePolicy.OnFull]?
    ) -> [WhatIf.Policy] {
        var policies: [WhatIf.Policy] = []
        for inFlight in inFlight?.map(Optional.some) ?? [nil] {
            for capacity in capacity?.map(Optional.some) ?? [nil] {
                for onFull in onFull?.map(Optional.some) ?? [nil] {
                    policies.append(.init(inFlight: inFlight, capacity: capacity, onFull: onFull))
                }
            }
        }
        return policies
    }

    private static func table(_ outcomes: [WhatIf.Outcome]) -> Table {
        var table = Table([
            ("in_flight", .right), ("capacity", .right), ("on_full", .left), ("offered", .right), ("dropped", .right),
            ("results", .right), ("p50 age", .right), ("p95 age", .right),
        ])
        for outcome in outcomes {
            let tenths = Int((outcome.share * 1000).rounded())
            table.add([
                outcome.policy.inFlight.map(String.init) ?? "", outcome.policy.capacity.map(String.init) ?? "",
                outcome.policy.onFull?.rawValue ?? "", ProgressBar.grouped(outcome.offered),
                "\(tenths / 10).\(tenths % 10) %", ProgressBar.grouped(Int64(outcome.delivered)),
                RunReportText.time(outcome.ageP50), RunReportText.time(outcome.ageP95),
            ])
        }
        return table
    }

    private static func json(_ outcomes: [WhatIf.Outcome]) -> JSONValue {
        .object([
            ("version", .integer(1)),
            (
                "runs",
                .array(
                    outcomes.map { outcome in
                        .object([
                            ("in_flight", .optional(outcome.policy.inFlight.map(Int64.init))),
                            ("capacity", .optional(outcome.policy.capacity.map(Int64.init))),
                            ("on_full", .optional(outcome.policy.onFull?.rawValue)),
                            ("offered", .integer(Int(outcome.offered))), ("dropped", .integer(Int(outcome.dropped))),
                            ("dropped_share", .number(outcome.share)), ("results", .integer(outcome.delivered)),
                            (
                                "left_out",
                                .object(
                                    outcome.leftOut.sorted { $0.key < $1.key }.map { ($0.key, .integer(Int($0.value))) }
                                )
                            ),
                            ("p50_age_ns", .optional(outcome.ageP50)), ("p95_age_ns", .optional(outcome.ageP95)),
                        ])
                    })
            ),
        ])
    }
}
