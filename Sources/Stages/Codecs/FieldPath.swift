import Pipeline

/// Where a value stands in a message: keys with dots between them, numbers of elements from 0 in brackets, `[*]` for every
/// element. `people[*].hand_left_keypoints_2d`, `handedness[0].score`; `$` is the message itself.
public struct FieldPath: OptionValue, Hashable, CustomStringConvertible {
    /// One step down.
    enum Step: Hashable {
        case key(String)
        case element(Int)
        case each
    }

    let steps: [Step]

    /// The path as it is written.
    public let description: String

    /// Reads a path.
    ///
    /// - Throws: A configuration error (`decode.path`) that says what is wrong with it.
    public init(_ text: String) throws(PipelineError) {
        var steps: [Step] = []
        var rest = Substring(text)
        if rest.hasPrefix("$") {
            rest.removeFirst()
            if rest.hasPrefix(".") { rest.removeFirst() }
        } else if rest.isEmpty {
            throw Self.wrong("a path is not empty; $ is the message itself")
        }
        while let first = rest.first {
            if first == "[" {
                guard let end = rest.firstIndex(of: "]") else { throw Self.wrong("\"\(text)\": a bracket stays open") }
                let inside = rest[rest.index(after: rest.startIndex)..<end]
                if inside == "*" {
                    steps.append(.each)
                } else if let number = Int(inside), number >= 0 {
                    steps.append(.element(number))
                } else {
                    throw Self.wrong("\"\(text)\": between brackets stands a number from 0, or *")
                }
                rest = rest[rest.index(after: end)...]
            } else {
                let key = rest.prefix { $0 != "." && $0 != "[" }
                guard !key.isEmpty, !key.contains("]") else { throw Self.wrong("\"\(text)\": a key has no name") }
                steps.append(.key(String(key)))
                rest = rest[key.endIndex...]
            }
            guard rest.first == "." else { continue }
            rest.removeFirst()
            guard !rest.isEmpty, rest.first != "[" else { throw Self.wrong("\"\(text)\": behind a dot stands a key") }
        }
        guard steps.count(where: { $0 == .each }) <= 2 else {
            throw Self.wrong("\"\(text)\": [*] stands at most twice")
        }
        self.steps = steps
        description = text
    }

    private static func wrong(_ message: String) -> PipelineError {
        PipelineError(
            .configuration, "decode.path", message, help: "paths are written like people[*].hand_left or data.points[0]"
        )
    }

    public static var schema: ValueSchema { .string }
    public var yaml: String? { description.contains { "[*$".contains($0) } ? "\"\(description)\"" : description }

    public static func decode(_ node: ConfigNode, _ context: DecodingContext) -> FieldPath? {
        guard let text = String.decode(node, context) else { return nil }
        do {
            return try FieldPath(text)
        } catch {
            context.findings.error(error.code, error.message, at: node.span, path: context.path, help: error.help)
            return nil
        }
    }
}

/// Paths to a value that different messages have at different places: the first of them that is there counts.
public typealias FieldPaths = [FieldPath]
