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
    static func nanoseconds(_ text: Substring) -> Int64? {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let units: [Substring: Double] = ["ns": 1, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9]
        guard let value = Double(digits), let unit = units[text.dropFirst(digits.count)], value * unit <= 86_400e9
        else {
            return nil
        }
        return Int64((value * unit).rounded())
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
