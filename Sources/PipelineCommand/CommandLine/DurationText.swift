/// Parses durations as the command line gives them.
enum DurationText {
    /// Returns the nanoseconds in a number with its unit, up to one day: `500us`, `2.5ms`, `1s`. Returns `nil` if the unit is
    /// missing, because a bare number would be ambiguous.
    static func nanoseconds(_ text: Substring) -> Int64? { parse(text, bareUnit: nil, atMost: 86_400e9) }

    /// Returns the nanoseconds in a number with its unit; without a unit, in seconds: `90`, `90s`, `2m`, `1h`. Longer times than a
    /// century count as a century.
    static func nanosecondsOrSeconds(_ text: Substring) -> Int64? { parse(text, bareUnit: 1e9, atMost: nil) }

    private static func parse(_ text: Substring, bareUnit: Double?, atMost limit: Double?) -> Int64? {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let units: [Substring: Double] = ["ns": 1, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9, "m": 60e9, "h": 3600e9]
        let name = text.dropFirst(digits.count)
        guard let value = Double(digits), let unit = name.isEmpty ? bareUnit : units[name],
            value * unit <= limit ?? .infinity
        else { return nil }
        return Int64(min(value * unit, 3.2e18).rounded())
    }
}
