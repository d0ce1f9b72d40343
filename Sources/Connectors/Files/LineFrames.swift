import Pipeline

/// A reader of the frames in a file or a pipe, in any format that can hold many frames.
enum LineFrames<P: WirePayload> {
    case messages(InputMessages<P>)
    case blocks(BlockReader<P>)
    case table(TableFrames<P>)
    case recording(MCAPFrames<P>)

    /// Creates a reader of messages or of a table.
    ///
    /// - Parameters:
    ///   - origins: The names of the input in frames and errors, and whether frames carry the number of their line or message.
    ///   - landmarks: The known traits of landmarks, in addition to those that lines declare.
    ///   - clock: The clock that stamps messages without a timestamp, if `decode` asks for that.
    ///   - watch: Finds out which paths of `decode` lead to nothing.
    ///   - others: Counts the messages of other kinds, which are skipped; `nil` if they are errors.
    ///   - timeline: The timeline on which gestures without a common time are placed.
    /// - Throws: A configuration error for a payload that a table cannot hold. An environment error if a file of labels cannot be
    ///   read.
    init(
        _ lines: LineReader, isTable: Bool, origins: FileOrigins, decode: DecodeOptions,
        defaultStream: StreamID, landmarks: LandmarkTraits, clock: (any RunClock)?, watch: PathWatch?,
        others: OtherKinds? = nil, timeline: GestureTimeline.Shared
    ) throws {
        guard isTable else {
            self = .messages(
                try InputMessages(
                    lines, origins: origins, decode: decode, defaultStream: defaultStream, landmarks: landmarks,
                    clock: clock, watch: watch, others: others)
            )
            return
        }
        let table = TableSettings(
            decode: decode, landmarks: landmarks, defaultStream: defaultStream,
            origins: origins, timeline: timeline)
        guard let parser = try P._parser(table) else {
            throw PipelineError(
                .configuration, "decode.kind", "a table holds points, strokes or landmarks, not \(P.kind)")
        }
        self = .table(TableFrames(lines, path: origins.path, delimiter: decode.delimiterByte, parser: parser))
    }

    /// The number of bytes read.
    var bytesRead: Int64 {
        switch self {
        case .messages(let messages): messages.lines.bytesRead
        case .blocks(let blocks): blocks.bytesRead
        case .table(let table): table.lines.bytesRead
        case .recording(let recording): recording.bytesRead
        }
    }

    /// Whether the next item is available without waiting for input.
    var hasItem: Bool {
        switch self {
        case .messages(let messages): messages.hasItem
        case .blocks, .recording: true
        case .table(let table): table.hasItem
        }
    }

    /// Returns the next item, or `nil` at the end.
    func next() throws(SystemError) -> ReadItem<P>? {
        switch self {
        case .messages(let messages): try messages.next()
        case .blocks(let blocks): try blocks.next()
        case .table(let table): try table.next()
        case .recording(let recording): try recording.next()
        }
    }
}
