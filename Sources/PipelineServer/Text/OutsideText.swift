import Connectors
import Pipeline
import PipelineComponents

extension String {
    /// The maximum number of characters of a text from outside the program, such as the name of a stream, in a response.
    static var mostShown: Int { 200 }

    /// The text, truncated to ``mostShown`` characters.
    var cut: String {
        // Check the number of bytes first, because counting the characters of a long text is slow.
        guard utf8.count > Self.mostShown, let end = index(startIndex, offsetBy: Self.mostShown, limitedBy: endIndex),
            end < endIndex
        else { return self }
        return self[..<end] + "…"
    }
}

extension JSONValue {
    /// Creates a string from a text from outside the program, which is truncated.
    static func outside(_ text: String) -> JSONValue { .string(text.cut) }

    static func count(_ value: Int64) -> JSONValue { .integer(Int(value)) }

    static func counts(_ reasons: [DropReason: Int64]) -> JSONValue {
        .object(
            reasons.filter { $0.value > 0 }.sorted { $0.key.rawValue < $1.key.rawValue }.map {
                ($0.key.rawValue.cut, .count($0.value))
            })
    }

    /// Creates a number of seconds from nanoseconds; null from `nil`.
    static func seconds(_ nanoseconds: Int64?) -> JSONValue {
        nanoseconds.map { .number(Double($0) / 1e9) } ?? .null
    }

    /// Creates a number with at most three decimals, for rates.
    static func rounded(_ value: Double) -> JSONValue { .number((value * 1000).rounded() / 1000) }
}
