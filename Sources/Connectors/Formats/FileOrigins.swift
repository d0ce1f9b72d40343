import Pipeline

/// The origin that is recorded in the frames of a file.
package struct FileOrigins: Sendable {
    /// The name of the file in frames and errors.
    let file: String

    /// Whether every frame records the file and its line. This costs an allocation for each frame.
    let areTold: Bool

    /// Returns the origin of a frame that begins on the given line, counted from 1. Returns `nil` if origins are not recorded.
    func origin(line: Int) -> Origin? { areTold ? Origin(file: file, line: Int64(line)) : nil }

    /// Returns the frame with the line it was read from, if origins are recorded. A recorded frame that already names a file keeps
    /// its origin.
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
