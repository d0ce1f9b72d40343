import Pipeline
import PipelineComponents
import Synchronization

extension PipelineTest {
    /// Runs a plan in virtual time. Replaces the sources of the plan by sources that emit the test's input, and its sinks by sinks
    /// that capture frames. The stages, joins, edges and policies of the plan stay.
    ///
    /// The result is deterministic. Waiting takes no real time, so a simulated hour takes only as long as its frames take to
    /// process.
    public func run(on plan: Plan) async -> TestReport {
        let captures = outputs.map { _ in TestCapture() }
        let dropped = Lock<[DropRecord]>([])
        var options = Run.Options()
        options.clock = VirtualClock()
        options.serviceTimes = serviceTimes
        options.onDrop = { record in dropped.withLock { $0.append(record) } }
        let report = await Run(replacingEnds(of: plan, captures), options: options).finished()

        var problems: [TestReport.Problem] = []
        if let details = endDetails(report) {
            problems.append(.init(place: "run", timelines: nil, details: details))
        }
        for (output, capture) in zip(outputs, captures) {
            if let problem = FrameComparison.problem(at: output.name, output.frames, capture.items) {
                problems.append(problem)
            }
        }
        problems += dropProblems(dropped.withLock { $0 })
        let counts = countDetails(report.ledger)
        if !counts.isEmpty { problems.append(.init(place: "ledger", timelines: nil, details: counts)) }
        let frames = report.ledger.nodes.filter { $0.role == .source }.reduce(0) { $0 + $1.received }
        return TestReport(name: name, frames: frames, duration: report.duration, problems: problems)
    }

    // MARK: - The plan

    private func replacingEnds(of plan: Plan, _ captures: [TestCapture]) -> Plan {
        var plan = plan
        for index in plan.nodes.indices {
            switch plan.nodes[index].body {
            case .source(let source, let rules):
                plan.nodes[index].body = .source(sources[plan.nodes[index].id] ?? Self.silence(source), rules)
            case .sink(let sink): plan.nodes[index].body = .sink(Self.nowhere(sink))
            case .stage, .asyncStage: break
            }
        }
        for (output, capture) in zip(outputs, captures) {
            guard let index = plan.nodes.firstIndex(where: { $0.id == output.id }) else { continue }
            if case .sink(let sink) = plan.nodes[index].body {
                plan.nodes[index].body = .sink(output.listener(capture, sink.mayBlock))
            } else {
                // An `id` in a configuration cannot contain spaces, so this `id` is unique.
                plan.nodes.append(
                    Plan.Node(
                        id: "what \(output.name) makes", component: "test",
                        body: .sink(output.listener(capture, false)),
                        edges: [Plan.Edge(from: index, port: output.port)]))
            }
        }
        return plan
    }

    private static func silence<S: Source>(_ source: S) -> any Source {
        TimelineSource<S.Output>([], output: source.output, timing: source.timing)
    }

    private static func nowhere<S: Sink>(_ sink: S) -> any Sink {
        // The replacement has the same `mayBlock`, because that decides whether the sink has a queue or is called directly.
        SilentSink<S.Input>(mayBlock: sink.mayBlock)
    }

    // MARK: - Results

    private func endDetails(_ report: RunReport) -> [String]? {
        var details: [String] = []
        let cause = report.failures.first
        let found = cause.map { "\($0.node): \($0.error)" }
        if let failure, cause?.error.code != failure {
            details.append("it must fail with \(failure), and " + (found.map { "failed with \($0)" } ?? "succeeded"))
        } else if failure == nil, let found {
            details.append("it failed: \(found)")
        }
        if !report.notEnded.isEmpty {
            details.append("it had to be ended by force: \(report.notEnded.joined(separator: ", "))")
        }
        details += report.violations.map { "the ledger does not balance, which is a defect of this program: \($0)" }
        return details.isEmpty ? nil : details
    }

    private func dropProblems(_ records: [DropRecord]) -> [TestReport.Problem] {
        guard let drops else { return [] }
        var rest = records
        var problems: [TestReport.Problem] = []
        for group in drops {
            let items = rest.filter { $0.place == group.place && $0.reason == group.reason }
            rest.removeAll { $0.place == group.place && $0.reason == group.reason }
            let place = "drops at \(group.place), \(group.reason)"
            // Sort by timestamp: a test checks which frames were dropped, but not the order of the drops, which depends on when
            // the edge needed room.
            let captured = items.sorted { $0.timestamp < $1.timestamp }.map(\.captured)
            if let problem = FrameComparison.problem(at: place, group.frames, captured) { problems.append(problem) }
        }
        if !rest.isEmpty {
            let details = rest.prefix(8).map { "not expected: \($0.captured.text) at \($0.place), \($0.reason)" }
            let more = rest.count > 8 ? ["and \(rest.count - 8) more"] : []
            problems.append(.init(place: "drops", timelines: nil, details: details + more))
        }
        return problems
    }

    private func countDetails(_ ledger: Ledger) -> [String] {
        counts.compactMap { count in
            guard let node = ledger.nodes.first(where: { $0.id == count.id }) else { return nil }
            let value = node[count.figure]
            guard value != count.value else { return nil }
            return "\(count.id): \(count.figure.rawValue) is \(value), and \(count.value) is expected"
        }
    }
}

extension Ledger.Node {
    fileprivate subscript(figure: PipelineTest.Figure) -> Int64 {
        switch figure {
        case .received: received
        case .out: role == .sink ? passed : emitted
        case .passed: passed
        case .absorbed: absorbed
        case .dropped: droppedTotal
        case .failed: failed
        case .lost: lost
        }
    }
}

extension DropRecord {
    /// The drop in the form of a captured frame, at the timestamp of the dropped frame.
    fileprivate var captured: TestCapture.Item {
        let object = JSONValue.object([
            ("stream", .string(stream.name)), ("seq", .integer(Int(sequence))),
            ("t_us", .integer(Int(timestamp.rawValue))),
        ])
        return .init(time: timestamp.rawValue, moment: 0, text: object.text(isIndented: false))
    }
}

/// A sink that discards all frames.
private struct SilentSink<P: Payload>: Sink {
    let mayBlock: Bool

    mutating func write(_ frame: Frame<P>) {}
}
