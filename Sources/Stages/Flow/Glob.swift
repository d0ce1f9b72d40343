import Pipeline

/// A pattern of names: `*` matches any text, `?` any single character, and every other character itself.
package struct Glob: Sendable {
    private let pattern: [Character]

    package init(_ pattern: String) { self.pattern = Array(pattern) }

    /// Returns whether the pattern matches the whole of `text`. O(pattern · text) in the worst case, without recursion.
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
                // Backtrack: let the last star match one more character.
                retry = (last.pattern, last.text + 1)
                (p, t) = (last.pattern, last.text + 1)
            } else {
                return false
            }
        }
        return pattern[p...].allSatisfy { $0 == "*" }
    }
}

/// Throws a configuration error if the frames of the input continue one another, as those of points do: a stage that drops single
/// frames would leave gaps.
func requireIndependentFrames(_ input: PortType, for stage: String) throws {
    guard input.payload.continuity == .continues else { return }
    throw PipelineError(
        .configuration, "graph.continues",
        "\(stage) would leave gaps in \(input.kind): its frames continue one another",
        help: "put \(stage) after a stage that combines them into independent frames, as segment does with points")
}
