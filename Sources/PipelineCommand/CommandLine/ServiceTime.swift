/// How long a component takes for a frame, as the command line says it: `smooth=8ms`.
struct ServiceTime: Sendable, Equatable {
    /// The component's `id`.
    let component: String
    /// Nanoseconds.
    let nanoseconds: Int64

    /// Reads `ID=TIME`; `nil` when it is something else.
    init?(_ text: String) {
        guard let equals = text.lastIndex(of: "="), equals != text.startIndex,
            let nanoseconds = Self.nanoseconds(text[text.index(after: equals)...])
        else { return nil }
        component = String(text[..<equals])
        self.nanoseconds = nanoseconds
    }

    /// Reads a number with its unit, up to a day: `500us`, `2.5ms`, `1s`. The unit is never left out: nobody could tell
    /// which was meant.
    static func nanoseconds(_ text: Substring) -> Int64? {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let units: [Substring: Double] = ["ns": 1, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9]
        guard let value = Double(digits), let unit = units[text.dropFirst(digits.count)], value * unit <= 86_400e9
        else {
            return nil
        }
        return Int64((value * unit).rounded())
    }

    /// Several components, each at most once.
    ///
    /// - Throws: When one is given two times.
    static func byComponent(_ times: [ServiceTime]) throws(UsageError) -> [String: Int64] {
        var known: [String: Int64] = [:]
        for time in times where known.updateValue(time.nanoseconds, forKey: time.component) != nil {
            throw UsageError("--service gives two times for \"\(time.component)\"", help: "give it one")
        }
        return known
    }
}
