import Pipeline
import PipelineComponents
import PipelineConfiguration

/// A failure that ended a run, as the manifest of its recording describes it. Two failures are equal if the same frame failed in
/// the same node for the same reason.
struct RecordedFailure: Equatable {
    /// The key of the manifest under which each failure is stored, the root cause first.
    static let key = "failed"

    let node: String
    let code: String
    private let message: String
    private let location: String?

    init(_ failure: RunReport.Failure) {
        (node, code) = (failure.node, failure.error.code)
        (message, location) = (failure.error.message, failure.error.location)
    }

    /// Reads a failure from the manifest; `nil` if the text is not one.
    init?(manifest text: String) {
        guard let object = ConfigNode.parse(yaml: text), let node = object["node"]?.scalar?.text,
            let code = object["code"]?.scalar?.text, let message = object["message"]?.scalar?.text
        else { return nil }
        (self.node, self.code, self.message) = (node, code, message)
        location = object["location"]?.scalar?.text
    }

    /// The failure as JSON on one line, for the manifest.
    var manifest: String {
        var members: [(key: String, value: JSONValue)] = [
            ("node", .string(node)), ("code", .string(code)), ("message", .string(message)),
        ]
        if let location { members.append(("location", .string(location))) }
        return JSONValue.object(members).text(isIndented: false)
    }

    /// The failure in words, with the node that failed.
    var words: String { "\(node): \(location.map { "\($0): " } ?? "")\(message) [\(code)]" }
}
