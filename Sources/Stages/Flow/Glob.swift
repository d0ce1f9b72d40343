import Pipeline

/// A pattern of names: `*` stands for any text, `?` for any one character, everything else for itself.
package struct Glob: Sendable {
    private let pattern: [Character]

    package init(_ pattern: String) { self.pattern = Array(pattern) }

    /// Whether the whole of `text` fits. O(pattern · text) at worst, without recursion.
    package func matches(_ text: String) -> Bool {
        let text = Array(text)
        var (p, t) = (0, 0)
        var retry: (pattern: Int, text: Int)?
        while t < text.count {
            if p < pattern.count, pattern[p] == "*" {
                retry = (p + 1, t)
                p += 1
            } else if p < pattern.count, pattern[p] == "?" || pattern[p] == text[t] {
                p += 1
                t += 1
            } else if let last = retry {
                // Let the last star take one character more.
                retry = (last.pattern, last.text + 1)
                (p, t) = (last.pattern, last.text + 1)
            } else {
                return false
            }
        }
        return pattern[p...].allSatisfy { $0 == "*" }
    }
}

/// Refuses what continues from frame to frame, for stages that let single frames go.
func requireStandingAlone(_ input: PortType, for stage: String) throws {
    guard input.payload.continuity == .continues else { return }
    throw PipelineError(
        .configuration, "graph.continues",
        "\(stage) would tear holes into \(input.kind): its frames continue one another",
        help: "put \(stage) behind the stage that makes whole frames of them, as segment does of points")
}
