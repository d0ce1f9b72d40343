import MCAP
import Pipeline

/// The frames of a recording of any format, with their arrival times.
enum RecordingFrames<P: WirePayload> {
    case lines(InputMessages<P>)
    case mcap(MCAPFrames<P>)

    /// Creates a reader of a recording.
    ///
    /// - Throws: An environment error if the file cannot be read.
    init(_ recording: Recording, defaultStream: StreamID, log: Log = .silent) throws {
        guard recording.arrivals == .log else {
            self = .lines(
                try InputMessages(
                    LineReader(opening: recording.path), origins: FileOrigins(file: recording.path),
                    defaultStream: defaultStream))
            return
        }
        self = .mcap(
            try MCAPFrames(
                FileInput(descriptor: try SystemCalls.openToRead(recording.path)),
                .init(
                    origins: FileOrigins(file: recording.path), decode: DecodeOptions(),
                    defaultStream: defaultStream, landmarks: LandmarkTraits(), isWanted: { _ in true }, log: log)))
    }

    /// The number of bytes read.
    var bytesRead: Int64 {
        switch self {
        case .lines(let messages): messages.lines.bytesRead
        case .mcap(let frames): frames.bytesRead
        }
    }

    /// The number of the last line that was read; 0 in a format without lines.
    var lineNumber: Int { if case .lines(let messages) = self { messages.lines.lineNumber } else { 0 } }

    /// The header of the last message that could not be read.
    var unread: UnreadMessage { if case .lines(let messages) = self { messages.unread } else { UnreadMessage() } }

    /// Returns the next item, or `nil` at the end.
    func next() throws(SystemError) -> ReadItem<P>? {
        switch self {
        case .lines(let messages): try messages.next()
        case .mcap(let frames): try frames.next()
        }
    }

    /// Returns the arrival time of a frame, in microseconds, or `nil` if it is unknown. `frame` must be the frame that was read
    /// last.
    func arrival(of frame: Frame<P>) -> Int64? {
        switch self {
        case .lines: frame.origin?.receivedAt
        case .mcap(let frames): frames.loggedAt
        }
    }
}
