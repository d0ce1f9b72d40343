/// Details about where a frame came from, for the few stages and sinks that need them.
public final class Origin: Sendable {
    /// The time of receipt on the receiver's monotonic clock, in microseconds.
    public let receivedAt: Int64?

    /// Whether the timestamp was assigned on receipt because the sender provided none.
    public let isStamped: Bool

    /// The clock of the sender's timestamps: `unix`, `monotonic`, or a name.
    public let clock: String?

    /// The path of the file that the frame was read from. It is set in three cases: the file contains only one frame, the source
    /// has `origin: true`, or the recorded frame already had it.
    public let file: String?

    /// The line in the file at which the frame began, counted from 1; for MessagePack and MCAP, the number of the message.
    public let line: Int64?

    /// The keys of the message that the decoder does not know, with their values.
    public let unknown: [Unknown]

    /// A key that the decoder does not know, with its value.
    ///
    /// The value comes from another program. It is parsed and written anew as JSON on one line, never copied as raw text. Otherwise
    /// a sender could insert lines into the output of a sink.
    public struct Unknown: Hashable, Sendable {
        /// The key.
        public let key: String

        /// The value, as JSON on one line.
        public let json: String

        /// Creates a pair of a key and a value that a reader has parsed and reserialized.
        package init(key: String, json: String) {
            self.key = key
            self.json = json
        }
    }

    /// Creates an origin.
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
