#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The path of an output with placeholders (`{stream}`, `{file}` or `{date}`), which stands for many files.
package struct OutputPattern: Sendable, Hashable {
    /// A placeholder in a path.
    package enum Placeholder: String, CaseIterable, Sendable {
        /// The name of the frame's stream.
        case stream
        /// The name of the file from which the frame was read, without its extension.
        case file
        /// The day on which the frame is written, in UTC: `2026-11-23`.
        case date
    }

    private enum Part: Sendable, Hashable {
        case text(String)
        case placeholder(Placeholder)
    }

    private var parts: [Part] = []

    /// Parses a path. Returns `nil` if it has no placeholder.
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

    /// Returns whether the path contains a placeholder.
    package func contains(_ placeholder: Placeholder) -> Bool { parts.contains(.placeholder(placeholder)) }

    /// Returns the path with values in place of the placeholders. Slashes in values are replaced, so no value can lead to another
    /// folder.
    package func path(_ value: (Placeholder) -> String) -> String {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .placeholder(let placeholder): Self.name(value(placeholder))
            }
        }.joined()
    }

    /// Returns a text as part of a file name of at most about 120 bytes: letters, digits, `.`, `_` and `-` are kept, and
    /// everything else becomes `-`.
    private static func name(_ text: String) -> String {
        var name = ""
        for scalar in text.unicodeScalars {
            let isHidden = name.isEmpty && scalar == "."
            // File names are limited to 255 bytes, some of which the other parts of the name may need.
            guard name.utf8.count < 120 else { break }
            name.unicodeScalars.append(isKept(scalar) && !isHidden ? scalar : "-")
        }
        return name.isEmpty ? "-" : name
    }

    /// Returns whether a character of a value stays the same in a path.
    private static func isKept(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic || scalar.properties.numericType != nil || "._-".unicodeScalars.contains(scalar)
    }

    /// Returns whether the pattern becomes this path for some values of its placeholders. `{date}` stands for a day such as
    /// `2026-11-23`, and the others for any name. A placeholder that occurs twice may have two values. O(n²) for a path of n
    /// characters, for each part of the pattern.
    package func matches(_ path: String) -> Bool {
        let path = Array(path.unicodeScalars)
        // The places in the path that the parts so far can reach.
        var places: Set<Int> = [0]
        for part in parts {
            places = places.reduce(into: []) { reached, place in
                switch part {
                case .text(let text):
                    let text = text.unicodeScalars
                    if path[place...].starts(with: text) { reached.insert(place + text.count) }
                case .placeholder(.date):
                    if Self.isDay(path[place...].prefix(10)) { reached.insert(place + 10) }
                case .placeholder(.stream), .placeholder(.file):
                    // No value begins with a point; see `name`.
                    guard path[place...].first != "." else { return }
                    reached.formUnion(path[place...].prefix(while: Self.isKept).indices.map { $0 + 1 })
                }
            }
        }
        return places.contains(path.count)
    }

    /// Returns whether a text has the form of a day: `2026-11-23`.
    private static func isDay(_ text: ArraySlice<Unicode.Scalar>) -> Bool {
        text.count == 10
            && zip(0..., text).allSatisfy { place, scalar in
                [4, 7].contains(place) ? scalar == "-" : ("0"..."9").contains(scalar)
            }
    }

    /// The existing files that match the pattern.
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
        return (0..<Int(found.gl_pathc)).compactMap { found.gl_pathv[$0].map { String(cString: $0) } }.filter(matches)
    }

    /// Returns the first word in braces that is not a placeholder, or `nil` if there is none.
    package static func unknown(in path: String) -> String? {
        path.firstMatch(of: /\{([A-Za-z_]\w*)\}/).map { String($0.1) }
            .flatMap { name in
                let isKnown = Placeholder(rawValue: name) != nil
                return isKnown ? unknown(in: path.replacing("{\(name)}", with: "")) : name
            }
    }
}
