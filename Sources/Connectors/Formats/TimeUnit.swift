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
    /// No unit, but texts as ISO 8601 writes them: `2026-11-23T13:06:38.250Z`.
    case iso8601

    /// Microseconds in one.
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
    /// The unit that a name speaks of: `t_ms`, `seconds`.
    static func likely(in name: String) -> TimeUnit? {
        // timestampMs is two words, and so is TIME_MS.
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
