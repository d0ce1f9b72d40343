import Pipeline
import PipelineComponents
import Stages

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The implementation of `svg` and `png` for one payload type.
struct DrawingSink<P: Drawable>: Sink {
    typealias Input = P

    private let options: DrawingOptions
    private let format: PictureFormat
    private let layout: Layout
    private var collection: FigureCollection
    private var context: SinkContext?
    /// The number of figures that were written to files of their own.
    private var written = 0
    /// The number of frames that were dropped because the drawing was full.
    private var refused = 0
    private var hasChanged = false
    /// The number of frames that the picture file does not show yet. Stays 0 if every figure has a file of its own.
    private var undrawn = 0
    private var lastWrite: Int64?

    init(_ options: DrawingOptions, _ format: PictureFormat) {
        self.options = options
        self.format = format
        layout = options.layout
        collection = FigureCollection(keepsPresent: options.output == .drawing)
    }

    mutating func open(_ context: SinkContext) async throws {
        let path = options.path.path
        if options.output == .frames {
            // The file names are not known yet, but the folder must exist.
            try requireFolder(of: path)
            if options.ifExists == .fail, let there = FileListing.numbered(path).first { throw Self.exists(there) }
        } else if options.mustShow {
            try requireFolder(of: path)
        } else {
            try reserve(path)
        }
        self.context = context
    }

    mutating func write(_ frame: Frame<P>) throws {
        guard written + collection.count < options.limit || collection.shows(frame.stream), !collection.isFull else {
            refused += 1
            throw Refusal("drawing_full")
        }
        try P.add(frame, to: &collection)
        hasChanged = true
        if options.output == .frames { try writeFigures() } else { undrawn += 1 }
    }

    var unwritten: Int { options.output == .frames ? collection.frames : undrawn }

    mutating func discard() {
        undrawn = 0
        // Keeps strokes in progress, so that they can still be finished. Only finished figures are discarded.
        if options.output == .frames { collection.discardFinished() }
    }

    mutating func end(_ stream: StreamID) throws {
        collection.finish(stream)
        if options.output == .frames { try writeFigures() }
    }

    mutating func flush() throws {
        guard options.output == .drawing, hasChanged, let now = context?.clock.now else { return }
        if let lastWrite, Double(now - lastWrite) < options.refreshMs * 1e6 { return }
        try writeWhole(layout.drawing(collection.all))
        lastWrite = context?.clock.now
    }

    mutating func close() async throws {
        guard context != nil else { return }
        let isEmpty = written == 0 && collection.all.isEmpty
        guard !options.mustShow || !isEmpty else {
            throw PipelineError.environment("draw.nothing", "there was nothing to draw, so no picture was written")
        }
        switch options.output {
        case .drawing: try writeWhole(layout.drawing(collection.all))
        case .sheet: try writeWhole(layout.sheet(collection.all, more: refused))
        case .frames:
            collection.finishAll()
            try writeFigures()
        }
    }

    /// Checks that the folder of a path exists.
    private func requireFolder(of path: String) throws {
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        do {
            let status = try SystemCalls.status(folder.isEmpty ? "/" : folder).get()
            guard status.isDirectory else { throw SystemError(number: ENOTDIR) }
        } catch let error as SystemError {
            throw error.writing(path)
        }
    }

    private static func exists(_ path: String) -> PipelineError {
        .environment("file.exists", "\(path) is already there", help: "if_exists: overwrite, or another path")
    }

    /// Checks that a file can be written, and creates it. With `if_exists: fail`, an existing file is an error.
    private func reserve(_ path: String) throws {
        let flags = options.ifExists == .fail ? O_WRONLY | O_CREAT | O_EXCL : O_WRONLY | O_CREAT
        do {
            SystemCalls.close(try SystemCalls.openToWrite(path, flags).get())
        } catch let error {
            guard error.number == EEXIST else { throw error.writing(path) }
            throw Self.exists(path)
        }
    }

    /// Replaces the picture file atomically, so that a viewer sees either the old picture or the new one.
    private mutating func writeWhole(_ picture: Picture) throws {
        try WholeFile.write(try bytes(of: picture), to: options.path.path)
        hasChanged = false
        undrawn = 0
    }

    private func bytes(of picture: Picture) throws -> [UInt8] {
        try format.bytes(picture) { context?.cancel.isRequested ?? false }
    }

    /// Writes each finished figure to a file of its own.
    private mutating func writeFigures() throws {
        while let figure = collection.figures.first {
            written += 1
            let number = String(written)
            let padded = String(repeating: "0", count: max(0, 4 - number.count)) + number
            let path = options.path.path.split(separator: "{n}", omittingEmptySubsequences: false).joined(
                separator: padded)
            try reserve(path)
            try WholeFile.write(try bytes(of: layout.single(figure)), to: path)
            collection.removeFirst()
        }
    }
}

/// The factory of the drawing sinks.
enum DrawingSinks {
    /// The payloads that can be drawn.
    static let acceptance = Acceptance.one(of: [
        PortType(Stroke.self), PortType(Points.self), PortType(Ink.self), PortType(Landmarks.self),
        PortType(Hands.self), PortType(HandResults.self), PortType(Recognition.self), PortType(Bitmap.self),
    ])

    /// Returns the drawing sink for a payload, with code specialized for it.
    static func make(
        _ options: DrawingOptions, _ format: PictureFormat, for input: PortType, _ context: BuildContext
    ) throws -> any Sink {
        format.check(options.path.path, context)
        return switch input.payload {
        case is Stroke.Type: CompiledSink(DrawingSink<Stroke>(options, format))
        case is Points.Type: CompiledSink(DrawingSink<Points>(options, format))
        case is Ink.Type: CompiledSink(DrawingSink<Ink>(options, format))
        case is Landmarks.Type: CompiledSink(DrawingSink<Landmarks>(options, format))
        case is Hands.Type: CompiledSink(DrawingSink<Hands>(options, format))
        case is HandResults.Type: CompiledSink(DrawingSink<HandResults>(options, format))
        case is Recognition.Type: CompiledSink(DrawingSink<Recognition>(options, format))
        case is Bitmap.Type: CompiledSink(DrawingSink<Bitmap>(options, format))
        case is DrawnSample.Type: CompiledSink(DrawingSink<DrawnSample>(options, format))
        default:
            throw PipelineError(
                .configuration, "sink.not_drawable", "a payload of kind \(input.kind) cannot be drawn",
                help: "strokes, points, ink, landmarks, hands, results, recognitions and bitmaps can")
        }
    }
}
