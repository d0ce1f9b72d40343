import Pipeline

/// What an evaluation found: as numbers, as a table, as JSON and as a plot.
public struct EvaluationReport: Sendable {
    /// The result for one number of templates.
    public struct Row: Sendable {
        /// Templates of each class (of each user).
        public var templates: Int
        /// How many other users gave templates; 0 when they were the tested user's own.
        public var users: Int
        /// How many strokes were tested.
        public var tests: Int
        /// The share recognised.
        public var accuracy: Double
        /// The share recognised and accepted when 5 % of gestures that are not in the library are accepted.
        public var acceptedAt5: Double
        /// The same at 1 %.
        public var acceptedAt1: Double
        /// How often a class (first index) was taken for another (second index).
        public var confusion: [[Int]]
    }

    /// The method that was evaluated.
    public var method: String
    /// Whose strokes the templates were.
    public var design: Evaluation.Design
    /// The classes, in the order of the confusion matrices.
    public var classes: [String]
    /// How many users the data have.
    public var users: Int
    /// How many pools there were to draw from: users, or their groups.
    public var pools: Int
    /// How many samples the data have.
    public var samples: Int
    /// Where the random numbers started.
    public var seed: UInt64
    /// The results, in the order asked for.
    public var rows: [Row]
    /// How many of the samples are of classes that the library evaluated does not have.
    public var strangers = 0
    /// How long one match took on average: the only number here that differs from run to run.
    public var nanosecondsPerMatch: Double

    /// The report as text: a table, and the pairs of classes most often confused.
    public var table: String {
        var text = "\(method), \(design.rawValue), \(samples) samples of \(classes.count) classes by \(users) users"
        if pools > users { text += " in \(pools) pools" }
        // Nothing is drawn at random where a library is evaluated as it stands.
        switch design {
        case .library: text += ", \(strangers) of other classes\n\n"
        case .blocks: text += "\n\n"
        case .userDependent, .userIndependent: text += ", seed \(seed)\n\n"
        }
        let isIndependent = design == .userIndependent
        text += (isIndependent ? "  users" : "") + "  templates     tests  accuracy  at 5 % FA  at 1 % FA\n"
        for row in rows {
            if isIndependent { text += padded("\(row.users)", 7) }
            text += padded("\(row.templates)", 11) + padded("\(row.tests)", 10) + padded(percent(row.accuracy), 10)
            text += padded(percent(row.acceptedAt5), 11) + padded(percent(row.acceptedAt1), 11) + "\n"
        }
        text +=
            "\naccuracy: recognised; at N % FA: recognised and accepted when N % of gestures not in the library are accepted\n"
        let pairs = confusions.prefix(5)
        if !pairs.isEmpty {
            text += "\nmost often confused, all rows:\n"
            for pair in pairs { text += "  \(pair.actual.shown) taken for \(pair.found.shown): \(pair.count)\n" }
        }
        return text + "\none match took \(GestureDrawing.short(nanosecondsPerMatch / 1000)) µs on average\n"
    }

    /// Classes taken for others over all rows, most often first.
    public var confusions: [(actual: String, found: String, count: Int)] {
        var pairs: [(actual: String, found: String, count: Int)] = []
        for (i, actual) in classes.enumerated() {
            for (j, found) in classes.enumerated() where i != j {
                let count = rows.reduce(0) { $0 + $1.confusion[i][j] }
                if count > 0 { pairs.append((actual, found, count)) }
            }
        }
        return pairs.sorted { ($1.count, $0.actual, $0.found) < ($0.count, $1.actual, $1.found) }
    }

    /// The report as a JSON document.
    public var json: String {
        var json = TextBuffer()
        json.literal("{\"method\":")
        json.quoted(method)
        json.literal(",\"design\":")
        json.quoted(design.rawValue)
        json.plain(",\"samples\":\(samples),\"users\":\(users),\"pools\":\(pools),\"seed\":\(seed),\"ns_per_match\":")
        json.number(nanosecondsPerMatch.rounded())
        json.plain(",\"strangers\":\(strangers)")
        json.literal(",\"classes\":[")
        for (i, name) in classes.enumerated() {
            if i > 0 { json.literal(",") }
            json.quoted(name)
        }
        json.literal("],\"rows\":[")
        for (i, row) in rows.enumerated() {
            json.plain(i > 0 ? ",\n{" : "\n{")
            json.plain("\"templates\":\(row.templates),\"users\":\(row.users),\"tests\":\(row.tests),\"accuracy\":")
            json.number(row.accuracy)
            json.literal(",\"accepted_at_5\":")
            json.number(row.acceptedAt5)
            json.literal(",\"accepted_at_1\":")
            json.number(row.acceptedAt1)
            let matrix = row.confusion.map { "[" + $0.map(String.init).joined(separator: ",") + "]" }
            json.plain(",\"confusion\":[\(matrix.joined(separator: ","))]}")
        }
        json.literal("]}\n")
        return json.text
    }

    private func percent(_ share: Double) -> String {
        let hundredths = Int((share * 10_000).rounded())
        return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100) %"
    }

    private func padded(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
