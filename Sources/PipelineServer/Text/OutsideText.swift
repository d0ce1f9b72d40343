import Connectors
import Pipeline
import PipelineComponents

extension String {
    /// How many characters of a text from outside are passed on.
    static var mostShown: Int { 200 }

    /// The text, or its beginning where it is longer than anybody reads.
    var cut: String {
        // Bytes first: to count the characters of a megabyte takes long.
        guard utf8.count > Self.mostShown, let end = index(startIndex, offsetBy: Self.mostShown, limitedBy: endIndex),
            end < endIndex
        else { return self }
        return self[..<end] + "…"
    }
}

extension JSONValue {
    /// Text from outside.
    static func outside(_ text: String) -> JSONValue { .string(text.cut) }

    static func count(_ value: Int64) -> JSONValue { .integer(Int(value)) }

    static func counts(_ reasons: [DropReason: Int64]) -> JSONValue {
        .object(
            reasons.filter { $0.value > 0 }.sorted { $0.key.rawValue < $1.key.rawValue }.map {
                ($0.key.rawValue.cut, .count($0.value))
            })
    }

    /// Nanoseconds as seconds.
    static func seconds(_ nanoseconds: Int64?) -> JSONValue {
        nanoseconds.map { .number(Double($0) / 1e9) } ?? .null
    }

    /// A number with three decimals at most: a rate.
    static func rounded(_ value: Double) -> JSONValue { .number((value * 1000).rounded() / 1000) }
}
