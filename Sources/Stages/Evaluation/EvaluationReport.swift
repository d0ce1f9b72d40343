import Pipeline

/// The result of an evaluation in numbers. Tables, JSON, CSV and pages are made from it.
public struct EvaluationReport: Sendable {
    /// The name of the evaluated pipeline, or an empty string.
    public var pipeline: String
    /// The evaluated method.
    public var method: String
    /// The evaluation protocol.
    public var design: EvaluationDesign
    /// The classes, in the order of the confusion matrices.
    public var classes: [String]
    /// The people, in the order of ``Row/byPerson``.
    public var people: [String]
    /// The number of people whose samples were tested.
    public var users: Int
    /// The number of pools to draw from: people, or groups of their samples.
    public var pools: Int
    /// The number of samples in the data.
    public var samples: Int
    /// The seed of the random numbers.
    public var seed: UInt64
    /// The results, in the requested order: one row for each number of templates, and of people who provide them.
    public var rows: [Row]
    /// The average time of one match, in nanoseconds: the only number here that differs from run to run.
    public var nanosecondsPerMatch: Double
    /// The number of samples of classes that the evaluated library does not have.
    public var unknownSamples = 0
    /// The labeled samples; if a library is evaluated, its own samples come first.
    package let items: [EvaluationItem]

    /// The pairs of a class and the class it was mistaken for, with their counts over all rows, most frequent first.
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

    /// A one-line description of the evaluation.
    public var headline: String {
        let people = users == 1 ? "1 person" : "\(users) people"
        var text = "\(method), \(design.rawValue), \(samples) samples of \(classes.count) classes by \(people)"
        if pools > users { text += " in \(pools) pools" }
        // The designs library and blocks involve no random draws.
        switch design {
        case .library: text += ", \(unknownSamples) of other classes"
        case .blocks: break
        default: text += ", seed \(seed)"
        }
        return text
    }

    /// Returns a share in percent, with two decimals; "–" if nothing was measured.
    public static func percent(_ share: Double?) -> String {
        guard let share else { return "–" }
        let hundredths = Int((share * 10_000).rounded())
        return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100) %"
    }

    /// Returns an interval of shares in percent, with one decimal.
    public static func percent(_ interval: ClosedRange<Double>?) -> String {
        guard let interval else { return "–" }
        func short(_ share: Double) -> String {
            let tenths = Int((share * 1000).rounded())
            return "\(tenths / 10).\(tenths % 10)"
        }
        return "\(short(interval.lowerBound))–\(short(interval.upperBound))"
    }
}
