import Pipeline
import PipelineComponents

/// A unit of time.
public enum TimeUnit: String, OptionChoice {
    /// Seconds.
    case s
    /// Milliseconds.
    case ms
    /// Microseconds.
    case us
    /// Nanoseconds.
    case ns
    /// Not a unit: the times are texts in ISO 8601 format, such as `2026-11-23T13:06:38.250Z`.
    case iso8601

    /// The number of microseconds in one unit.
    var microseconds: Double {
        switch self {
        case .s, .iso8601: 1e6
        case .ms: 1e3
        case .us: 1
        case .ns: 1e-3
        }
    }
}

extension TimeUnit {
    /// Returns the unit that a name suggests, as in `t_ms` or `seconds`.
    static func likely(in name: String) -> TimeUnit? {
        // Splits names into words: timestampMs has two words, and so has TIME_MS.
        var words = [""]
        var isBehindSmall = false
        for character in name {
            if !character.isLetter || (character.isUppercase && isBehindSmall) { words.append("") }
            if character.isLetter { words[words.count - 1] += character.lowercased() }
            isBehindSmall = character.isLowercase
        }
        for word in words.reversed() {
            switch word {
            case "s", "sec", "secs", "second", "seconds": return .s
            case "ms", "msec", "millis", "millisecond", "milliseconds": return .ms
            case "us", "µs", "usec", "micros", "microsecond", "microseconds": return .us
            case "ns", "nsec", "nanos", "nanosecond", "nanoseconds": return .ns
            default: continue
            }
        }
        return nil
    }
}
