import Pipeline

/// Frames out of a file or a pipe: messages or a table.
enum LineFrames<P: WirePayload> {
    case messages(InputMessages<P>)
    case blocks(BlockReader<P>)
    case table(TableFrames<P>)
    case recording(MCAPFrames<P>)

    /// Reads lines.
    ///
    /// - Parameters:
    ///   - name: What errors and origins call the input.
    ///   - tellsOrigins: Whether frames are told the line, or message, they come from.
    ///   - landmarks: What is known of landmarks beside what lines say.
    ///   - clock: What stamps messages without a timestamp, if `decode` wants it so.
    ///   - timeline: Where gestures without a common time are put.
    /// - Throws: A configuration error for a payload that no table holds; an environment error for a file of labels that cannot be read.
    init(
        _ lines: LineReader, isTable: Bool, name: String, tellsOrigins: Bool = false, decode: DecodeOptions,
        defaultStream: StreamID, landmarks: LandmarkTraits, clock: (any RunClock)?, timeline: GestureTimeline.Shared
    ) throws {
        guard isTable else {
            self = .messages(
                try InputMessages(
                    lines, name: name, tellsOrigins: tellsOrigins, decode: decode, defaultStream: defaultStream,
                    landmarks: landmarks, clock: clock)
            )
            return
        }
        let table = TableSettings(
            decode: decode, landmarks: landmarks, defaultStream: defaultStream,
            origins: FileOrigins(file: name, areTold: tellsOrigins), timeline: timeline)
        guard let parser = try P._rows(table) else {
            throw PipelineError(
                .configuration, "decode.kind", "a table holds points, strokes or landmarks, not \(P.kind)")
        }
        self = .table(TableFrames(lines, name: name, delimiter: decode.delimiterByte, parser: parser))
    }

    /// How many bytes have been read.
    var bytesRead: Int64 {
        switch self {
        case .messages(let messages): messages.lines.bytesRead
        case .blocks(let blocks): blocks.bytesRead
        case .table(let table): table.lines.bytesRead
        case .recording(let recording): recording.bytesRead
        }
    }

    /// Whether the next item can be had without waiting for input.
    var hasItem: Bool {
        switch self {
        case .messages(let messages): messages.hasItem
        case .blocks, .recording: true
        case .table(let table): table.hasItem
        }
    }

    /// The next item; `nil` at the end.
    func next() throws(SystemError) -> ReadItem<P>? {
        switch self {
        case .messages(let messages): try messages.next()
        case .blocks(let blocks): try blocks.next()
        case .table(let table): try table.next()
        case .recording(let recording): try recording.next()
        }
    }
}
