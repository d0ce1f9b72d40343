import Pipeline

/// What an evaluation found: as numbers, as a table, as JSON, CSV and pages.
public struct EvaluationReport: Sendable {
    /// What was evaluated: a pipeline's name, or nothing.
    public var pipeline: String
    /// The method that was evaluated.
    public var method: String
    /// Whose samples the templates were.
    public var design: EvaluationDesign
    /// The classes, in the order of the confusion matrices.
    public var classes: [String]
    /// The people, in the order of the rows' parts.
    public var people: [String]
    /// How many people's samples were tested.
    public var users: Int
    /// How many pools there were to draw from: people, or their groups.
    public var pools: Int
    /// How many samples the data have.
    public var samples: Int
    /// Where the random numbers started.
    public var seed: UInt64
    /// The results, in the order asked for.
    public var rows: [Row]
    /// How long one match took on average: the only number here that differs from run to run.
    public var nanosecondsPerMatch: Double
    /// How many of the samples are of classes that the library evaluated does not have.
    public var strangers = 0
    /// The data.
    package let items: [EvaluationItem]

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

    /// What is evaluated, in one line.
    public var headline: String {
        var text = "\(method), \(design.rawValue), \(samples) samples of \(classes.count) classes by \(users) users"
        if pools > users { text += " in \(pools) pools" }
        // Nothing is drawn at random where a library is evaluated as it stands.
        switch design {
        case .library: text += ", \(strangers) of other classes"
        case .blocks: break
        default: text += ", seed \(seed)"
        }
        return text
    }

    /// A share in per cent, with two digits.
    public static func percent(_ share: Double) -> String {
        let hundredths = Int((share * 10_000).rounded())
        return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100) %"
    }

    /// An interval of shares in per cent, with one digit.
    public static func percent(_ interval: ClosedRange<Double>?) -> String {
        guard let interval else { return "–" }
        func short(_ share: Double) -> String {
            let tenths = Int((share * 1000).rounded())
            return "\(tenths / 10).\(tenths % 10)"
        }
        return "\(short(interval.lowerBound))–\(short(interval.upperBound))"
    }
}
