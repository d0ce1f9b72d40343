/// Parses times in ISO 8601 format.
enum ISOTime {
    /// Returns the microseconds since 1970 of a time such as `2026-11-23T13:06:38.250Z` or `2026-11-23 14:06:38+01:00`. A time
    /// without a zone is in UTC. Returns `nil` for any other text.
    static func microseconds(in text: some Collection<UInt8>) -> Int64? {
        var rest = ArraySlice(text)
        guard let year = digits(4, &rest), take("-", &rest), let month = digits(2, &rest), take("-", &rest),
            let day = digits(2, &rest), (1...12).contains(month), day >= 1,
            days(year, month, day) < days(year, month + 1, 1),
            take("T", &rest) || take("t", &rest) || take(" ", &rest), let hour = digits(2, &rest), take(":", &rest),
            let minute = digits(2, &rest), hour < 24, minute < 60
        else { return nil }
        var (second, fraction) = (Int64(0), Int64(0))
        if take(":", &rest) {
            // Accepts 60 for a leap second.
            guard let read = digits(2, &rest), read <= 60 else { return nil }
            second = read
            if take(".", &rest) || take(",", &rest) {
                let places = rest.prefix { (0x30...0x39).contains($0) }
                guard !places.isEmpty else { return nil }
                rest = rest.dropFirst(places.count)
                for place in 0..<6 {
                    fraction =
                        fraction * 10 + (place < places.count ? Int64(places[places.startIndex + place] - 0x30) : 0)
                }
            }
        }
        guard let offset = zone(&rest), rest.isEmpty else { return nil }
        let minutes = (days(year, month, day) * 24 + hour) * 60 + minute - offset
        return (minutes * 60 + second) * 1_000_000 + fraction
    }

    /// Parses a time zone and returns its offset from UTC in minutes, positive if it is ahead of UTC.
    private static func zone(_ rest: inout ArraySlice<UInt8>) -> Int64? {
        if rest.isEmpty || take("Z", &rest) || take("z", &rest) { return 0 }
        let isBehind = rest.first == UInt8(ascii: "-")
        guard take("+", &rest) || take("-", &rest), let hours = digits(2, &rest), hours < 24 else { return nil }
        guard !rest.isEmpty else { return isBehind ? -hours * 60 : hours * 60 }
        _ = take(":", &rest)
        guard let minutes = digits(2, &rest), minutes < 60 else { return nil }
        return (hours * 60 + minutes) * (isBehind ? -1 : 1)
    }

    /// Returns the number of days from 1970-01-01 to a date. The month after December may be given as 13. The calculation uses years
    /// that begin in March, so that a leap day is the last day of its year.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shifted = month < 3 ? year - 1 : year
        let ofYear = (153 * (month + (month < 3 ? 9 : -3)) + 2) / 5 + day - 1
        return 365 * shifted + shifted / 4 - shifted / 100 + shifted / 400 + ofYear - 719_468
    }

    private static func digits(_ count: Int, _ rest: inout ArraySlice<UInt8>) -> Int64? {
        guard rest.count >= count else { return nil }
        var value: Int64 = 0
        for byte in rest.prefix(count) {
            guard (0x30...0x39).contains(byte) else { return nil }
            value = value * 10 + Int64(byte - 0x30)
        }
        rest = rest.dropFirst(count)
        return value
    }

    private static func take(_ character: Unicode.Scalar, _ rest: inout ArraySlice<UInt8>) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest = rest.dropFirst()
        return true
    }
}
