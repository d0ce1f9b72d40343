import Pipeline
import PipelineComponents

extension JSONValue {
    /// Returns a string, or null.
    static func optional(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

    /// Returns a whole number, or null.
    static func optional(_ value: Int64?) -> JSONValue { value.map { .integer(Int($0)) } ?? .null }

    /// The value as a report: indented, followed by a newline.
    var document: String { text() + "\n" }

    /// The value as a line of JSON Lines.
    var line: String { text(isIndented: false) + "\n" }
}
