import Connectors
import Pipeline
import PipelineComponents
import Stages

/// Writes the explanation of a result as JSON, after its input was processed again: `/api/why`.
struct WhyAnswer {
    private var json = TextBuffer()

    /// Returns the answer for a result that cannot be explained.
    static func impossible(_ result: KeptResult?, _ whole: Plan, _ reason: String) -> [UInt8] {
        var answer = WhyAnswer()
        answer.begin(isPossible: false, result, whole)
        answer.json.literal(",\"reason\":")
        answer.json.quoted(reason)
        answer.json.literal("}\n")
        return answer.text
    }

    /// Creates the answer for a result whose input was processed again.
    ///
    /// - Parameters:
    ///   - whole: The plan of the original run.
    ///   - places: For each step, the index of its node in `whole`.
    ///   - steps: For each step, the frames that its node emitted and that belong to the result.
    ///   - again: The frame of the new run that corresponds to the result; `nil` if there was no such frame.
    init(_ result: KeptResult, _ whole: Plan, places: [Int], steps: [[WatchedFrame]], again: WatchedFrame?) {
        begin(isPossible: true, result, whole)
        json.literal(",\"inputs\":")
        list(
            places.indices.filter { whole.nodes[places[$0]].edges.isEmpty }.flatMap { step in
                steps[step].map { (whole.nodes[places[step]].id, $0) }
            }
        ) { $0.frame($1.1, of: $1.0) }
        json.literal(",\"steps\":")
        list(Array(zip(places, steps))) { writer, step in
            let node = whole.nodes[step.0]
            writer.members([
                ("node", .string(node.id)), ("component", .string(node.component)),
                ("kind", .string(node.output?.kind.rawValue ?? "")),
            ])
            writer.json.literal(",\"frames\":")
            writer.list(step.1) { $0.frame($1, of: nil) }
            writer.json.literal("}")
        }
        let isSame = again.map { ShownFrame($0).payload == result.payload } ?? false
        json.literal(",\"same\":")
        json.plain(isSame ? "true" : "false")
        verdict(whole, places, steps)
        json.literal("}\n")
    }

    private init() {}

    var text: [UInt8] { json.bytes }

    private mutating func begin(isPossible: Bool, _ result: KeptResult?, _ whole: Plan) {
        members([("version", .integer(1)), ("possible", .boolean(isPossible))])
        json.literal(",\"result\":")
        guard let result else { return json.literal("null") }
        members([
            ("id", .integer(result.id)), ("node", .string(whole.nodes[result.node].id)),
            ("stream", .outside(result.stream.name)), ("seq", .count(result.sequence)),
            ("t_us", .count(result.timestamp.rawValue)),
        ])
        payload(result.payload)
        json.literal("}")
    }

    /// Writes the explanation by the last matcher upstream of the result: the candidates for the matcher's input, and whether the
    /// best one is accepted.
    private mutating func verdict(_ whole: Plan, _ places: [Int], _ steps: [[WatchedFrame]]) {
        for step in places.indices.reversed() {
            guard let matcher = whole.nodes[places[step]].stage as? any ExplainableStage,
                let from = whole.nodes[places[step]].edges.first?.from, let before = places.firstIndex(of: from),
                let input = steps[before].last
            else { continue }
            do {
                if let answer = try matcher.answer(to: input.payload) {
                    let origin = places.firstIndex { whole.nodes[$0].id == answer.preparedFrom } ?? before
                    write(answer, input)
                    json.literal(",\"subject\":")
                    guard let subject = steps[origin].last else { return json.literal("null") }
                    return frame(subject, of: whole.nodes[places[origin]].id)
                }
            } catch {
                return sentence(
                    "\(whole.nodes[places[step]].id) refuses the input: \(PipelineError(wrapping: error).message)")
            }
        }
        let nested = places.map { whole.nodes[$0] }.flatMap { node in
            ((node.stage as? any NestingStage)?.chain.nodes ?? []).map { (id: "\(node.id).\($0.id)", stage: $0.stage) }
        }
        let inner = nested.last { ($0.stage as? any ExplainableStage)?.hasTemplates ?? false }?.id
        sentence(
            (inner.map { "\($0) compares each hand with templates, but results for single hands are not explained." }
                ?? "No stage upstream compares frames with templates.") + " The steps show the output of each stage.")
    }

    private mutating func sentence(_ text: String) {
        json.literal(",\"candidates\":[],\"sentence\":")
        json.quoted(text)
    }

    private mutating func write(_ answer: MatchExplanation, _ input: WatchedFrame) {
        json.literal(",\"candidates\":")
        list(Array(answer.candidates.enumerated())) { writer, entry in
            let candidate = entry.element
            writer.members([
                ("label", .outside(candidate.label)),
                ("template", candidate.sample.map { .string("\(candidate.label.cut)-\($0.number + 1)") } ?? .null),
                ("score", .number(candidate.score)), ("rank", .integer(entry.offset + 1)),
                ("distance", .number(candidate.distance)),
                ("limit", candidate.limit < .infinity ? .number(candidate.limit) : .null),
            ])
            writer.json.literal(",\"points\":")
            let message = candidate.sample.flatMap {
                ShownFrame(WatchedFrame($0.payload, at: input.timestamp, stream: input.stream)).payload
            }
            if let message { message.withUnsafeBytes { writer.json.plain($0) } } else { writer.json.literal("null") }
            writer.json.literal("}")
        }
        json.literal(",\"threshold\":")
        json.number(answer.scoreThreshold)
        json.literal(",\"margin\":")
        json.number(answer.margin)
        json.literal(",\"min_margin\":")
        json.number(answer.minMargin)
        json.literal(",\"accepted\":")
        json.plain(answer.isAccepted ? "true" : "false")
        json.literal(",\"sentence\":")
        json.quoted(answer.sentence)
    }

    // MARK: Format

    /// Writes an object without its closing brace, so that more members can be added.
    private mutating func members(_ members: [(key: String, value: JSONValue)]) {
        json.plain(String(JSONValue.object(members).text(isIndented: false).dropLast()))
    }

    private mutating func frame(_ frame: WatchedFrame, of node: String?) {
        var list: [(key: String, value: JSONValue)] = []
        if let node { list.append(("node", .string(node))) }
        list += [
            ("stream", .outside(frame.stream.name)), ("seq", .count(frame.sequence)),
            ("t_us", .count(frame.timestamp.rawValue)),
        ]
        members(list)
        payload(ShownFrame(frame).payload)
        json.literal("}")
    }

    private mutating func payload(_ payload: [UInt8]?) {
        json.literal(",\"payload\":")
        guard let payload else { return json.literal("null") }
        payload.withUnsafeBytes { json.plain($0) }
    }

    private mutating func list<Element>(_ elements: [Element], _ write: (inout WhyAnswer, Element) -> Void) {
        json.literal("[")
        for (index, element) in elements.enumerated() {
            if index > 0 { json.literal(",") }
            write(&self, element)
        }
        json.literal("]")
    }
}
