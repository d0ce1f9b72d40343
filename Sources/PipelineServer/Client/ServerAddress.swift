import Pipeline

/// The address of a served run: `127.0.0.1:7070` or `http://127.0.0.1:7070/`.
package struct ServerAddress: Sendable {
    package let host: String
    package let port: Int

    /// Parses an address. Returns `nil` if it is invalid.
    package init?(_ text: String) {
        var rest = text[...]
        if let scheme = rest.range(of: "://") {
            guard rest[..<scheme.lowerBound].lowercased() == "http" else { return nil }
            rest = rest[scheme.upperBound...]
        }
        if let slash = rest.firstIndex(of: "/") { rest = rest[..<slash] }
        guard let colon = rest.lastIndex(of: ":"), let port = Int(rest[rest.index(after: colon)...]),
            (1...65_535).contains(port)
        else { return nil }
        var name = rest[..<colon]
        if name.hasPrefix("["), name.hasSuffix("]") { name = name.dropFirst().dropLast() }
        guard !name.isEmpty else { return nil }
        (host, self.port) = (String(name), port)
    }

    /// The value of the `Host` header.
    var name: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

extension Substring {
    /// Returns the range of the first occurrence of a text. Foundation, which has this function, is not imported.
    fileprivate func range(of text: String) -> Range<Index>? {
        var place = startIndex
        while place < endIndex {
            if self[place...].hasPrefix(text) { return place..<index(place, offsetBy: text.count) }
            place = index(after: place)
        }
        return nil
    }
}
