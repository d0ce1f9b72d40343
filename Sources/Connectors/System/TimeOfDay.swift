#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A moment on the wall clock. The clock may be set at any time, so use it for display and file names, not to measure durations.
package struct TimeOfDay: Sendable {
    /// The number of nanoseconds since 1970, in UTC.
    package let nanoseconds: Int64

    /// Creates the moment that is the given number of nanoseconds after the start of 1970, in UTC.
    package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// The current time of the wall clock.
    package static var now: TimeOfDay {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return TimeOfDay(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    /// The date in UTC, such as `2026-02-03`.
    package var day: String { String(text.prefix { $0 != "T" }) }

    /// The date and time in UTC in ISO 8601 format, such as `2026-02-03T04:05:06.789Z`.
    package var text: String {
        let second: Int64 = 1_000_000_000
        let rest = (nanoseconds % second + second) % second
        var seconds = time_t((nanoseconds - rest) / second)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        func padded(_ number: Int, _ digits: Int = 2) -> String {
            String(repeating: "0", count: max(0, digits - String(number).count)) + String(number)
        }
        let date = [
            padded(Int(parts.tm_year) + 1900, 4), padded(Int(parts.tm_mon) + 1), padded(Int(parts.tm_mday)),
        ]
        let time = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { padded(Int($0)) }
        return date.joined(separator: "-") + "T" + time.joined(separator: ":") + "."
            + padded(Int(rest / 1_000_000), 3) + "Z"
    }
}
