import Foundation

/// A page of the documentation, parsed as far as its tests need it.
struct MarkdownPage: Sendable, CustomStringConvertible {
    /// A fenced block.
    struct Block: Sendable {
        let language: String
        /// The words of the info string after the language.
        let words: [String]
        let line: Int
        let lines: [String]

        var text: String { lines.joined(separator: "\n") + "\n" }

        /// The file that the block shows: `file=NAME` in the info string, or the name in its first line, `# Configs/strokes.yaml`.
        var fileName: String? {
            if let word = words.first(where: { $0.hasPrefix("file=") }) { return String(word.dropFirst(5)) }
            guard let first = lines.first, first.hasPrefix("# "), first.hasSuffix(".yaml") else { return nil }
            let name = String(first.dropFirst(2))
            return name.contains(" ") ? nil : name
        }
    }

    /// A command of a console block, its expected output, and its expected exit code.
    struct Command: Sendable {
        let line: Int
        let text: String
        var output: [String]
        let code: Int32
    }

    /// The path of the page, relative to the root of the repository.
    let path: String
    let blocks: [Block]
    /// The links to other files of the repository, with their line numbers.
    let links: [(line: Int, target: String)]
    /// The anchors of its headings, as created when the page is displayed.
    let anchors: Set<String>

    var description: String { path }

    init(path: String, text: String) {
        self.path = path
        var blocks: [Block] = []
        var links: [(Int, String)] = []
        var anchors: Set<String> = []
        var open: (fence: String, info: [String], line: Int, lines: [String])?
        for (index, line) in text.components(separatedBy: "\n").enumerated() {
            if let block = open {
                if line == block.fence {
                    blocks.append(
                        Block(
                            language: block.info.first ?? "", words: Array(block.info.dropFirst()), line: block.line,
                            lines: block.lines))
                    open = nil
                } else {
                    open?.lines.append(line)
                }
            } else if line.hasPrefix("```") {
                let fence = String(line.prefix { $0 == "`" })
                open = (fence, line.dropFirst(fence.count).split(separator: " ").map(String.init), index + 1, [])
            } else {
                if line.hasPrefix("#") { anchors.insert(Self.anchor(line)) }
                for part in line.components(separatedBy: "](").dropFirst() where part.contains(")") {
                    let target = part.prefix { $0 != ")" }
                    if !target.contains("://") { links.append((index + 1, String(target))) }
                }
            }
        }
        self.blocks = blocks
        self.links = links
        self.anchors = anchors
    }

    /// Returns the commands of a console block. The text between a `$ ` and the next `$ ` is the output of the command. The info
    /// string of the block contains the exit code of each command (`console exit=2`); the default is 0.
    static func commands(of block: Block) -> [Command] {
        let code = block.words.compactMap { $0.hasPrefix("exit=") ? Int32($0.dropFirst(5)) : nil }.first ?? 0
        var commands: [Command] = []
        for (offset, line) in block.lines.enumerated() {
            if line.hasPrefix("$ ") {
                commands.append(
                    Command(line: block.line + 1 + offset, text: String(line.dropFirst(2)), output: [], code: code))
            } else if !commands.isEmpty {
                commands[commands.count - 1].output.append(line)
            }
        }
        return commands
    }

    private static func anchor(_ heading: String) -> String {
        let title = heading.drop { $0 == "#" || $0 == " " }.lowercased()
        return String(title.filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" || $0 == "_" })
            .replacing(" ", with: "-")
    }
}

/// Compares the output of a program with the output that a page shows.
enum ShownOutput {
    /// Returns whether every line is as shown. `…` stands for any characters; alone on a line, it stands for any lines.
    static func matches(_ actual: [Substring], _ shown: ArraySlice<String>) -> Bool {
        guard let first = shown.first else { return actual.isEmpty }
        if first == "…" {
            return (0...actual.count).contains { matches(Array(actual.dropFirst($0)), shown.dropFirst()) }
        }
        guard let line = actual.first, lineMatches(String(line), first) else { return false }
        return matches(Array(actual.dropFirst()), shown.dropFirst())
    }

    private static func lineMatches(_ actual: String, _ shown: String) -> Bool {
        let parts = shown.components(separatedBy: "…")
        guard parts.count > 1 else { return actual == shown }
        guard actual.hasPrefix(parts[0]), actual.hasSuffix(parts[parts.count - 1]) else { return false }
        var rest = actual.dropFirst(parts[0].count)
        for part in parts.dropFirst().dropLast() where !part.isEmpty {
            guard let range = rest.range(of: part) else { return false }
            rest = rest[range.upperBound...]
        }
        return rest.count >= parts[parts.count - 1].count
    }
}
