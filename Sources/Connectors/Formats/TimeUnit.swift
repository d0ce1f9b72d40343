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

    /// The number of microseconds in one unit; `nil` for `iso8601`, whose times are not numbers.
    var microseconds: Double? {
        switch self {
        case .s: 1e6
        case .ms: 1e3
        case .us: 1
        case .ns: 1e-3
        case .iso8601: nil
        }
    }
}

extension TimeUnit {
    /// Returns the unit that a name suggests, as in `t_ms` or `seconds`.
    static func likely(in name: String) -> TimeUnit? {
        // Splits the name into words: timestampMs and TIME_MS have two words each.
        var words = [""]
        var followsLowercase = false
        for character in name {
            if !character.isLetter || (character.isUppercase && followsLowercase) { words.append("") }
            if character.isLetter { words[words.count - 1] += character.lowercased() }
            followsLowercase = character.isLowercase
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

    /// Returns whether a key, in lower case, is a typical name of a time.
    static func namesTime(_ name: String) -> Bool {
        let words = name.split { !$0.isLetter }.map(String.init)
        return ["t", "ts", "time", "timestamp", "stamp", "sent_at", "captured_at"].contains(name)
            || words.contains { ["time", "timestamp", "ts", "stamp"].contains($0) } || name.hasPrefix("timestamp")
            || (words.first == "t" && likely(in: name) != nil) || namesUnit(name)
    }

    /// Returns whether a key, in lower case, is the name of a unit of more than one letter, such as `ms` or `seconds`.
    static func namesUnit(_ name: String) -> Bool {
        name.count > 1 && name.allSatisfy(\.isLetter) && likely(in: name) != nil
    }
}
