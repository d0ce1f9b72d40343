import Pipeline

/// A flag and the type of its value. A verb declares the flag, and reads its value from an ``Invocation``.
struct Flag<Value: Sendable>: Sendable {
    let description: FlagDescription
    /// Parses a value; returns `nil` if the text is not a valid value.
    let read: @Sendable (String) -> Value?
}

/// A flag without the type of its value.
struct FlagDescription: Sendable {
    /// The kind of a flag's value.
    enum Kind: Sendable {
        /// No value: the flag is given or not.
        case toggle
        case value(placeholder: String, wanted: String)
        case choice([String])
    }

    /// The long name, without dashes.
    let name: String
    /// The short name, if any.
    let short: Character?
    /// What the flag does, in one sentence without a period.
    let summary: String
    /// The kind of its value.
    let kind: Kind
    /// Whether the flag may be given several times.
    let repeats: Bool
    /// The default as the help shows it; `nil` if the help shows none.
    let defaultText: String?
    /// Whether a text is a valid value.
    let accepts: @Sendable (String) -> Bool
    /// The values that a shell offers, computed when the completion script is written. `nil` for the names of a choice, or none.
    let offers: (@Sendable (CommandLineTool) -> [String])?

    /// Whether a value follows the flag.
    var takesValue: Bool { if case .toggle = kind { false } else { true } }

    /// The placeholder for the value in the help.
    var placeholder: String? {
        switch kind {
        case .toggle: nil
        case .value(let placeholder, _): placeholder
        case .choice(let names): isLong(names) ? self.name.uppercased() : names.joined(separator: "|")
        }
    }

    /// Whether the names are too long for a placeholder. The help then lists them after the flag's summary.
    private func isLong(_ names: [String]) -> Bool { names.reduce(0) { $0 + $1.count + 1 } > 60 }

    /// The description that the help shows.
    var meaning: String {
        if case .choice(let names) = kind, isLong(names) {
            "\(summary): \(names.joined(separator: ", "))"
        } else {
            summary
        }
    }

    /// The expected value, as error messages describe it: `one of text, json`.
    var wanted: String {
        switch kind {
        case .toggle: "no value"
        case .value(_, let wanted): wanted
        case .choice(let names): "one of \(names.joined(separator: ", "))"
        }
    }
}

extension Flag {
    private init(
        _ name: String, short: Character?, kind: FlagDescription.Kind, repeats: Bool, defaultText: String?,
        offers: (@Sendable (CommandLineTool) -> [String])? = nil, _ summary: String,
        read: @escaping @Sendable (String) -> Value?
    ) {
        description = FlagDescription(
            name: name, short: short, summary: summary, kind: kind, repeats: repeats, defaultText: defaultText,
            accepts: { read($0) != nil }, offers: offers)
        self.read = read
    }
}

extension Flag {
    /// Returns a flag whose value is parsed by `read`, which returns `nil` for an invalid value.
    static func parsed(
        _ name: String, placeholder: String, wanted: String, repeats: Bool = false, defaultText: String? = nil,
        _ summary: String, _ read: @escaping @Sendable (String) -> Value?
    ) -> Flag {
        Flag(
            name, short: nil, kind: .value(placeholder: placeholder, wanted: wanted), repeats: repeats,
            defaultText: defaultText, summary, read: read)
    }
}

extension Flag where Value == Bool {
    /// Returns a flag without a value.
    static func toggle(_ name: String, short: Character? = nil, _ summary: String) -> Flag {
        Flag(name, short: short, kind: .toggle, repeats: false, defaultText: nil, summary) { _ in true }
    }
}

extension Flag where Value == String {
    /// Returns a flag with any text as its value.
    static func text(
        _ name: String, short: Character? = nil, placeholder: String, repeats: Bool = false,
        defaultText: String? = nil, offers: (@Sendable (CommandLineTool) -> [String])? = nil, _ summary: String
    ) -> Flag {
        Flag(
            name, short: short, kind: .value(placeholder: placeholder, wanted: "a value"), repeats: repeats,
            defaultText: defaultText, offers: offers, summary
        ) { $0 }
    }
}

extension Flag where Value == Int {
    /// Returns a flag with a whole number as its value.
    static func integer(
        _ name: String, placeholder: String = "N", in range: ClosedRange<Int>, defaultText: String? = nil,
        _ summary: String
    ) -> Flag {
        let bounds =
            range.upperBound == .max ? "at least \(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
        return Flag(
            name, short: nil, kind: .value(placeholder: placeholder, wanted: "a whole number, \(bounds)"),
            repeats: false, defaultText: defaultText, summary
        ) { Int($0).flatMap { range.contains($0) ? $0 : nil } }
    }
}

extension Flag where Value == [Int] {
    /// Returns a flag with whole numbers, separated by commas, as its value.
    static func integers(
        _ name: String, placeholder: String, in range: ClosedRange<Int>, defaultText: String? = nil, _ summary: String
    ) -> Flag {
        Flag(
            name, short: nil,
            kind: .value(
                placeholder: placeholder,
                wanted: "whole numbers from \(range.lowerBound) to \(range.upperBound), separated by commas"),
            repeats: false, defaultText: defaultText, summary
        ) { text in
            let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) }
            let valid = numbers.compactMap { $0 }.filter(range.contains)
            return valid.count == numbers.count ? valid : nil
        }
    }
}

extension Flag where Value == Double {
    /// Returns a flag with a number greater than zero as its value.
    static func positive(_ name: String, placeholder: String, _ summary: String) -> Flag {
        Flag(
            name, short: nil, kind: .value(placeholder: placeholder, wanted: "a number above 0"), repeats: false,
            defaultText: nil, summary
        ) { Double($0).flatMap { $0 > 0 && $0.isFinite ? $0 : nil } }
    }
}

extension Flag where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    /// Returns a flag with one of a few names as its value.
    ///
    /// - Parameter default: The default; `nil` if it depends on other things, which the summary then names.
    static func choice(_ name: String, default: Value?, _ summary: String) -> Flag {
        Flag(
            name, short: nil, kind: .choice(Value.allCases.map(\.rawValue)), repeats: false,
            defaultText: `default`?.rawValue, summary
        ) {
            Value(rawValue: $0)
                ?? Value(rawValue: $0.split(separator: "-", omittingEmptySubsequences: false).joined(separator: "_"))
        }
    }
}

/// The flags that more than one command accepts.
enum Flags {
    static let help = Flag.toggle("help", short: "h", "Shows this help")
    static let quiet = Flag.toggle("quiet", short: "q", "Prints only results and errors")
    static let verbose = Flag.toggle("verbose", short: "v", "Also prints debug messages")
    static let version = Flag.toggle("version", "Shows the version")

    /// The time after which a command that goes on without end stops, in nanoseconds.
    static let end = Flag<Int64>.parsed(
        "duration", placeholder: "TIME", wanted: "a time above 0, such as 90, 90s or 500ms",
        "Stops after this time, as in 90s or 5m; a number without a unit is in seconds"
    ) { text in DurationText.nanosecondsOrSeconds(text[...]).flatMap { $0 > 0 ? $0 : nil } }

    static let ofEveryCommand = [quiet.description, verbose.description, help.description]
    static let ofRoot = [version.description, help.description]

    /// The format of results.
    enum ReportFormat: String, CaseIterable, Sendable { case text, json }

    static let format = Flag<ReportFormat>.choice("format", default: .text, "The format of results")
}
