import Connectors
import Pipeline
import PipelineComponents

extension String {
    /// The maximum number of characters of an external text to pass on.
    static var mostShown: Int { 200 }

    /// The text, truncated to the maximum length.
    var cut: String {
        // Bytes are checked first, because counting the characters of a megabyte is slow.
        guard utf8.count > Self.mostShown, let end = index(startIndex, offsetBy: Self.mostShown, limitedBy: endIndex),
            end < endIndex
        else { return self }
        return self[..<end] + "…"
    }
}

extension JSONValue {
    /// Creates a string from external text, which is truncated.
    static func outside(_ text: String) -> JSONValue { .string(text.cut) }

    static func count(_ value: Int64) -> JSONValue { .integer(Int(value)) }

    static func counts(_ reasons: [DropReason: Int64]) -> JSONValue {
        .object(
            reasons.filter { $0.value > 0 }.sorted { $0.key.rawValue < $1.key.rawValue }.map {
                ($0.key.rawValue.cut, .count($0.value))
            })
    }

    /// Converts nanoseconds to seconds.
    static func seconds(_ nanoseconds: Int64?) -> JSONValue {
        nanoseconds.map { .number(Double($0) / 1e9) } ?? .null
    }

    /// Creates a number with at most three decimals, for rates.
    static func rounded(_ value: Double) -> JSONValue { .number((value * 1000).rounded() / 1000) }
}
