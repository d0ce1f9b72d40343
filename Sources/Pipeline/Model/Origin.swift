/// The origin of a frame, for the few stages and sinks that need it.
public final class Origin: Sendable {
    /// Time of receipt on the receiver's monotonic clock, in microseconds.
    public let receivedAt: Int64?

    /// Whether the timestamp was given on receipt because the sender gave none.
    public let isStamped: Bool

    /// The clock the sender's timestamps come from: `unix`, `monotonic` or a name.
    public let clock: String?

    /// The name of the file that the frame was read from, with its folders: if that file holds one frame, if the
    /// source has `origin: true`, or if the frame was recorded with it.
    public let file: String?

    /// The line of that file on which the frame began, from 1; in MessagePack and MCAP the number of its message.
    public let line: Int64?

    /// Keys of the message that the decoder did not know, with their values, written again.
    public let unknown: [Unknown]

    /// A key that the decoder did not know.
    ///
    /// The value came from outside. It is kept as text that was written again, on one line, and never as raw text: a sender
    /// could otherwise write lines of its own into the output of a sink.
    public struct Unknown: Hashable, Sendable {
        /// The key.
        public let key: String

        /// The value, as JSON on one line.
        public let json: String

        /// Pairs a key with a value that a reader has written again.
        package init(key: String, json: String) {
            self.key = key
            self.json = json
        }
    }

    /// Describes an origin.
    public init(
        receivedAt: Int64? = nil, isStamped: Bool = false, clock: String? = nil, file: String? = nil,
        line: Int64? = nil, unknown: [Unknown] = []
    ) {
        self.receivedAt = receivedAt
        self.isStamped = isStamped
        self.clock = clock
        self.file = file
        self.line = line
        self.unknown = unknown
    }
}
