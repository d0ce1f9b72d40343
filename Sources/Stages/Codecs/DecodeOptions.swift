import Pipeline

/// How a source reads what it receives.
public struct DecodeOptions: OptionGroup {
    /// What the messages are.
    public enum Format: String, OptionChoice {
        /// Canonical JSON, one object a message.
        case json
        /// Comma-separated values, one sample a row.
        case csv
    }

    /// What the messages are.
    public var format = Format.json

    /// What a message without a timestamp is.
    public enum MissingTime: String, OptionChoice {
        /// An error.
        case error
        /// Stamped with the time of its receipt, and marked so.
        case receipt
    }

    /// What a message without a timestamp is.
    public var missingTime = MissingTime.error

    public init() {}

    public static var options: [Option<DecodeOptions>] {
        Option("format", \.format, "What the messages are: canonical JSON, or CSV with one sample a row.")
        Option(
            "missing_time", \.missingTime,
            "What a message without a timestamp is: an error, or stamped on receipt (from the monotonic clock).")
    }
}
