import Pipeline

/// Checks a source against the promises that all sources make.
public struct SourceConformance {
    private let make: () throws -> any Source

    /// Creates the suite. `make` creates a new source for each run.
    public init(_ make: @escaping () throws -> any Source) { self.make = make }

    /// Returns all promises that the source breaks.
    ///
    /// - Parameter stopTimeoutMs: The time within which a stopped source must end, in milliseconds of real time. If a source takes
    ///   longer, the suite reports a violation and does not wait any longer.
    public func violations(stopTimeoutMs: Int = 5000) async throws -> [Violation] {
        try await check(make(), stopTimeoutMs)
    }

    private func check<S: Source>(_ source: S, _ stopTimeoutMs: Int) async throws -> [Violation] {
        var found = await checkStop(of: source, stopTimeoutMs)
        guard source.timing == .recorded else { return found }
        var reference: [String]?
        for limit in [1, 5, 64] {
            guard let source = try make() as? S else { continue }
            let (items, error) = await read(source, limit: limit)
            if let error { found.append(Violation("ends_when_its_input_ends", "\(error)")) }
            if let reference, reference != items {
                found.append(
                    Violation(
                        "output_independent_of_batches",
                        "with at most \(limit) frames per read, the source emits other frames"))
            }
            reference = items
        }
        guard let source = try make() as? S else { return found }
        let out = Collector<S.Output>()
        var plan = Plan.building()
        plan.add("source", source: source)
        plan.add("out", sink: out.sink())
        let report = await Run(plan).finished()
        found += report.violations.map { Violation("ledger_balances", $0) }
        found += report.failures.map { Violation("increasing_timestamps", $0.error.description) }
        return found
    }

    /// Reads a source directly, requesting at most `limit` frames at a time.
    private func read<S: Source>(_ source: S, limit: Int) async -> ([String], (any Error)?) {
        var source = source
        var items: [String] = []
        let context = SourceContext(
            id: "source", clock: SystemClock(), stop: StopSignal(), progress: Progress(), log: .silent)
        do {
            try await source.open(context)
            var batch = SourceBatch<S.Output>(limit: limit)
            var hasMore = true
            while hasMore {
                hasMore = try await source.read(into: &batch)
                items += batch.items.map { "\($0)" }
                batch.removeAll()
            }
            await source.close()
            return (items, nil)
        } catch {
            await source.close()
            return (items, error)
        }
    }

    /// Checks that a source ends when it is stopped, even if it waits for input.
    private func checkStop<S: Source>(of source: S, _ timeoutMs: Int) async -> [Violation] {
        let (out, hasBegun) = (Collector<S.Output>(), StopSignal())
        var plan = Plan.building()
        plan.shutdownTimeoutMs = timeoutMs
        plan.add(
            "source", source: ReadNotifier(source: source) { hasBegun.request() }, onError: .skip)
        plan.add("out", sink: out.sink())
        let run = Run(plan)
        run.start()
        // Stop the source while it reads, because only a source that reads must react. A source that cannot be opened never reads.
        while !hasBegun.isRequested, !run.hasEnded { try? await Task.sleep(for: .milliseconds(1)) }
        run.stop()
        let report = await run.finished()
        return report.notEnded.isEmpty
            ? [] : [Violation("ends_when_told_to_stop", "it had not ended after \(timeoutMs) ms")]
    }
}

/// A wrapper around another source, which calls `begins` when the source is read.
private struct ReadNotifier<S: Source>: Source {
    typealias Output = S.Output
    var source: S
    let begins: @Sendable () -> Void

    init(source: S, begins: @escaping @Sendable () -> Void) {
        self.source = source
        self.begins = begins
    }

    var output: PortType { source.output }
    var timing: SourceTiming { source.timing }
    var mayBlock: Bool { source.mayBlock }
    var commits: Bool { source.commits }

    mutating func open(_ context: SourceContext) async throws { try await source.open(context) }

    mutating func read(into batch: inout SourceBatch<Output>) async throws -> Bool {
        begins()
        return try await source.read(into: &batch)
    }

    mutating func noteTaken() { source.noteTaken() }

    mutating func close() async { await source.close() }
}
