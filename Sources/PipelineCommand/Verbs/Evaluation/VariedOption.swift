import Pipeline

/// An option of a pipeline and the values to try, as given to `tune --vary`.
struct VariedOption: Sendable {
    /// The maximum number of combinations to try.
    private static let most = 100_000
    private static let mostValues = 10_000

    /// The option, `ID.OPTION`.
    let name: String
    /// The values, in YAML.
    let values: [String]

    /// Parses `ID.OPTION=FROM:TO:STEP` or `ID.OPTION=VALUE,VALUE…`. Fails for any other text.
    init?(_ text: String) {
        guard let equals = text.firstIndex(of: "="), text[..<equals].contains(".") else { return nil }
        name = String(text[..<equals])
        let written = text[text.index(after: equals)...]
        let bounds = written.split(separator: ":", omittingEmptySubsequences: false).map { Double($0) }
        if bounds.count == 3, let from = bounds[0], let to = bounds[1], let step = bounds[2] {
            // A step such as 0.1 is not exact in binary, so the computed last value may lie slightly above the upper bound. It is
            // still included.
            let count = ((to - from) / step + 1e-9).rounded(.down)
            guard step != 0, count >= 0, count < Double(Self.mostValues) else { return nil }
            values = (0...Int(count)).map { number in
                shortDecimal(((from + Double(number) * step) * 1e9).rounded() / 1e9)
            }
        } else {
            values = written.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            guard values.allSatisfy({ !$0.isEmpty }) else { return nil }
        }
    }

    /// Returns every combination of values, in the form of `--set`. The last option varies fastest.
    ///
    /// - Throws: A usage error if there are no options or too many combinations, or if an option is given twice.
    static func combinations(_ options: [VariedOption]) throws -> [[String]] {
        guard !options.isEmpty else {
            throw UsageError(
                "--vary is missing", help: "name an option and its values, as in --vary match.limit_factor=0.5:2:0.1")
        }
        if let twice = options.first(where: { option in options.count { $0.name == option.name } > 1 }) {
            throw UsageError("--vary names \(twice.name) twice", help: "give all of its values in one --vary")
        }
        let count = options.reduce(1.0) { $0 * Double($1.values.count) }
        guard count <= Double(most) else {
            throw UsageError("\(Int(saturating: count)) combinations are too many", help: "at most \(most) are tried")
        }
        return options.reduce([[]]) { grid, option in
            grid.flatMap { settings in option.values.map { settings + ["\(option.name)=\($0)"] } }
        }
    }
}
