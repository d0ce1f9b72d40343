/// A part of a recording, as the command line gives it: `1s..2500ms`.
struct TimeSpan: Sendable, Equatable {
    /// The start, in nanoseconds after the first frame.
    let from: Int64
    /// The end, in nanoseconds after the first frame.
    let to: Int64

    /// Parses `FROM..TO`. Fails for any other text, and if the end is before the start.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        // Numbers can contain periods: 0.5s..1.5s splits into five parts, and the empty one is at the `..`.
        guard let gap = parts.indices.dropFirst().dropLast().first(where: { parts[$0].isEmpty }),
            let from = DurationText.nanoseconds(parts[..<gap].joined(separator: ".")[...]),
            let to = DurationText.nanoseconds(parts[(gap + 1)...].joined(separator: ".")[...]), from <= to
        else { return nil }
        (self.from, self.to) = (from, to)
    }
}
