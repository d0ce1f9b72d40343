import Connectors
import Pipeline
import PipelineComponents
import Stages

/// Runs a whole pipeline on its own sources, without its sinks, and compares its results with the true events.
struct ContinuousEvaluation {
    private let plan: Plan
    /// The `id` of the stage whose recognitions are compared.
    private let node: String
    /// Whether the true events have streams. Otherwise results are compared regardless of their streams.
    private let hasStreams: Bool
    /// The true events.
    private let happened: [EventScore.Event]

    /// Creates an evaluation of a pipeline.
    ///
    /// - Parameters:
    ///   - matcher: The `id` of the stage whose recognitions are compared; `nil` for the last stage that makes recognitions.
    ///   - truth: A CSV file of the true events.
    /// - Throws: A ``PipelineError`` if the pipeline has no such stage, if it is live, or if `truth` cannot be read.
    init(_ plan: Plan, matcher: String?, truth: String) throws {
        let makers = plan.nodes.filter { $0.output?.isSamePayload(as: PortType(Recognition.self)) ?? false }
        guard let maker = matcher.map({ id in makers.first { $0.id == id } }) ?? makers.last else {
            throw PipelineError(
                .configuration, "eval.matcher",
                matcher.map { "no stage \"\($0)\" makes recognitions" }
                    ?? "no stage of the pipeline makes recognitions",
                help: makers.isEmpty ? Self.help(plan) : "there is \(shortList(makers.map(\.id)))")
        }
        guard plan.mode == .batch else {
            throw PipelineError(
                .configuration, "eval.live", "--truth cannot evaluate a live pipeline",
                help: "make a copy of it with mode: batch and a file as its source")
        }
        node = maker.id
        self.plan = Self.withoutSinks(plan)
        let table = try WholeFile.read(truth, limit: 1 << 28)
        do throws(PipelineError) {
            happened = try EventScore.Event.truth(csv: table)
        } catch {
            var error = error
            error.location = ([truth] + [error.location].compactMap { $0 }).joined(separator: ", ")
            throw error
        }
        hasStreams = happened.contains { !$0.stream.isEmpty }
    }

    /// Returns advice for a pipeline without recognitions: results of `each` cannot be compared with events.
    private static func help(_ plan: Plan) -> String? {
        let each = plan.nodes.first { $0.output?.isSamePayload(as: PortType(HandResults.self)) ?? false }
        return each.map {
            "\"\($0.id)\" makes results, which say what each hand shows, but not when a gesture began: "
                + "evaluate its stages on single hands, without track and each; kind: landmarks with decode: "
                + "{ preset: canonical, points: \"hands[*].pts\", layout: \"hands[*].fields\" } "
                + "reads the first hand of each recorded message"
        }
    }

    private static func withoutSinks(_ plan: Plan) -> Plan {
        var (kept, places): ([Plan.Node], [Int: Int]) = ([], [:])
        for (index, node) in plan.nodes.enumerated() where node.output != nil {
            places[index] = kept.count
            var node = node
            node.edges = node.edges.compactMap { edge in
                places[edge.from].map { place in
                    var edge = edge
                    edge.from = place
                    return edge
                }
            }
            kept.append(node)
        }
        var result = plan
        result.nodes = kept
        return result
    }

    /// Runs the pipeline and compares its results with the true events.
    ///
    /// - Returns: The score of all gestures together, and by name.
    func score(_ console: Console) async throws -> (all: EventScore, byLabel: [(label: String, score: EventScore)]) {
        let run = Run(plan)
        let results = try run.results(of: node, as: Recognition.self)
        let reporter = ProgressReporter(measure: { RunProgress.measure(run) }, console: console)
        let hasStreams = hasStreams
        let found = try await reporter.during {
            var found: [EventScore.Event] = []
            for try await frame in results where frame.payload.best.index >= 0 {
                let recognition = frame.payload
                found.append(
                    EventScore.Event(
                        label: recognition.best.name, stream: hasStreams ? frame.stream.description : "",
                        start: recognition.start, end: recognition.end, reported: frame.timestamp))
            }
            return found
        }
        let labels = Set((found + happened).map(\.label)).sorted()
        let byLabel = labels.map { label in
            (
                label,
                EventScore(found: found.filter { $0.label == label }, happened: happened.filter { $0.label == label })
            )
        }
        return (EventScore(found: found, happened: happened), byLabel)
    }

    /// Returns F1, precision and recall. A share of no gestures is `nil`.
    private static func shares(_ score: EventScore) -> [(name: String, share: Double?)] {
        let (found, happened) = (score.hits + score.falseAlarms, score.hits + score.misses)
        return [
            ("f1", found + happened > 0 ? score.f1 : nil), ("precision", found > 0 ? score.precision : nil),
            ("recall", happened > 0 ? score.recall : nil),
        ]
    }

    /// Returns the score as text.
    static func text(
        _ all: EventScore, _ byLabel: [(label: String, score: EventScore)], _ style: Style
    ) -> String {
        var table = Table([
            ("gesture", .left), ("F1", .right), ("precision", .right), ("recall", .right), ("found", .right),
            ("false alarms", .right), ("missed", .right), ("p50 delay", .right), ("p90 delay", .right),
        ])
        for (label, score) in byLabel + [("all", all)] {
            func delay(_ share: Double) -> String {
                score.delay(share).map { "\(shortDecimal((Double($0) / 100).rounded() / 10)) ms" } ?? ""
            }
            table.add(
                [label] + shares(score).map { $0.share.map { EvaluationReport.percent($0) } ?? "–" }
                    + ["\(score.hits)", "\(score.falseAlarms)", "\(score.misses)", delay(0.5), delay(0.9)])
        }
        return table.text(style) + """

            found: a result of the same name overlaps the gesture by more than half of the shorter of the two
            delay: from the end of the gesture to the result

            """
    }

    /// Returns the score as a CSV table with one line per gesture. The line for all gestures has no name.
    static func csv(_ all: EventScore, _ byLabel: [(label: String, score: EventScore)]) -> String {
        var csv = TextBuffer()
        csv.literal("gesture,f1,precision,recall,hits,false_alarms,misses,p50_delay_us,p90_delay_us\n")
        for (label, score) in byLabel + [("", all)] {
            csv.cell(label)
            for (_, share) in shares(score) { csv.plain("," + (share.map { "\($0)" } ?? "")) }
            csv.plain(",\(score.hits),\(score.falseAlarms),\(score.misses)")
            for share in [0.5, 0.9] { csv.plain("," + (score.delay(share).map { "\($0)" } ?? "")) }
            csv.byte(0x0A)
        }
        return csv.text
    }

    /// Returns the score as JSON.
    static func json(_ all: EventScore, _ byLabel: [(label: String, score: EventScore)]) -> JSONValue {
        func value(_ label: String, _ score: EventScore) -> JSONValue {
            .object(
                [("gesture", .string(label))]
                    + shares(score).map { ($0.name, $0.share.map { .number($0) } ?? .null) }
                    + [
                        ("hits", .integer(score.hits)), ("false_alarms", .integer(score.falseAlarms)),
                        ("misses", .integer(score.misses)), ("p50_delay_us", .optional(score.delay(0.5))),
                        ("p90_delay_us", .optional(score.delay(0.9))),
                    ])
        }
        return .object([
            ("design", .string("continuous")), ("all", value("", all)),
            ("gestures", .array(byLabel.map { value($0.label, $0.score) })),
        ])
    }
}
