import Pipeline

extension EvaluationReport {
    /// The report as text: a table, details of its last row, and the pairs of classes that are most often confused.
    public var table: String {
        var text = headline + "\n\n"
        let showsUsers = design == .userIndependent || design == .leaveOnePersonOut
        let hasUnknown = rows.contains { $0.all.unknownTests > 0 }
        text += (showsUsers ? "  users" : "") + "  templates     tests  accuracy  95 % range     right"
        text += (hasUnknown ? "     FA" : "") + "  at 5 % FA  at 1 % FA\n"
        for row in rows {
            if showsUsers { text += padded("\(row.users)", 7) }
            text += padded("\(row.templates)", 11) + padded("\(row.tests)", 10) + padded(Self.percent(row.accuracy), 10)
            text += padded(Self.percent(row.interval), 12) + padded(Self.percent(row.all.rightShare), 10)
            if hasUnknown { text += padded(Self.percent(row.all.falseAccept), 9) }
            text += padded(Self.percent(row.acceptedAt5), 11) + padded(Self.percent(row.acceptedAt1), 11) + "\n"
        }
        text += """

            accuracy: nearest to its own class; right: named correctly by the pipeline, with its limits\
            \(hasUnknown ? "; FA: unknown gestures that it named" : "")
            at N % FA: recognized and accepted when N % of gestures not in the library are accepted

            """
        if let row = rows.last { text += details(of: row) }
        let confused = confusions.prefix(10)
        if !confused.isEmpty {
            text += "\nmost often confused\(rows.count > 1 ? " in all rows" : ""):\n"
            for pair in confused { text += "  \(pair.actual.shown) taken for \(pair.found.shown): \(pair.count)\n" }
        }
        return text + "\none match took \(twoDecimals(nanosecondsPerMatch / 1000)) µs on average\n"
    }

    private func details(of row: Row) -> String {
        var text = ""
        if let reliability = row.reliability {
            text +=
                "confidence: differs from the share of right answers by \(Self.percent(reliability.error)) on average (expected calibration error)\n"
        }
        let people = row.byPerson.enumerated().filter { $0.element.tests > 0 }
        if people.count > 1 {
            let worst = people.sorted { ($0.element.accuracy, $0.offset) < ($1.element.accuracy, $1.offset) }.prefix(3)
            let list = worst.map { "\(self.people[$0.offset].shown) \(Self.percent($0.element.accuracy))" }
            text += "people recognized worst with \(row.templates) templates: \(list.joined(separator: ", "))\n"
        }
        let low = row.byClass.enumerated().filter { $0.element.tests > 0 && $0.element.accuracy < 1 }
            .sorted { ($0.element.accuracy, $0.offset) < ($1.element.accuracy, $1.offset) }.prefix(5)
        if !low.isEmpty {
            let list = low.map { "\(classes[$0.offset].shown) \(Self.percent($0.element.accuracy))" }
            text += "classes recognized worst: \(list.joined(separator: ", "))\n"
        }
        return text
    }

    private func padded(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
