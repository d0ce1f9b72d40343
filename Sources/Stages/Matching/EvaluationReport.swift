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
            for pair in pairs { text += "  \(pair.actual) taken for \(pair.found): \(pair.count)\n" }
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
        json.plain(",\"samples\":\(samples),\"users\":\(users),\"seed\":\(seed),\"ns_per_match\":")
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

    /// Accuracy over the number of templates as an SVG document, a line for each number of users.
    public var svg: String {
        let (width, height, left, top) = (480.0, 300.0, 60.0, 30.0)
        let lowest = rows.flatMap { [$0.accuracy, $0.acceptedAt5] }.min() ?? 0
        // The scale begins at a whole ten per cent below what is shown.
        let floor = max(0, ((lowest * 10).rounded(.down) / 10) - (lowest > 0.95 ? 0 : 0.0))
        let most = Double(max(rows.map(\.templates).max() ?? 1, 2))
        func x(_ templates: Int) -> String {
            GestureDrawing.short(left + (width - left - 20) * (Double(templates) - 1) / (most - 1))
        }
        func y(_ share: Double) -> String {
            GestureDrawing.short(top + (height - top - 50) * (1 - (share - floor) / max(1 - floor, 0.01)))
        }
        var svg =
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 480 300\" font-family=\"sans-serif\" font-size=\"11\">\n"
        svg += "<text x=\"60\" y=\"18\" font-size=\"13\">\(GestureDrawing.escaped(method)), \(design.rawValue)</text>\n"
        for step in 0...5 {
            let share = floor + (1 - floor) * Double(step) / 5
            svg += "<line x1=\"60\" x2=\"460\" y1=\"\(y(share))\" y2=\"\(y(share))\" stroke=\"#ddd\"/>\n"
            svg += "<text x=\"54\" y=\"\(y(share))\" text-anchor=\"end\" dy=\"4\">\(percent(share))</text>\n"
        }
        for templates in Set(rows.map(\.templates)).sorted() {
            svg += "<text x=\"\(x(templates))\" y=\"266\" text-anchor=\"middle\">\(templates)</text>\n"
        }
        svg += "<text x=\"260\" y=\"288\" text-anchor=\"middle\">templates per class</text>\n"
        for (number, users) in Set(rows.map(\.users)).sorted().enumerated() {
            let colour = ["#1f4e79", "#c0392b", "#27784a", "#8e5aa8", "#b9770e"][number % 5]
            let line = rows.filter { $0.users == users }
            for (name, dashes, value) in [
                ("accuracy", "", \Row.accuracy),
                ("accepted at 5 % false accepts", " stroke-dasharray=\"4 3\"", \Row.acceptedAt5),
            ] {
                let points = line.map { "\(x($0.templates)),\(y($0[keyPath: value]))" }.joined(separator: " ")
                let title = users == 0 ? name : "\(name), \(users) users"
                svg += "<polyline points=\"\(points)\" fill=\"none\" stroke=\"\(colour)\" stroke-width=\"2\"\(dashes)>"
                svg += "<title>\(title)</title></polyline>\n"
            }
        }
        return svg + "</svg>\n"
    }

    private func percent(_ share: Double) -> String {
        let hundredths = Int((share * 10_000).rounded())
        return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100) %"
    }

    private func padded(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
