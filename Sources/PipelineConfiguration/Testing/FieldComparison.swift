import PipelineComponents

/// Compares the fields that a test expects with those of a frame. Every expected key must have the expected value.
///
/// Objects may have additional keys, lists must have the same length, and numbers may differ by the tolerance. A number, a Boolean
/// and a string are never equal. An expected `null` requires that the key is missing or null.
package struct FieldComparison {
    /// The maximum difference between a number and the expected number.
    let tolerance: Double

    package init(tolerance: Double) { self.tolerance = tolerance }

    /// Returns a description of the first difference, or `nil` if there is none. O(expected nodes).
    package func difference(_ expected: ConfigNode, _ actual: ConfigNode?, at path: String = "") -> String? {
        if expected.isNull { return actual.map { $0.isNull ? nil : "\(path) is there, and should not be" } ?? nil }
        guard let actual else { return "\(path) is not there, and \(expected.json) is expected" }
        let words = "\(path) is \(Self.shown(actual)), and \(Self.shown(expected)) is expected"
        switch (expected.value, actual.value) {
        case (.mapping(let entries), .mapping):
            for entry in entries {
                let inner = path.isEmpty ? entry.key : "\(path).\(entry.key)"
                if let difference = difference(entry.value, actual[entry.key], at: inner) { return difference }
            }
            return nil
        case (.sequence(let wanted), .sequence(let found)):
            guard wanted.count == found.count else {
                return "\(path) has \(found.count) elements, and \(wanted.count) are expected"
            }
            for (index, pair) in zip(wanted, found).enumerated() {
                if let difference = difference(pair.0, pair.1, at: "\(path)[\(index)]") { return difference }
            }
            return nil
        case (.scalar(let wanted), .scalar(let found)):
            if let a = wanted.number, let b = found.number { return a == b || abs(a - b) <= tolerance ? nil : words }
            return expected.json == actual.json ? nil : words
        default: return words
        }
    }

    private static func shown(_ node: ConfigNode) -> String {
        let text = node.json
        return text.count <= 60 ? text : text.prefix(57) + "…"
    }
}
