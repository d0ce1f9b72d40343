import Pipeline
import PipelineComponents

/// The path to a value in a message.
///
/// A path consists of keys separated by dots, indices of elements (from 0) in brackets, and `[*]` for every element. Examples:
/// `people[*].hand_left_keypoints_2d`, `handedness[0].score`. `$` is the message itself.
public struct FieldPath: OptionValue, Hashable, CustomStringConvertible {
    /// One step from a value to a value inside it.
    enum Step: Hashable {
        case key(String)
        case element(Int)
        case each
    }

    let steps: [Step]

    /// The path in its written form.
    public let description: String

    /// Parses a path.
    ///
    /// - Throws: A configuration error (`decode.path`) that describes the first problem.
    public init(_ text: String) throws(PipelineError) {
        var steps: [Step] = []
        // Uses scalars instead of characters, because a character next to a dot may combine with it into one grapheme.
        var rest = text.unicodeScalars[...]
        if rest.first == "$" {
            rest.removeFirst()
            if rest.first == "." { rest.removeFirst() }
        } else if rest.isEmpty {
            throw Self.wrong("a path cannot be empty; $ is the message itself")
        }
        while let first = rest.first {
            if first == "[" {
                guard let end = rest.firstIndex(of: "]") else {
                    throw Self.wrong("\"\(text)\": a bracket is not closed")
                }
                let inside = String(rest[rest.index(after: rest.startIndex)..<end])
                if inside == "*" {
                    steps.append(.each)
                } else if let number = Int(inside), number >= 0 {
                    steps.append(.element(number))
                } else {
                    throw Self.wrong("\"\(text)\": brackets must contain a number from 0, or *")
                }
                rest = rest[rest.index(after: end)...]
            } else {
                let key = rest.prefix { $0 != "." && $0 != "[" }
                guard !key.isEmpty else { throw Self.wrong("\"\(text)\": a key has no name") }
                guard !key.contains("]") else { throw Self.wrong("\"\(text)\": a bracket is closed but not opened") }
                steps.append(.key(String(key)))
                rest = rest[key.endIndex...]
            }
            guard rest.first == "." else { continue }
            rest.removeFirst()
            guard !rest.isEmpty, rest.first != "[" else { throw Self.wrong("\"\(text)\": a dot needs a key after it") }
        }
        guard steps.count(where: { $0 == .each }) <= 2 else {
            throw Self.wrong("\"\(text)\": [*] may occur at most twice")
        }
        self.steps = steps
        description = text
    }

    /// Creates the path to a top-level key. Returns `nil` if no path can name the key.
    init?(key: String) {
        guard let text = Self.text(to: key, below: "$"), let path = try? FieldPath(text) else { return nil }
        self = path
    }

    /// Returns the path to a key of the object at the path `parent`. Returns `nil` if no path can name the key, or if the key has
    /// more than 256 bytes.
    static func text(to key: String, below parent: String) -> String? {
        guard !key.isEmpty, key.utf8.count <= 256,
            !key.unicodeScalars.contains(where: { ".[]".unicodeScalars.contains($0) })
        else { return nil }
        // A key that begins with a dollar sign needs the `$.` prefix. Without it, the path would mean the message itself.
        return parent == "$" && key.unicodeScalars.first != "$" ? key : "\(parent).\(key)"
    }

    private static func wrong(_ message: String) -> PipelineError {
        PipelineError(
            .configuration, "decode.path", message, help: "paths are written like people[*].hand_left or data.points[0]"
        )
    }

    public static var schema: ValueSchema { .string }
    public var yaml: String? { description.yaml }

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

/// Paths keyed by the names of the values they lead to.
public struct FieldPathMap: OptionValue, Hashable {
    /// The paths by name.
    public var paths: [String: FieldPaths] = [:]

    /// Creates an empty map.
    public init() {}

    public static var schema: ValueSchema { .map(of: FieldPaths.schema) }

    public var yaml: String? {
        paths.isEmpty
            ? nil
            : "{ "
                + paths.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.yaml ?? "[]")" }
                .joined(separator: ", ") + " }"
    }

    public static func decode(_ node: ConfigNode, _ context: DecodingContext) -> FieldPathMap? {
        guard let entries = node.mapping else {
            context.mismatch(node, wanted: "a mapping of names to paths")
            return nil
        }
        var map = FieldPathMap()
        for entry in entries {
            guard let paths = FieldPaths.decode(entry.value, context.descending(entry.key)) else { return nil }
            map.paths[entry.key] = paths
        }
        return map
    }
}

/// Alternative paths to a value that different messages have at different locations. The first path that exists in a message is
/// used.
public typealias FieldPaths = [FieldPath]
