import Pipeline

/// What the frames of a file are told of where they come from.
package struct FileOrigins: Sendable {
    /// What frames and errors call the file.
    let file: String

    /// Whether every frame is told the file and its line. Each costs an allocation then.
    let areTold: Bool

    /// The origin of what began on a line, from 1; `nil` unless it is told.
    func origin(line: Int) -> Origin? { areTold ? Origin(file: file, line: Int64(line)) : nil }

    /// A frame with the line it was read from, if that is told. One that was recorded with its file comes from there, and keeps that.
    @inline(__always)
    func told<P>(_ frame: consuming Frame<P>, line: Int) -> Frame<P> {
        if areTold { tell(&frame, line) }
        return frame
    }

    private func tell<P>(_ frame: inout Frame<P>, _ line: Int) {
        guard let known = frame.origin else {
            frame.origin = origin(line: line)
            return
        }
        guard known.file == nil else { return }
        frame.origin = Origin(
            receivedAt: known.receivedAt, isStamped: known.isStamped, clock: known.clock, file: file,
            line: Int64(line), unknown: known.unknown)
    }
}
