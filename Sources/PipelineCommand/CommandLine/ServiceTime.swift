/// The simulated time that a component takes to process a frame, as the command line gives it: `smooth=8ms`.
struct ServiceTime: Sendable, Equatable {
    /// The component's `id`.
    let component: String
    /// The time in nanoseconds.
    let nanoseconds: Int64

    /// Parses `ID=TIME`. Fails for any other text.
    init?(_ text: String) {
        guard let equals = text.lastIndex(of: "="), equals != text.startIndex,
            let nanoseconds = Self.nanoseconds(text[text.index(after: equals)...])
        else { return nil }
        component = String(text[..<equals])
        self.nanoseconds = nanoseconds
    }

    /// Returns the nanoseconds in a number with its unit, up to one day: `500us`, `2.5ms`, `1s`. Returns `nil` if the unit is
    /// missing, because a bare number would be ambiguous.
    static func nanoseconds(_ text: Substring) -> Int64? { duration(text, bareUnit: nil, atMost: 86_400e9) }

    /// Returns the nanoseconds in a number with its unit; without a unit, in seconds: `90`, `90s`, `2m`, `1h`. Longer times than a
    /// century count as a century.
    static func duration(_ text: Substring) -> Int64? { duration(text, bareUnit: 1e9, atMost: nil) }

    private static func duration(_ text: Substring, bareUnit: Double?, atMost limit: Double?) -> Int64? {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let units: [Substring: Double] = ["ns": 1, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9, "m": 60e9, "h": 3600e9]
        let name = text.dropFirst(digits.count)
        guard let value = Double(digits), let unit = name.isEmpty ? bareUnit : units[name],
            value * unit <= limit ?? .infinity
        else { return nil }
        return Int64(min(value * unit, 3.2e18).rounded())
    }

    /// Returns the times by component.
    ///
    /// - Throws: A usage error if a component has two times.
    static func byComponent(_ times: [ServiceTime]) throws(UsageError) -> [String: Int64] {
        var known: [String: Int64] = [:]
        for time in times where known.updateValue(time.nanoseconds, forKey: time.component) != nil {
            throw UsageError("--service gives two times for \"\(time.component)\"", help: "give it one")
        }
        return known
    }
}
