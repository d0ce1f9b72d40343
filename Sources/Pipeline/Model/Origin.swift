/// Where a frame came from, for the few stages and sinks that need to know.
public final class Origin: Sendable {
    /// Time of receipt on the receiver's monotonic clock, in microseconds.
    public let receivedAt: Int64?

    /// Whether the timestamp was given on receipt because the sender gave none.
    public let isStamped: Bool

    /// The clock the sender's timestamps come from: `unix`, `monotonic` or a name.
    public let clock: String?

    /// The name of the file the frame was read from, with the folders it was found in; where that file holds one frame, where the
    /// source was told to say it, or where the frame was recorded with it.
    public let file: String?

    /// The line of that file on which the frame began, from 1; in MessagePack and MCAP the number of its message.
    public let line: Int64?

    /// Keys of the message that the decoder did not know, with their values, written anew.
    public let unknown: [Unknown]

    /// A key that the decoder did not know.
    ///
    /// What the key holds came from outside. It is kept as text that was written anew, on one line, and never as it came: a sender
    /// could otherwise write lines of its own into what a sink makes.
    public struct Unknown: Hashable, Sendable {
        /// The key.
        public let key: String

        /// The value, as JSON on one line.
        public let json: String

        /// Pairs a key with a value that a reader has written anew.
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
