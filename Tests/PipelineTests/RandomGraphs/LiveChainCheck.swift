import PipelineTesting

@testable import Pipeline
@testable import PipelineConfiguration

/// Runs a ``LiveChain`` in virtual time, and compares the results with the model and with a repetition.
struct LiveChainCheck {
    private let chain: LiveChain

    init(_ chain: LiveChain) { self.chain = chain }

    private struct Outcome: Equatable {
        var delivered: [LiveChainModel.Output]
        var drops: [LiveChainModel.Drop]
        var faults: [String]
        var took: Int64
    }

    /// Returns the faults found, one line each.
    func faults() async -> [String] {
        let model = LiveChainModel(chain)
        let first = await run()
        guard first.faults.isEmpty else { return first.faults }
        var faults: [String] = []
        if first.delivered != model.delivered {
            faults.append("out: \(words(first.delivered)), not \(words(model.delivered))")
        }
        if first.drops != model.drops { faults.append("dropped: \(words(first.drops)), not \(words(model.drops))") }
        if faults.isEmpty, await run() != first { faults.append("the outcome differs when it is run again") }
        return faults
    }

    private func words(_ list: [LiveChainModel.Output]) -> String {
        list.map { "\($0.stream)\($0.sequence)" + ($0.gap > 0 ? "(gap \($0.gap))" : "") + "=\($0.value)" }
            .joined(separator: " ")
    }

    private func words(_ list: [LiveChainModel.Drop]) -> String {
        list.map { "\($0.stream)\($0.sequence)@\($0.at)" }.joined(separator: " ")
    }

    private func run() async -> Outcome {
        let events = chain.arrivals.map { arrival in
            TimelineSource<TestNumber>.Event(
                at: arrival.at * 1000,
                Frame(
                    TestNumber(arrival.value), at: .microseconds(arrival.at * 1000), stream: StreamID(arrival.stream),
                    sequence: arrival.sequence))
        }
        let moments = Dictionary(
            chain.arrivals.map { ("\($0.stream)\($0.sequence)", $0.at) }, uniquingKeysWith: { first, _ in first })
        let (out, drops) = (Collector<TestNumber>(), DropLog())
        var options = Run.Options()
        options.clock = VirtualClock()
        options.onDrop = { drops.add($0) }
        var plan = Plan.building(mode: .live)
        plan.add("source", source: TimelineSource(events))
        for (place, step) in chain.steps.enumerated() {
            let isSink = place + 1 == chain.steps.count
            let id = isSink ? "out" : "step\(place)"
            let policy = place == 0 ? chain.policy : EdgePolicy()
            options.serviceTimes[id] = step.takes * 1_000_000
            if isSink {
                plan.add(id, sink: out.sink(), policy: policy)
            } else {
                plan.add(id, stage: WorkStage(step.work), policy: policy, onError: .skip)
                plan.nodes[place + 1].workers = chain.workers
            }
        }
        let report = await Run(plan, options: options).finished()
        return Outcome(
            delivered: out.frames.map {
                .init(
                    stream: $0.stream.name, sequence: $0.sequence, gap: Int($0.gap), value: $0.payload.value)
            },
            drops: drops.records.filter { $0.reason == .edgeFull }.map { record in
                let arrival = moments["\(record.stream.name)\(record.sequence)"] ?? 0
                return .init(
                    stream: record.stream.name, sequence: record.sequence, at: arrival + (record.age ?? 0) / 1_000_000)
            },
            faults: report.failures.map { "\($0.node): \($0.error)" } + report.violations, took: report.duration)
    }
}

extension LiveChainCheck {
    /// Returns a chain with fewer frames that still fails, with its faults.
    static func shrink(_ chain: LiveChain, _ faults: [String]) async -> (chain: LiveChain, faults: [String]) {
        var (best, found) = (chain, faults)
        var size = max(1, chain.arrivals.count / 2)
        while size > 0 {
            var start = 0
            while start < best.arrivals.count {
                var smaller = best
                smaller.arrivals.removeSubrange(start..<min(start + size, smaller.arrivals.count))
                let faults = smaller.arrivals.isEmpty ? [] : await LiveChainCheck(smaller).faults()
                if faults.isEmpty { start += size } else { (best, found) = (smaller, faults) }
            }
            size /= 2
        }
        return (best, found)
    }
}
