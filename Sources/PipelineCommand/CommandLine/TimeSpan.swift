/// A part of a recording, as the command line says it: `1s..2500ms`.
struct TimeSpan: Sendable, Equatable {
    /// Where it begins, in nanoseconds after the first frame.
    let from: Int64
    /// Where it ends.
    let to: Int64

    /// Reads `FROM..TO`; `nil` when it is something else, or ends before it begins.
    init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        // A point may also stand in a number: 0.5s..1.5s has four parts and one empty in between.
        guard let gap = parts.indices.dropFirst().dropLast().first(where: { parts[$0].isEmpty }),
            let from = ServiceTime.nanoseconds(parts[..<gap].joined(separator: ".")[...]),
            let to = ServiceTime.nanoseconds(parts[(gap + 1)...].joined(separator: ".")[...]), from <= to
        else { return nil }
        (self.from, self.to) = (from, to)
    }
}
