import Pipeline
import Stages

extension EvaluationReport {
    /// The accuracy as a function of the number of templates, as an SVG document. The plot has separate lines for each number of
    /// users.
    public var svg: String { String(decoding: learningCurve.picture.svg(), as: UTF8.self) }

    /// Returns the same plot as a PNG file.
    ///
    /// - Throws: An environment error when there is not enough memory.
    public func png() throws -> [UInt8] { try learningCurve.picture.png(scale: 2) }

    private var title: String { (pipeline.isEmpty ? "" : "\(pipeline): ") + "\(method), \(design.rawValue)" }

    /// A plot of the accuracy as a function of the number of templates.
    var learningCurve: LinePlot {
        let lines = Set(rows.map(\.users)).sorted().enumerated().flatMap { number, users in
            let rows = rows.filter { $0.users == users }.sorted { $0.templates < $1.templates }
            let note = users == 0 ? "" : ", \(users) user\(users == 1 ? "" : "s")"
            func line(_ name: String, isDashed: Bool, _ share: (Row) -> Double?) -> LinePlot.Line {
                let places = rows.compactMap { row in
                    share(row).map { Picture.Place(x: Double(row.templates), y: $0) }
                }
                return LinePlot.Line(name: name + note, places: places, isDashed: isDashed, color: number)
            }
            return [
                line("recognized", isDashed: false, \.accuracy),
                line("recognized, with 5 % false accepts allowed", isDashed: true, \.acceptedAt5),
            ]
        }
        let shares = lines.flatMap(\.places).map(\.y)
        return LinePlot(
            title: title,
            x: LinePlot.Axis(
                title: "templates per class", marks: Set(rows.map(\.templates)).sorted().map { (Double($0), "\($0)") }),
            y: .percent("", from: shares.min() ?? 0), lines: lines)
    }

    /// Returns a plot of the share of known gestures that are recognized and accepted, as a function of the share of unknown
    /// gestures that are accepted.
    func acceptance(of row: Row) -> LinePlot {
        func line(_ name: String, _ sweep: ThresholdSweep, _ color: Int) -> LinePlot.Line {
            LinePlot.Line(
                name: name, places: sweep.curve.map { .init(x: $0.falseAccept, y: $0.accepted) }, color: color)
        }
        var lines = [line("one threshold for all classes", row.byDistance, 0)]
        if let sweep = row.byFactor { lines.append(line("the limits of the pipeline, times a factor", sweep, 1)) }
        if let falseAccept = row.all.falseAccept {
            lines.append(
                LinePlot.Line(
                    name: "the pipeline as it is", places: [.init(x: falseAccept, y: row.all.rightShare)], color: 2))
        }
        let marks = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5]
        return LinePlot(
            title: "true accept rate, over the false accept rate (\(row.templates) templates)",
            x: LinePlot.Axis(
                title: "unknown gestures accepted",
                marks: marks.map { ($0, "\(twoDecimals($0 * 100)) %") }, isLogarithmic: true),
            y: .percent("", from: lines.flatMap(\.places).map(\.y).min() ?? 0), lines: lines)
    }

    /// Returns a plot of the accuracy of answers as a function of their confidence, or `nil` when the row has no data about
    /// reliability.
    func reliability(of row: Row) -> LinePlot? {
        guard let reliability = row.reliability else { return nil }
        let places = reliability.bins.filter { $0.count > 0 }.map { Picture.Place(x: $0.confidence, y: $0.accuracy) }
        return LinePlot(
            title: "share of right answers, over their confidence (\(row.templates) templates)",
            x: LinePlot.Axis(
                title: "confidence", marks: stride(from: 0, through: 100, by: 20).map { (Double($0) / 100, "\($0) %") }),
            y: .percent("", from: 0),
            lines: [
                LinePlot.Line(
                    name: "perfect calibration", places: [.init(x: 0, y: 0), .init(x: 1, y: 1)], isDashed: true,
                    color: 1,
                    hasDots: false),
                LinePlot.Line(name: "the pipeline", places: places),
            ])
    }
}
