#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The path of an output with `{stream}`, `{file}` or `{date}` in it, which stands for many files.
package struct OutputPattern: Sendable, Hashable {
    /// What is put into a path.
    package enum Placeholder: String, CaseIterable, Sendable {
        /// The name of the frame's stream.
        case stream
        /// The name of the file that the frame was read from, without its ending.
        case file
        /// The day on which the frame is written, by UTC: `2026-11-23`.
        case date
    }

    private enum Part: Sendable, Hashable {
        case text(String)
        case placeholder(Placeholder)
    }

    private var parts: [Part] = []

    /// Reads a path; `nil` where it has no placeholder.
    package init?(_ path: String) {
        var text = ""
        var rest = path[...]
        while let first = rest.first {
            let found = Placeholder.allCases.first { rest.hasPrefix("{\($0.rawValue)}") }
            if let found {
                parts += [.text(text), .placeholder(found)]
                text = ""
                rest = rest.dropFirst(found.rawValue.count + 2)
            } else {
                text.append(first)
                rest = rest.dropFirst()
            }
        }
        guard !parts.isEmpty else { return nil }
        parts.append(.text(text))
    }

    /// Whether a placeholder stands in it.
    package func contains(_ placeholder: Placeholder) -> Bool { parts.contains(.placeholder(placeholder)) }

    /// The path with what the placeholders stand for. Whatever that is, it leads to no other folder.
    package func path(_ value: (Placeholder) -> String) -> String {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .placeholder(let placeholder): Self.name(value(placeholder))
            }
        }.joined()
    }

    /// The part of a file's name that a text becomes: letters, digits, `.`, `_` and `-` stay, all else becomes `-`.
    private static func name(_ text: String) -> String {
        var name = ""
        for scalar in text.unicodeScalars {
            let isKept =
                scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                || "._-".unicodeScalars.contains(scalar)
            let isHidden = name.isEmpty && scalar == "."
            // Names of files end at 255 bytes; others may want some.
            guard name.utf8.count < 120 else { break }
            name.unicodeScalars.append(isKept && !isHidden ? scalar : "-")
        }
        return name.isEmpty ? "-" : name
    }

    /// The files that are there and that it can stand for.
    package var existing: [String] {
        let pattern = parts.map { part in
            switch part {
            case .text(let text): text.map { "*?[\\".contains($0) ? "\\\($0)" : "\($0)" }.joined()
            case .placeholder: "*"
            }
        }.joined()
        var found = glob_t()
        defer { globfree(&found) }
        guard glob(pattern, 0, nil, &found) == 0 else { return [] }
        return (0..<Int(found.gl_pathc)).compactMap { found.gl_pathv[$0].map { String(cString: $0) } }
    }

    /// A word in braces that is not a placeholder, in a path that may have placeholders.
    package static func unknown(in path: String) -> String? {
        path.firstMatch(of: /\{([a-z_]+)\}/).map { String($0.1) }
            .flatMap { name in
                let isKnown = Placeholder(rawValue: name) != nil
                return isKnown ? unknown(in: path.replacing("{\(name)}", with: "")) : name
            }
    }
}
