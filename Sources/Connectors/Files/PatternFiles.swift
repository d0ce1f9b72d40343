import Pipeline
import PipelineComponents

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A sink that writes one file, and that can be opened and closed synchronously at any time.
protocol FileWriting: Sink {
    /// Opens the file without waiting for a reader.
    mutating func openAtOnce(_ context: SinkContext) throws

    /// Writes the remaining frames and closes the file.
    mutating func closeAtOnce() throws
}

/// A sink that writes each frame to the file that a path pattern determines. A file is opened with its first frame. If the pattern
/// contains the date, the first frame of a new day closes all files of the day before.
struct PatternFiles<Writer: FileWriting>: Sink {
    typealias Input = Writer.Input

    private let pattern: OutputPattern
    private let make: @Sendable (String) -> Writer
    private var context: SinkContext?
    /// The offset from the run's clock to the time of day, in nanoseconds.
    private var clockOffset: Int64 = 0
    private var writers: [String: Writer] = [:]
    /// The number of frames that were lost when files were closed and that the engine has not counted yet.
    private var lost = 0
    /// The file of the last frame. The next frame usually goes to the same file.
    private var last: (stream: StreamID, path: String)?
    private var date = ""
    /// The end of the current day, in nanoseconds of the run's clock.
    private var midnight = Int64.min
    /// The error that occurred when the files of the previous day were closed. The next `flush()`, `drain()` or `close()` throws
    /// it, because it does not concern the frame that began the new day.
    private var closingError: (any Error)?

    // The maximum number of open files. The usual limit per process is 1,024.
    private static var mostFiles: Int { 500 }

    private static var day: Int64 { 86_400_000_000_000 }

    init(_ pattern: OutputPattern, make: @escaping @Sendable (String) -> Writer) {
        (self.pattern, self.make) = (pattern, make)
    }

    mutating func open(_ context: SinkContext) async throws {
        self.context = context
        clockOffset = MessageTimes(.ofRun, context.clock).clockOffset
    }

    /// The paths of the open files, sorted.
    private var openPaths: [String] { writers.keys.sorted() }

    var unwritten: Int { lost + writers.values.reduce(0) { $0 + $1.unwritten } }

    mutating func write(_ frame: Frame<Input>) throws {
        guard let context else { throw Refusal("no_peer") }
        if pattern.contains(.date), context.clock.now >= midnight { beginDay(context.clock.now) }
        let path = try path(of: frame)
        if writers[path] == nil {
            guard writers.count < Self.mostFiles else {
                throw PipelineError.frame(
                    "file.too_many", "\(path) would be more than \(Self.mostFiles) open files",
                    help: "let fewer streams share a sink, or leave {stream} out")
            }
            var writer = make(path)
            try writer.openAtOnce(context)
            writers[path] = writer
        }
        try writers[path]?.write(frame)
    }

    private mutating func path(of frame: Frame<Input>) throws -> String {
        if let last, last.stream == frame.stream { return last.path }
        let file = frame.origin?.file
        if pattern.contains(.file), file == nil {
            throw PipelineError.frame(
                "file.no_file", "the frame does not say which file it was read from",
                help: "set origin: true at the file source")
        }
        let path = pattern.path { placeholder in
            switch placeholder {
            case .stream: frame.stream.name
            case .file: (file ?? "").withoutEnding
            case .date: date
            }
        }
        if !pattern.contains(.file) { last = (frame.stream, path) }
        return path
    }

    private mutating func beginDay(_ now: Int64) {
        date = TimeOfDay(nanoseconds: now.addingSaturated(clockOffset)).day
        midnight = now - now.addingSaturated(clockOffset) % Self.day + Self.day
        last = nil
        do { try closeAll() } catch { closingError = closingError ?? error }
    }

    mutating func flush() throws { try eachAndClosed { try $0.flush() } }

    mutating func drain() throws { try eachAndClosed { try $0.drain() } }

    /// Applies `body` to all files, and then throws the error of closing the files of the previous day, if there was one.
    private mutating func eachAndClosed(_ body: (inout Writer) throws -> Void) throws {
        defer { closingError = nil }
        try each(body)
        if let closingError { throw closingError }
    }

    mutating func discard() {
        lost = 0
        for path in openPaths { writers[path]?.discard() }
    }

    mutating func close() async throws {
        try closeAll()
        if let closingError { throw closingError }
    }

    private mutating func closeAll() throws {
        defer { (lost, writers) = (unwritten, [:]) }
        try each { try $0.closeAtOnce() }
    }

    /// Applies `body` to all files, even after an error, and then throws the first error.
    private mutating func each(_ body: (inout Writer) throws -> Void) throws {
        var failure: (any Error)?
        for path in openPaths {
            guard var writer = writers.removeValue(forKey: path) else { continue }
            do { try body(&writer) } catch { failure = failure ?? error }
            writers[path] = writer
        }
        if let failure { throw failure }
    }
}

extension String {
    /// The path without its file extension. In `a/b.csv.gz`, both extensions are removed.
    fileprivate var withoutEnding: String {
        var name = self[...]
        for ending in [".gz", ".zst"] where name.hasSuffix(ending) { name = name.dropLast(ending.count) }
        guard let point = name.lastIndex(of: "."), point > name.startIndex, !name[point...].contains("/") else {
            return String(name)
        }
        return String(name[..<point])
    }
}
