import Pipeline

/// The names of an input in frames and in errors, and the origins that its frames record.
package struct FileOrigins: Sendable {
    /// The name of the file in frames. It leaves out where the data is stored, so that the output does not depend on that place.
    let file: String

    /// The name of the file in errors: its path, as the configuration or the command line gives it.
    let path: String

    /// Whether every frame records the file and its line. This costs an allocation for each frame.
    let areRecorded: Bool

    /// Creates the origins of an input.
    ///
    /// - Parameters:
    ///   - file: The name of the input in frames.
    ///   - path: The name of the input in errors; the same as `file` if it is `nil`.
    ///   - areRecorded: Whether every frame records the file and its line.
    package init(file: String, path: String? = nil, areRecorded: Bool = false) {
        (self.file, self.path, self.areRecorded) = (file, path ?? file, areRecorded)
    }

    /// Returns the origin of a frame that begins on the given line, counted from 1. Returns `nil` if origins are not recorded.
    func origin(line: Int) -> Origin? { areRecorded ? Origin(file: file, line: Int64(line)) : nil }

    /// Returns the frame with the line it was read from, if origins are recorded. A recorded frame that already names a file keeps
    /// its origin.
    @inline(__always)
    func recording<P>(_ frame: consuming Frame<P>, line: Int) -> Frame<P> {
        if areRecorded { record(&frame, line) }
        return frame
    }

    private func record<P>(_ frame: inout Frame<P>, _ line: Int) {
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
