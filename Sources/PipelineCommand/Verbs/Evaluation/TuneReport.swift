import Pipeline
import PipelineComponents
import Stages

/// The report of `tune`: the chosen setting, the best of the others, and the result to expect for people outside the data.
struct TuneReport {
    /// The number of settings that the text lists.
    private static let shown = 10

    private let tuning: Tuning
    private let headline: String
    private let people: [String]

    /// - Parameter report: A report about one of the settings, for what all reports have in common.
    init(_ tuning: Tuning, _ report: EvaluationReport) {
        (self.tuning, headline, people) = (tuning, report.headline, report.people)
    }

    /// The indices of the settings in the order in which they are listed: settings within the bounds first, then by share of right
    /// results, then by false accept rate, then in the order of the grid.
    private var order: [Int] {
        func rank(_ index: Int) -> (Int, Double, Double, Int) {
            let all = tuning.candidates[index].all
            return (tuning.isWithin(index) ? 0 : 1, -all.rightShare, all.falseAccept ?? 0, index)
        }
        return tuning.candidates.indices.sorted { rank($0) < rank($1) }
    }

    func text(_ style: Style) -> String {
        var table = Table([
            ("", .left), ("right", .right), ("FA", .right), ("accuracy", .right), ("µs", .right), ("settings", .left),
        ])
        func add(_ name: String, _ index: Int) {
            let candidate = tuning.candidates[index]
            let all = candidate.all
            table.add([
                name, EvaluationReport.percent(all.rightShare),
                EvaluationReport.percent(all.falseAccept), EvaluationReport.percent(all.accuracy),
                tenths(candidate.nanoseconds / 1000),
                candidate.settings.isEmpty ? "as it is" : candidate.settings.joined(separator: " "),
            ])
        }
        if let best = tuning.best { add("chosen", best) }
        for index in order.prefix(Self.shown) where index != tuning.best && index != 0 {
            add(tuning.isWithin(index) ? "" : "beyond", index)
        }
        if tuning.best != 0, tuning.candidates.first?.settings.isEmpty == true { add("before", 0) }
        let count = tuning.candidates.count
        var text = "\(Counted.text(count, "setting")) judged by \(headline)\n\n" + table.text(style) + "\n"
        if let unseen = tuning.unseen {
            text += "for people left out of the choice: \(EvaluationReport.percent(unseen.rightShare)) right"
            if let falseAccept = unseen.falseAccept {
                text += ", \(EvaluationReport.percent(falseAccept)) of unknown gestures named"
            }
            text += "\n"
        } else {
            text += "\(whyNotUnseen)\n"
        }
        return text
    }

    /// Why there is no result for unseen people, if there is none.
    private var whyNotUnseen: String {
        if tuning.best == nil { return "no setting is within the limits" }
        guard let person = tuning.indispensable else { return "too few people to estimate the result for others" }
        let name = people[person].isEmpty ? "the samples without a person" : people[person].shown
        return "no estimate of the result for others: without \(name), no setting is within the limits"
    }

    var json: JSONValue {
        func value(_ part: EvaluationReport.Row.Part) -> [(key: String, value: JSONValue)] {
            [
                ("right", .number(part.rightShare)), ("false_accepts", part.falseAccept.map(JSONValue.number) ?? .null),
                ("accuracy", .number(part.accuracy)), ("tests", .integer(part.tests)),
                ("strangers", .integer(part.unknownTests)),
            ]
        }
        let settings = tuning.candidates.indices.map { index in
            let candidate = tuning.candidates[index]
            return JSONValue.object(
                [("settings", .array(candidate.settings.map(JSONValue.string)))] + value(candidate.all) + [
                    ("ns_per_match", .number(candidate.nanoseconds.rounded())),
                    ("within_bounds", .boolean(tuning.isWithin(index))),
                ])
        }
        let unseen = tuning.unseen
        return .object([
            ("chosen", tuning.best.map(JSONValue.integer) ?? .null),
            ("unseen", unseen.map { .object(value($0)) } ?? .null),
            ("unseen_missing", unseen == nil ? .string(whyNotUnseen) : .null), ("settings", .array(settings)),
        ])
    }

    private func tenths(_ number: Double) -> String { shortDecimal((number * 10).rounded() / 10) }
}
